package input

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	kjson "sigs.k8s.io/json"

	"github.com/accelfit/accelfit/examples/whatif/internal/problem"
)

// Cluster is what was read, in the order it was read. The objects are read-only.
type Cluster struct {
	Nodes    []*corev1.Node
	Pods     []*corev1.Pod
	Quotas   []*corev1.ResourceQuota
	Problems []problem.Problem

	seen    map[string]any // by kind, namespace and name
	uids    map[types.UID]string
	broken  map[string]bool
	ignored map[string]int // kinds that are not used
}

func newCluster() *Cluster {
	return &Cluster{seen: map[string]any{}, uids: map[types.UID]string{}, broken: map[string]bool{}, ignored: map[string]int{}}
}

// Parse reads one text, as Read does files.
func Parse(label string, text []byte) (*Cluster, error) {
	c := newCluster()
	if err := c.Add(label, text); err != nil {
		return nil, err
	}
	return c, nil
}

// Unreadable says whether the input has a pod of that name (namespace/name) or a node that could not be read.
func (c *Cluster) Unreadable(kind, name string) bool { return c.broken[kind+" "+name] }

// BrokenObjects is the number of objects that have a name and could not be read.
func (c *Cluster) BrokenObjects() int { return len(c.broken) }

// Ignored lists the kinds of objects that were not used, with their numbers.
func (c *Cluster) Ignored() []string {
	var out []string
	for _, kind := range slices.Sorted(maps.Keys(c.ignored)) {
		out = append(out, fmt.Sprintf("%d %s", c.ignored[kind], kind))
	}
	return out
}

func (c *Cluster) empty() bool { return len(c.Nodes)+len(c.Pods)+len(c.Quotas) == 0 }

func (c *Cluster) hint() string {
	if len(c.Problems) > 0 {
		p := c.Problems[0]
		return fmt.Sprintf(": %s: %s", p.Object, p.Why)
	}
	if found := c.Ignored(); len(found) > 0 {
		return ": only " + strings.Join(found, ", ")
	}
	return ""
}

func (c *Cluster) note(object string, err error, leftOut string) {
	c.Problems = append(c.Problems, problem.From(object, err, leftOut)...)
}

// header is what tells objects apart.
type header struct {
	APIVersion string `json:"apiVersion"`
	Kind       string `json:"kind"`
	Metadata   struct {
		Name      string `json:"name"`
		Namespace string `json:"namespace"`
	} `json:"metadata"`
	Items []json.RawMessage `json:"items"`
}

// document takes one JSON document: an object, or a list of them.
func (c *Cluster) document(label string, doc []byte) {
	if trimmed := bytes.TrimSpace(doc); len(trimmed) == 0 || string(trimmed) == "null" {
		return // an empty document between two separators
	}
	var h header
	if err := json.Unmarshal(doc, &h); err != nil {
		c.note(label, fmt.Errorf("not a Kubernetes object: %w", err), "the document")
		return
	}
	element, isList := strings.CutSuffix(h.Kind, "List")
	if !isList {
		c.object(label, h, doc)
		return
	}
	for i, raw := range h.Items {
		at := fmt.Sprintf("%s: item %d", label, i)
		var item header
		if string(raw) == "null" {
			c.note(at, errors.New("null"), "the item")
			continue
		}
		if err := json.Unmarshal(raw, &item); err != nil {
			c.note(at, fmt.Errorf("not a Kubernetes object: %w", err), "the item")
			continue
		}
		if item.Kind == "" {
			item.Kind = element // items of a PodList say no kind
		}
		c.object(at, item, raw)
	}
}

func (c *Cluster) object(label string, h header, raw []byte) {
	core := h.APIVersion == "" || h.APIVersion == "v1"
	switch {
	case h.Kind == "":
		c.note(label, errors.New("says no kind"), "the object")
	case core && h.Kind == "Node":
		take(c, label, &h, raw, &c.Nodes, &corev1.Node{})
	case core && h.Kind == "Pod":
		take(c, label, &h, raw, &c.Pods, &corev1.Pod{})
	case core && h.Kind == "ResourceQuota":
		take(c, label, &h, raw, &c.Quotas, &corev1.ResourceQuota{})
	default:
		c.ignored[h.Kind]++
	}
}

// take decodes an object and enters it, unless it is broken or was read before.
func take[T metav1.Object](c *Cluster, label string, h *header, raw []byte, list *[]T, object T) {
	kind, name := strings.ToLower(h.Kind), h.Metadata.Name
	if kind != "node" {
		h.Metadata.Namespace = orDefault(h.Metadata.Namespace)
		name = h.Metadata.Namespace + "/" + name
	}
	if h.Metadata.Name == "" {
		c.note(label, fmt.Errorf("a %s without a name", h.Kind), "the object")
		return
	}
	full := kind + " " + name
	if err := Decode(raw, object); err != nil {
		c.note(full, err, "the "+kind)
		c.broken[full] = true
		return
	}
	if kind != "node" {
		object.SetNamespace(h.Metadata.Namespace)
	}
	if before, found := c.seen[full]; found {
		if !reflect.DeepEqual(before, object) {
			c.note(full, errors.New("is in the input twice, with differences"), "the later one")
		}
		return
	}
	if other, taken := c.uids[object.GetUID()]; taken {
		c.note(full, fmt.Errorf("has the uid of %s", other), "the uid")
		object.SetUID("")
	} else if object.GetUID() != "" {
		c.uids[object.GetUID()] = full
	}
	c.seen[full] = object
	*list = append(*list, object)
}

// Decode reads an object as the API server does: field names by letter case, unknown fields ignored.
func Decode(raw []byte, object any) error {
	if err := checkQuantities(raw); err != nil {
		return err
	}
	return kjson.UnmarshalCaseSensitivePreserveInts(raw, object)
}

func orDefault(namespace string) string {
	if namespace == "" {
		return corev1.NamespaceDefault
	}
	return namespace
}

func newReader(text []byte) *bufio.Reader { return bufio.NewReader(bytes.NewReader(text)) }
