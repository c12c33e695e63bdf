package schedulerplugin

import (
	"maps"
	"slices"

	corev1 "k8s.io/api/core/v1"

	"github.com/accelfit/accelfit/device"
)

// described is a node as its object describes it. It is immutable but for its empty state's answers.
type described struct {
	facts facts
	info  *device.NodeInfo
	empty *state // nothing on it
}

func (p *Plugin) newDescribed(node *corev1.Node, info *device.NodeInfo) *described {
	d := &described{facts: factsOf(node), info: info}
	d.empty = p.replayed(d, nil)
	return d
}

// facts are what a description is read from: a copy, as hosts may write into the object of a node.
type facts struct {
	name                  string
	annotations, labels   map[string]string
	capacity, allocatable corev1.ResourceList
}

func factsOf(node *corev1.Node) facts {
	return facts{
		node.Name, maps.Clone(node.Annotations), maps.Clone(node.Labels),
		maps.Clone(node.Status.Capacity), maps.Clone(node.Status.Allocatable),
	}
}

// of says whether a node has these facts. It is cheap where texts are shared, as they are between copies of an object.
func (f *facts) of(node *corev1.Node) bool {
	return f.equal(&facts{node.Name, node.Annotations, node.Labels, node.Status.Capacity, node.Status.Allocatable})
}

func (f *facts) equal(g *facts) bool {
	return f.name == g.name && maps.Equal(f.annotations, g.annotations) && maps.Equal(f.labels, g.labels) &&
		amounts(f.capacity, g.capacity) && amounts(f.allocatable, g.allocatable)
}

func amounts(a, b corev1.ResourceList) bool {
	if len(a) != len(b) {
		return false
	}
	for name, x := range a {
		y, ok := b[name]
		if !ok || x.Cmp(y) != 0 {
			return false
		}
	}
	return true
}

// samePods says whether pods begins with these, in this order.
func samePods(these, pods []*corev1.Pod) bool {
	return len(these) <= len(pods) && slices.Equal(these, pods[:len(these)])
}
