package answer

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

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
	Node   json.RawMessage `json:"node,omitempty"`   // a Node object; neither: one that says nothing but its devices
	Price  float64         `json:"price,omitempty"`  // of one node, in any unit
	MaxNew int             `json:"maxNew,omitempty"` // nodes it can still add; 0: any number

	// Profile is the name of the device profile that says which devices new nodes have, whatever the sample says. Empty: the
	// sample says; where it says nothing, the profile that matches the group best; where none does, the instance type.
	Profile string `json:"profile,omitempty"`

	KeepHealth bool `json:"keepHealth,omitempty"` // unhealthy devices of the sample are unhealthy on new nodes
	KeepCordon bool `json:"keepCordon,omitempty"` // cordoned devices of the sample are cordoned on new nodes
	KeepUsage  bool `json:"keepUsage,omitempty"`  // DaemonSet pods hold what they hold on the sample, MIG instances included

	at position
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

// groupLabel is the label that names the groups of nodes: the one that is asked for, or the first of [DefaultGroupLabels] that
// a node has; empty: none.
func groupLabel(asked string, nodes []*corev1.Node) string {
	for _, key := range groupLabels(asked) {
		if slices.ContainsFunc(nodes, func(n *corev1.Node) bool { return n.Labels[key] != "" }) {
			return key
		}
	}
	return ""
}

func groupLabels(asked string) []string {
	if asked != "" {
		return []string{asked}
	}
	return DefaultGroupLabels()
}

// GroupsByLabel makes a group of the nodes with the same value of the label that names groups ([Options].GroupLabel). Groups
// without a Ready node to take as a sample are left out and reported.
func (w *World) GroupsByLabel() ([]GroupSpec, []problem.Problem, error) {
	if w.groupLabel == "" {
		tried := strings.Join(groupLabels(w.options.GroupLabel), ", ")
		return nil, nil, fmt.Errorf("%w: no node has the label %s; see --group-label and --groups", ErrNoGroups, tried)
	}
	members := map[string][]*corev1.Node{}
	for _, node := range w.nodes {
		if value := w.groupOf(node); value != "" {
			members[value] = append(members[value], node)
		}
	}
	var groups []GroupSpec
	var problems []problem.Problem
	for _, value := range slices.Sorted(maps.Keys(members)) {
		sample := w.sample(members[value])
		if sample == nil {
			why := errors.New("no Ready node with a readable device description to take as a sample")
			problems = append(problems, problem.From("node group "+w.groupLabel+"="+value, why, "the group")...)
			continue
		}
		groups = append(groups, GroupSpec{Name: value, Sample: sample.Name, at: position{group: value}})
	}
	return groups, problems, nil
}

// sample is the best of the nodes that are Ready and whose devices can be read, of equals the first by name: one that has
// registered devices rather than none, then one that is not cordoned.
func (w *World) sample(nodes []*corev1.Node) *corev1.Node {
	var best *corev1.Node
	most := 0
	for _, n := range nodes {
		info := w.set.Inventory(n)
		if !nondevice.Ready(n) || info.Malformed("") {
			continue
		}
		worth := 1
		if len(info.Described()) > 0 {
			worth += 2
		}
		if !n.Spec.Unschedulable {
			worth++
		}
		if worth > most || worth == most && n.Name < best.Name {
			best, most = n, worth
		}
	}
	return best
}

// group makes a node group that can grow from its description. partly names the profile that says which devices new nodes have
// beside those that the sample has registered; empty: there are no such.
func (w *World) group(spec *GroupSpec) (g simulate.NodeGroup, partly string, err error) {
	g = simulate.NodeGroup{Name: spec.Name, Price: spec.Price, MaxNew: spec.MaxNew}
	g.Template.Options = simulate.TemplateOptions{
		KeepHealth: spec.KeepHealth, KeepCordon: spec.KeepCordon, KeepUsage: spec.KeepUsage,
		NoInstanceTypes: w.options.NoInstanceTypes,
	}
	sample, err := w.templateNode(spec)
	if err != nil {
		return g, "", err
	}
	for _, pod := range w.onNode[spec.Sample] {
		if comesWithNode(pod) && pod.DeletionTimestamp == nil {
			g.Template.Pods = append(g.Template.Pods, moved(pod, spec.Name))
		}
	}
	g.Template.Node = fresh(sample, spec.Name)
	if spec.Profile != "" {
		if g.Template.Profile, err = w.options.Profiles.named(spec.Profile); err != nil {
			return g, "", spec.at.wrong("profile", err)
		}
		return g, "", nil
	}
	p := w.options.Profiles.For(spec.Name, sample.Labels)
	switch {
	case p == nil:
		return g, "", nil
	case len(w.set.Inventory(sample).Described()) == 0:
		g.Template.Profile = p
		return g, "", nil
	}
	whole, note, err := simulate.Upcoming(w.set, p, g.Template.Node)
	if err != nil {
		return g, "", fmt.Errorf("group %s: %w", spec.Name, err)
	}
	if note != nil {
		g.Template.Node, partly = whole, p.Name
	}
	return g, partly, nil
}

// templateNode is a copy of the sample of a group, as it was read.
func (w *World) templateNode(spec *GroupSpec) (*corev1.Node, error) {
	sample := &corev1.Node{}
	switch {
	case spec.Sample != "":
		i := slices.IndexFunc(w.nodes, func(n *corev1.Node) bool { return n.Name == spec.Sample })
		if i < 0 {
			return nil, spec.at.wrong("sample", w.knownNode(spec.Sample))
		}
		return w.nodes[i].DeepCopy(), nil
	case spec.inline():
		if err := input.Decode(spec.Node, sample); err != nil {
			return nil, spec.at.wrong("node", err)
		}
	}
	return sample, nil
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
