package answer

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/yaml"

	"github.com/accelfit/accelfit/device"
	"github.com/accelfit/accelfit/examples/whatif/internal/input"
	"github.com/accelfit/accelfit/examples/whatif/internal/nondevice"
	"github.com/accelfit/accelfit/examples/whatif/internal/problem"
	"github.com/accelfit/accelfit/simulate"
)

// GroupSpec is one entry of a groups file.
type GroupSpec struct {
	Name   string          `json:"name"`
	Sample string          `json:"sample,omitempty"` // name of a node in the input, or
	Node   json.RawMessage `json:"node,omitempty"`   // a Node object
	Price  float64         `json:"price,omitempty"`  // of one node, in any unit
	MaxNew int             `json:"maxNew,omitempty"` // nodes it can still add; 0: any number

	KeepHealth bool `json:"keepHealth,omitempty"` // unhealthy devices of the sample are unhealthy on new nodes
	KeepCordon bool `json:"keepCordon,omitempty"` // cordoned devices of the sample are cordoned on new nodes
	KeepUsage  bool `json:"keepUsage,omitempty"`  // DaemonSet pods hold what they hold on the sample, MIG instances included
}

// DefaultGroupLabels are the labels by which clouds name node groups, in the order they are tried.
func DefaultGroupLabels() []string {
	return []string{
		"cloud.google.com/gke-nodepool", "eks.amazonaws.com/nodegroup", "karpenter.sh/nodepool", "alpha.eksctl.io/nodegroup-name",
		"kubernetes.azure.com/agentpool", "agentpool", "alibabacloud.com/nodepool-id", "node.kubernetes.io/instance-type",
	}
}

// ErrNoGroups is returned when no node says which group it belongs to.
var ErrNoGroups = errors.New("no node groups")

// ParseGroups reads a groups file: a YAML or JSON list of [GroupSpec].
func ParseGroups(text []byte) ([]GroupSpec, error) {
	var raw []json.RawMessage
	if err := yaml.Unmarshal(text, &raw); err != nil {
		return nil, fmt.Errorf("want a list of node groups: %w", err)
	}
	out := make([]GroupSpec, len(raw))
	seen := map[string]bool{}
	for i, r := range raw {
		decoder := json.NewDecoder(bytes.NewReader(r))
		decoder.DisallowUnknownFields()
		if err := decoder.Decode(&out[i]); err != nil {
			return nil, fmt.Errorf("group %d: %w", i, err)
		}
		if err := out[i].validate(); err != nil {
			return nil, fmt.Errorf("group %d: %w", i, err)
		}
		if seen[out[i].Name] {
			return nil, fmt.Errorf("group %d: name: %s occurs twice", i, out[i].Name)
		}
		seen[out[i].Name] = true
	}
	if len(out) == 0 {
		return nil, fmt.Errorf("%w in the list", ErrNoGroups)
	}
	return out, nil
}

func (g *GroupSpec) validate() error {
	inline := len(g.Node) > 0 && string(g.Node) != "null"
	switch {
	case g.Name == "":
		return errors.New("name: missing")
	case g.MaxNew < 0:
		return fmt.Errorf("maxNew: must not be negative: %d", g.MaxNew)
	case g.Price < 0 || math.IsNaN(g.Price) || math.IsInf(g.Price, 0):
		return fmt.Errorf("price: must not be negative: %v", g.Price)
	case inline == (g.Sample != ""):
		return errors.New("sample, node: want one of the two")
	}
	return nil
}

// GroupsByLabel makes a group of the nodes with the same value of a label; without a label, of the first of
// [DefaultGroupLabels] that a node has. Groups without a Ready node to take as a sample are left out and reported.
func (w *World) GroupsByLabel(label string) ([]GroupSpec, []problem.Problem, error) {
	labels := DefaultGroupLabels()
	if label != "" {
		labels = []string{label}
	}
	for _, key := range labels {
		members := map[string][]*corev1.Node{}
		for name := range w.snapshot.Nodes() {
			node := w.snapshot.Object(name)
			if value := node.Labels[key]; value != "" {
				members[value] = append(members[value], node)
			}
		}
		if len(members) > 0 {
			groups, problems := w.sampled(key, members)
			return groups, problems, nil
		}
	}
	return nil, nil, fmt.Errorf("%w: no node has the label %s; see --group-label and --groups", ErrNoGroups, strings.Join(labels, ", "))
}

