package kit

import (
	"fmt"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"

	"github.com/accelfit/accelfit/device"
)

// PlainTypes drops the devices of a registration whose type has a separator of the allocation text in it, and reports them (as
// deviation M3 has it for ids).
func PlainTypes(inv *device.Inventory, node *corev1.Node, key string) {
	inv.Devices = slices.DeleteFunc(inv.Devices, func(d device.DeviceInfo) bool {
		if !strings.ContainsAny(d.Type, ",:;") {
			return false
		}
		inv.Problems = append(inv.Problems, device.Problem{Object: "node " + node.Name, Err: &device.DecodeError{
			Key: key, Item: "device " + d.ID, Field: "type",
			Err: fmt.Errorf("%q has a separator of the allocation text in it", d.Type),
		}})
		return true
	})
}
