package simulate

import (
	"slices"

	corev1 "k8s.io/api/core/v1"

	"github.com/accelfit/accelfit/device"
	"github.com/accelfit/accelfit/usage"
)

// tenant is a pod that may move off a node.
type tenant struct {
	at     int // among the node's holdings
	pod    *corev1.Pod
	holds  []device.Hold
	memory int64 // of holds, MiB
	alters bool  // it decides about more than amounts: instances, and devices that take no new work
}

func tenantOf(n *node, at int, pod *corev1.Pod) tenant {
	h := &n.holdings[at]
	t := tenant{at: at, pod: pod, holds: h.Allocation.Collapse(), alters: len(h.Blocked) > 0 || len(h.Reservations) > 0}
	info := n.usage.Info()
	for _, d := range t.holds {
		t.memory = device.Sum(t.memory, d.Memory)
		i := info.Find(d.Vendor, d.ID)
		t.alters = t.alters || i >= 0 && info.Device(i).Mode == device.ModeMIG
	}
	return t
}

// without is the usage of a node without some of the pods on it.
func (n *node) without(gone []tenant) *device.NodeUsage {
	info := n.usage.Info()
	if slices.ContainsFunc(gone, func(t tenant) bool { return t.alters }) {
		rest := make([]usage.Holding, 0, len(n.holdings))
		for i := range n.holdings {
			if !slices.ContainsFunc(gone, func(t tenant) bool { return t.at == i }) {
				rest = append(rest, n.holdings[i])
			}
		}
		return usage.Apply(info, rest)
	}
	return n.usage.Update(func(devices []device.DeviceUsage) {
		for _, t := range gone {
			for _, h := range t.holds {
				if i := info.Find(h.Vendor, h.ID); i >= 0 {
					devices[i].Give(h)
				}
			}
		}
	})
}
