package testkit

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/accelfit/accelfit/device"
	"github.com/accelfit/accelfit/vendors"
)

// ModelsOf lists the device models of a vendor word.
func ModelsOf(v device.Vendor) []device.Model {
	return slices.DeleteFunc(vendors.Models(), func(m device.Model) bool { return m.Vendor != v })
}

// UsualDevices are n healthy devices of a model, with the ids that the vendor's devices have where their node agent tells
// no more than their number, index or amounts.
func UsualDevices(b device.Backend, m *device.Model, n int) []device.DeviceInfo {
	counted := &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: "n"}}
	device.Offer(counted, b.Names().Count, int64(n))
	named := b.Inventory(counted).Devices
	if len(named) != n { // counted by what they have
		device.Offer(counted, b.Names().Memory, int64(n)*m.Memory/max(1, b.Names().MemoryFactor))
		device.Offer(counted, b.Names().Cores, int64(n)*m.Cores)
		named = b.Inventory(counted).Devices
	}
	out := make([]device.DeviceInfo, n)
	for i := range out {
		out[i] = m.Device(fmt.Sprintf("d%d", i), i)
		switch {
		case len(named) == n:
			out[i].ID, out[i].Index, out[i].NUMA = named[i].ID, named[i].Index, named[i].NUMA
		default:
			if names, ok := b.(device.Identifier); ok {
				out[i].ID = names.DeviceID("n", i)
			}
		}
	}
	return out
}

// Described is the node n with UsualDevices, as the backend describes it.
func Described(b device.Backend, m *device.Model, n int) (*corev1.Node, error) {
	node := &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: "n"}}
	return node, b.Describe(node, UsualDevices(b, m, n))
}

// DevicesText renders devices, a line for each, so that equal devices give equal lines.
func DevicesText(devices []device.DeviceInfo) string {
	var b strings.Builder
	for i := range devices {
		d := devices[i].DeepCopy()
		d.CustomInfo = nil
		maps.DeleteFunc(d.LinkScores, func(_ string, score int64) bool { return score == 0 })
		fmt.Fprintf(&b, "%+v", d)
		for _, key := range slices.Sorted(maps.Keys(devices[i].CustomInfo)) {
			fmt.Fprintf(&b, " %q: %s", key, jsonValue(devices[i].CustomInfo[key]))
		}
		b.WriteByte('\n')
	}
	return b.String()
}
