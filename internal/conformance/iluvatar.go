package conformance

import (
	"github.com/accelfit/accelfit/device"
	"github.com/accelfit/accelfit/device/devicetest"
)

// Iluvatar is the harness of an Iluvatar chip, such as BI-V150: also cards for two tasks, and lists of ids.
func Iluvatar(chip device.Vendor) devicetest.Harness {
	h := Usual(chip)
	keys := h.Backend.Names().PodKeys
	h.Nodes = append(h.Nodes, changed(&h, crowded))
	h.Pods = append(h.Pods, listed(&h, keys[0], keys[1])...)
	h.Claims.Policies = []string{"binpack", "mutex", "numa"}
	return h
}