func (w *World) sampled(label string, members map[string][]*corev1.Node) ([]GroupSpec, []problem.Problem) {
	var groups []GroupSpec
	var problems []problem.Problem
	for _, value := range slices.Sorted(maps.Keys(members)) {
		sample := w.sample(members[value])
		if sample == nil {
			why := errors.New("no Ready node with a readable device description to take as a sample")
			problems = append(problems, problem.From("node group "+label+"="+value, why, "the group")...)
			continue
		}
		groups = append(groups, GroupSpec{Name: value, Sample: sample.Name})
	}
	return groups, problems
}

// sample is the first Ready node, by name, whose devices can be read; one that is not cordoned where there is one.
func (w *World) sample(nodes []*corev1.Node) *corev1.Node {
	var fallback *corev1.Node
	for _, n := range nodes {
		u, _ := w.snapshot.Node(n.Name)
		switch {
		case !nondevice.Ready(n) || u.Info().Malformed(""):
		case !n.Spec.Unschedulable:
			return n
		case fallback == nil:
			fallback = n
		}
	}
	return fallback
}

// group makes a node group that can grow from its description.
func (w *World) group(spec *GroupSpec) (simulate.NodeGroup, error) {
	g := simulate.NodeGroup{Name: spec.Name, Price: spec.Price, MaxNew: spec.MaxNew}
	g.Template.Options = simulate.TemplateOptions{
		KeepHealth: spec.KeepHealth, KeepCordon: spec.KeepCordon, KeepUsage: spec.KeepUsage,
	}
	var sample *corev1.Node
	if spec.Sample != "" {
		if err := w.knownNode(spec.Sample); err != nil {
			return g, fmt.Errorf("group %s: sample: %w", spec.Name, err)
		}
		sample = w.snapshot.Object(spec.Sample).DeepCopy()
	} else {
		sample = &corev1.Node{}
		if err := input.Decode(spec.Node, sample); err != nil {
			return g, fmt.Errorf("group %s: node: %w", spec.Name, err)
		}
	}
	for _, pod := range w.onNode[spec.Sample] {
		if comesWithNode(pod) && pod.DeletionTimestamp == nil {
			g.Template.Pods = append(g.Template.Pods, moved(pod, spec.Name))
		}
	}
	g.Template.Node = fresh(sample, spec.Name)
	return g, nil
}

// fresh is a sample as a new node of the group: named after it, without the marks that cloud and autoscaler have left.
func fresh(sample *corev1.Node, group string) *corev1.Node {
	sample.Name = group
	sample.Spec.Taints = slices.DeleteFunc(sample.Spec.Taints, func(t corev1.Taint) bool {
		return strings.HasPrefix(t.Key, "node.cloudprovider.kubernetes.io/") ||
			t.Key == "ToBeDeletedByClusterAutoscaler" || t.Key == "DeletionCandidateOfClusterAutoscaler"
	})
	return sample
}

// moved is a pod of the sample as it runs on the template, which has another name.
func moved(pod *corev1.Pod, node string) *corev1.Pod {
	c := pod.DeepCopy()
	if c.Spec.NodeName != "" {
		c.Spec.NodeName = node
	}
	if c.Annotations[device.AnnotationNode] != "" {
		c.Annotations[device.AnnotationNode] = node
	}
	return c
}

// comesWithNode says whether every node of the group gets a pod like this: those of DaemonSets and static pods.
func comesWithNode(pod *corev1.Pod) bool {
	if _, static := pod.Annotations[corev1.MirrorPodAnnotationKey]; static {
		return true
	}
	owner := metav1.GetControllerOf(pod)
	return owner != nil && owner.Kind == "DaemonSet"
}
