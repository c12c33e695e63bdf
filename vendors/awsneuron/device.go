package awsneuron

import (
	"encoding/json"
	"fmt"
	"math/bits"
	"strings"

	corev1 "k8s.io/api/core/v1"

	"github.com/accelfit/accelfit/device"
	"github.com/accelfit/accelfit/vendors/kit"
)

// mostCores is how many cores a device may have: masks must fit into the 32 bits of the allocation text.
const mostCores = 31

// customInstanceType is the custom info of a device that holds the instance type of its node.
const customInstanceType = "AWSNodeType"

// shape is what a node's devices have in common. Inventory.Extra points to it.
type shape struct {
	cores    int64  // of each device
	instance string // instance type of the node
	ring     bool   // any devices next to each other are neighbours
}

// shapeOf reads the shape of a node with n devices. Cores that are no whole number, or too many for a mask, are an error
// (deviations nD2, nD5).
func (b *Backend) shapeOf(node *corev1.Node, n int64) (*shape, error) {
	s := newShape(0, node.Labels[LabelInstanceType])
	q, found := node.Status.Capacity[corev1.ResourceName(b.Config().ResourceCoreName)]
	if !found || b.Config().ResourceCoreName == "" {
		return s, nil
	}
	cores, whole := q.AsInt64()
	if !whole || cores < 0 {
		return s, b.coresError(fmt.Errorf("%s is not a whole number from 0", q.String()))
	}
	if s.cores = cores / n; s.cores > mostCores {
		return s, b.coresError(fmt.Errorf("%d cores on a device, more than %d", s.cores, mostCores))
	}
	return s, nil
}

func newShape(cores int64, instance string) *shape {
	return &shape{cores, instance, strings.Contains(instance, "inf") || strings.Contains(instance, "Inf")}
}

func (b *Backend) coresError(err error) error {
	return &device.DecodeError{Key: "capacity " + b.Config().ResourceCoreName, Err: err}
}

// device is what a device of a node has (spec awsneuron §5).
func (s *shape) device(_, _ int) device.DeviceInfo {
	d := device.DeviceInfo{Slots: s.cores, Cores: all(s.cores)}
	if s.instance != "" {
		d.CustomInfo = map[string]json.RawMessage{customInstanceType: kit.JSON(s.instance)}
	}
	return d
}

// DeviceID implements [device.Identifier].
func (b *Backend) DeviceID(node string, index int) string {
	return kit.NumberedID(node, string(Vendor), index)
}

// all is the mask of n cores, the lowest.
func all(n int64) int64 { return 1<<n - 1 }

// Inventory implements [device.Backend]: as many devices as the node's capacity of the count resource says.
func (b *Backend) Inventory(node *corev1.Node) device.Inventory {
	n, _ := device.Capacity(node, b.Config().ResourceCountName)
	s, err := b.shapeOf(node, max(1, n))
	devices := kit.NewCounted(Vendor, b.Config().ResourceCountName, string(Vendor), s.device)
	inv := devices.Inventory(node)
	if inv.Err == nil && err != nil {
		return device.Inventory{Vendor: Vendor, Err: err}
	}
	inv.Extra = s
	return inv
}

// Describe implements [device.Backend]: capacities, and the label of the instance type. Devices are told by their number:
// what is not as Inventory makes it is an error.
func (b *Backend) Describe(node *corev1.Node, devices []device.DeviceInfo) error {
	n, cores, instance := int64(len(devices)), 0, ""
	if n > 0 {
		cores = min(bits.Len64(uint64(devices[0].Cores)), mostCores)
		_ = json.Unmarshal(devices[0].CustomInfo[customInstanceType], &instance) // what is no text does not read back
	}
	device.Offer(node, b.Config().ResourceCountName, n)
	device.Offer(node, b.Config().ResourceCoreName, n*int64(cores))
	if instance != "" {
		if node.Labels == nil {
			node.Labels = map[string]string{}
		}
		node.Labels[LabelInstanceType] = instance
	}
	return kit.ReadsBack(b, node, devices)
}

// Health implements [device.Backend]: what the node says counts (spec awsneuron §13).
func (b *Backend) Health(device.HealthInput) device.HealthAnswer { return kit.Trusted() }
