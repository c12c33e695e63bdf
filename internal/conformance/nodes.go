package conformance

import (
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/accelfit/accelfit/device"
	"github.com/accelfit/accelfit/device/devicetest"
)

// changed is a node with the devices of the first node of a harness, after change was called for each.
func changed(h *devicetest.Harness, change func(i int, d *device.DeviceInfo)) *corev1.Node {
	return Node(h.Backend, edited(h.Backend.Inventory(h.Nodes[0]).Devices, change))
}

// offering is a node with a capacity.
func offering(amounts Limits) *corev1.Node {
	node := &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: "n"}}
	for name, n := range amounts {
		device.Offer(node, name, n)
	}
	return node
}

// crowded has devices for two tasks, on two NUMA nodes.
func crowded(i int, d *device.DeviceInfo) { d.Slots, d.NUMA = 2, i/4 }

// listed are pods that ask for a device and list ids of devices to use, and not to use, of the first node of a harness.
func listed(h *devicetest.Harness, use, no string) []*corev1.Pod {
	devices := h.Backend.Inventory(h.Nodes[0]).Devices
	ids := devices[0].ID + "," + devices[len(devices)-1].ID
	one := Limits{h.Backend.Names().Count: 1}
	return []*corev1.Pod{Pod(one, use, ids), Pod(one, no, ids)}
}
