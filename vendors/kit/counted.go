package kit

import (
	"fmt"
	"strconv"

	corev1 "k8s.io/api/core/v1"

	"github.com/accelfit/accelfit/device"
)

// Counted is what a model reads of nodes and writes on them where the node agent tells no more of the devices than their
// number, as the capacity of a resource. A model embeds it, and writes those of its methods anew that are otherwise with its
// vendor.
type Counted struct {
	vendor   device.Vendor
	resource string
	word     string
	of       func(i, n int) device.DeviceInfo
}

// NewCounted makes it for a resource. Device i of node n1 has the id "n1-<word>-i"; what else it has beside its index and type is
// what of answers for device i of n.
func NewCounted(v device.Vendor, resource, word string, of func(i, n int) device.DeviceInfo) Counted {
	return Counted{v, resource, word, of}
}

// Inventory implements [device.Backend]: as many devices as the capacity says. More than [device.MaxDevices] are an error.
func (c *Counted) Inventory(node *corev1.Node) device.Inventory {
	inv := device.Inventory{Vendor: c.vendor}
	n, _ := device.Capacity(node, c.resource)
	switch {
	case n <= 0:
		inv.Err = noCapacity(c.resource)
	case n > device.MaxDevices:
		inv.Err = capacityError(c.resource, fmt.Errorf("%d devices, more than %d", n, device.MaxDevices))
	default:
		for i := range int(n) {
			inv.Devices = append(inv.Devices, c.device(node.Name, i, int(n)))
		}
	}
	return inv
}

func (c *Counted) device(node string, i, n int) device.DeviceInfo {
	d := c.of(i, n)
	d.ID, d.Vendor, d.Index, d.Type, d.Healthy = c.DeviceID(node, i), c.vendor, i, string(c.vendor), true
	return d
}

// DeviceID implements [device.Identifier].
func (c *Counted) DeviceID(node string, index int) string { return NumberedID(node, c.word, index) }

// Describe implements [device.Backend]: the capacity. Devices that are not as Inventory makes them are an error.
func (c *Counted) Describe(node *corev1.Node, devices []device.DeviceInfo) error {
	device.Offer(node, c.resource, int64(len(devices)))
	return ReadsBack(c, node, devices)
}

// Health implements [device.Backend]: the devices are there as long as there is capacity.
func (c *Counted) Health(in device.HealthInput) device.HealthAnswer {
	return offered(in.Node, c.resource)
}

func offered(node *corev1.Node, resource string) device.HealthAnswer {
	n, _ := device.Capacity(node, resource)
	return device.HealthAnswer{Healthy: n > 0, Renew: true}
}

// NumberedID is the id of device i of a node whose agent tells no ids.
func NumberedID(node, word string, i int) string { return node + "-" + word + "-" + strconv.Itoa(i) }

func noCapacity(resource string) error {
	return fmt.Errorf("%w: device not found %s", device.ErrNoDescription, resource)
}

func capacityError(resource string, err error) error {
	return &device.DecodeError{Key: "capacity " + resource, Err: err}
}
