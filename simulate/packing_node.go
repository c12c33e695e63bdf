package simulate

import (
	"slices"

	corev1 "k8s.io/api/core/v1"

	"github.com/accelfit/accelfit/device"
)

func (k *packing) made(i int) *cast {
	n := &k.nodes[i]
	if n.made == nil {
		made := k.mould.node(newName(k.mould.template.sample().Name, k.first+i))
		n.made = &made
	}
	return n.made
}

func (k *packing) object(i int) *corev1.Node { return k.made(i).object }

// podsOn lists the pods on node i, the template's first.
func (k *packing) podsOn(i int) []*corev1.Pod {
	n := &k.nodes[i]
	if n.on == nil {
		n.on = slices.Clone(k.mould.template.Pods)
		for _, at := range n.pods {
			n.on = append(n.on, k.pods.pods[at].pod)
		}
	}
	return n.on
}

// filled is the usage of node i with its pods.
func (k *packing) filled(i int) *device.NodeUsage {
	made, n := k.made(i), &k.nodes[i]
	if k.alike || made.usage == nil {
		return n.level.usage.On(made.info)
	}
	u := made.usage
	for _, o := range n.by {
		u = u.With(o.on(made.info))
	}
	return u
}
