// Package cases replays situations that users have reported, each with the right answer.
package cases

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"strings"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/yaml"

	"github.com/accelfit/accelfit/vendors"
)

// Case is one situation. See testdata for the keys' meaning by example.
type Case struct {
	ID         string         `json:"id"`
	URL        string         `json:"url"`
	Vendor     string         `json:"vendor"`
	Op         string         `json:"op"`
	Config     map[string]any `json:"config"`
	Nodes      []Node         `json:"nodes"`
	Running    []Pod          `json:"running_pods"`
	Pods       []Pod          `json:"pods"`
	Quotas     []Quota        `json:"quotas"`
	Candidates []string       `json:"candidate_nodes"`
	Expect     Expect         `json:"expect"`
}

// Node is a node of a case; Role template makes it a template to estimate with.
type Node struct {
	Name        string              `json:"name"`
	Annotations map[string]string   `json:"annotations"`
	Labels      map[string]string   `json:"labels"`
	Allocatable corev1.ResourceList `json:"allocatable"`
	Role        string              `json:"role"`
	CopiedFrom  string              `json:"copied_from"`
}

// Pod is a running or pending pod of a case.
type Pod struct {
	Name              string            `json:"name"`
	Namespace         string            `json:"namespace"`
	Annotations       map[string]string `json:"annotations"`
	Spec              corev1.PodSpec    `json:"spec"`
	Status            corev1.PodStatus  `json:"status"`
	Node              string            `json:"node"`
	Phase             corev1.PodPhase   `json:"phase"`
	DeletionTimestamp *metav1.Time      `json:"deletionTimestamp"`
	Repeat            int               `json:"repeat"`
}

// Quota is the hard limits of a namespace.
type Quota struct {
	Namespace string              `json:"namespace"`
	Hard      corev1.ResourceList `json:"hard"`
}

// Expect is the right answer.
type Expect struct {
	Fit            *bool               `json:"fit"`
	PerPod         []bool              `json:"per_pod"`
	CountFit       *int                `json:"count_fit"`
	Devices        []string            `json:"devices"`
	DevicesPerPod  [][]string          `json:"devices_per_pod"`
	DevicesNot     []string            `json:"devices_not"`
	DeviceCount    *int                `json:"device_count"`
	ByVendor       map[string][]string `json:"devices_by_vendor"`
	Node           string              `json:"node"`
	NodesPerPod    []string            `json:"nodes_per_pod"`
	Relation       string              `json:"relation"`
	FirstNSame     int                 `json:"first_n_same"`
	LastDiffers    bool                `json:"last_differs"`
	UsedMem        map[string]int64    `json:"usedmem"`
	UsedCores      map[string]int64    `json:"usedcores"`
	UsedMemPerPod  []int64             `json:"usedmem_per_pod"`
	NodesNeeded    *int                `json:"nodes_needed"`
	ReasonContains string              `json:"reason_contains"`
	ReasonNot      string              `json:"reason_not"`
	Error          string              `json:"error_contains"`
	Warning        string              `json:"warning_contains"`
	NoPanic        bool                `json:"no_panic"`
	ForkRevert     bool                `json:"fork_revert"`
	Contested      bool                `json:"contested"`
	Note           string              `json:"note"`
}

// ReadFile reads the cases of a JSON lines file. Unknown keys of an expectation are errors: nothing that is expected goes
// unchecked.
func ReadFile(path string) ([]Case, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	var out []Case
	lines := bufio.NewScanner(f)
	lines.Buffer(nil, 16<<20)
	for n := 1; lines.Scan(); n++ {
		if strings.TrimSpace(lines.Text()) == "" {
			continue
		}
		c, err := parse(lines.Bytes())
		if err != nil {
			return nil, fmt.Errorf("%s:%d: %w", path, n, err)
		}
		out = append(out, c)
	}
	return out, lines.Err()
}

func parse(line []byte) (Case, error) {
	var c Case
	if err := json.Unmarshal(line, &c); err != nil {
		return c, err
	}
	var raw struct {
		Expect json.RawMessage `json:"expect"`
	}
	if err := json.Unmarshal(line, &raw); err != nil {
		return c, err
	}
	d := json.NewDecoder(strings.NewReader(string(raw.Expect)))
	d.DisallowUnknownFields()
	return c, d.Decode(&c.Expect)
}

// load makes the set that a case assumes: the device configuration with single keys overridden.
func load(config []byte, overrides map[string]any) (*vendors.Set, error) {
	var doc map[string]any
	if err := yaml.Unmarshal(config, &doc); err != nil {
		return nil, err
	}
	for key, value := range overrides {
		path := strings.Split(key, ".")
		m := section(doc, path[:len(path)-1])
		if m == nil || len(path) < 2 {
			return nil, fmt.Errorf("config override %s: no such section", key)
		}
		m[path[len(path)-1]] = value
	}
	text, err := yaml.Marshal(doc)
	if err != nil {
		return nil, err
	}
	return vendors.Load(text)
}

// section returns the mapping at a path, or nil. A list is walked into by the commonWord of an element.
func section(doc map[string]any, path []string) map[string]any {
	var at any = doc
	for _, name := range path {
		switch in := at.(type) {
		case map[string]any:
			at = in[name]
		case []any:
			at = nil
			for _, e := range in {
				if m, ok := e.(map[string]any); ok && m["commonWord"] == name {
					at = m
				}
			}
		}
	}
	m, _ := at.(map[string]any)
	return m
}

func (n *Node) object() *corev1.Node {
	return &corev1.Node{
		ObjectMeta: metav1.ObjectMeta{Name: n.Name, Annotations: n.Annotations, Labels: n.Labels},
		Status:     corev1.NodeStatus{Allocatable: n.Allocatable, Capacity: n.Allocatable},
	}
}

// objects returns the pod as often as it is repeated.
func (p *Pod) objects() []*corev1.Pod {
	var out []*corev1.Pod
	for i := range max(1, p.Repeat) {
		name := p.Name
		if p.Repeat > 1 {
			name = fmt.Sprintf("%s-%02d", p.Name, i)
		}
		pod := &corev1.Pod{
			ObjectMeta: metav1.ObjectMeta{
				Name: name, Namespace: p.Namespace, UID: types.UID(p.Namespace + "/" + name),
				Annotations: p.Annotations, DeletionTimestamp: p.DeletionTimestamp,
			},
			Spec: p.Spec, Status: p.Status,
		}
		pod.Spec.NodeName = p.Node
		pod.Status.Phase = p.Phase
		out = append(out, pod)
	}
	return out
}
