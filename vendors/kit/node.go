package kit

import (
	"fmt"

	corev1 "k8s.io/api/core/v1"

	"github.com/accelfit/accelfit/device"
)

// Registration reads a vendor's devices from a node annotation. decode is one of the registration codecs
// ([device.DecodeRegistration], [device.DecodeLegacyRegistration]). An empty list is an empty inventory (deviation D24);
// entries that were dropped are problems.
func Registration(
	node *corev1.Node, v device.Vendor, key string, bad device.BadEntries,
	decode func(string, device.BadEntries) ([]device.DeviceInfo, []error, error),
) device.Inventory {
	inv := device.Inventory{Vendor: v}
	text, ok := node.Annotations[key]
	if !ok {
		inv.Err = fmt.Errorf("%w: annos not found %s", device.ErrNoDescription, key)
		return inv
	}
	devices, dropped, err := decode(text, bad)
	if err != nil {
		inv.Err = device.In(key, err)
		return inv
	}
	inv.Devices = devices
	for _, err := range dropped {
		inv.Problems = append(inv.Problems, device.Problem{Object: "node " + node.Name, Err: device.In(key, err)})
	}
	return inv
}

// Handshake is the health rule of vendors whose node agent answers a handshake (spec core §2.7). A handshake is announced on
// nodes that register devices only.
func Handshake(in device.HealthInput, names device.Names) device.HealthAnswer {
	offered := in.Node.Status.Allocatable[corev1.ResourceName(names.Count)]
	answer := device.Handshake(in.Node.Annotations[names.Handshake], offered.Value(), in.Now)
	if _, registered := in.Node.Annotations[names.Register]; !registered {
		answer.Announce = ""
	}
	return answer
}

// Trusted is the health answer of vendors without a health rule: what the node says counts.
func Trusted() device.HealthAnswer { return device.HealthAnswer{Healthy: true, Renew: true} }

// Slots adds up the slots of devices.
func Slots(devices []device.DeviceInfo) int64 {
	n := int64(0)
	for i := range devices {
		n = device.Sum(n, devices[i].Slots)
	}
	return n
}

// Describe writes a registration on a node, and as many devices offered as there are slots. encode is one of the
// registration codecs ([device.EncodeRegistration] and the like).
func Describe(node *corev1.Node, names device.Names, devices []device.DeviceInfo, encode func([]device.DeviceInfo) (string, error)) error {
	text, err := encode(devices)
	if err != nil {
		return device.In(names.Register, err)
	}
	device.Annotate(node, names.Register, text)
	device.Offer(node, names.Count, Slots(devices))
	return nil
}
