package conformance

import (
	"github.com/accelfit/accelfit/device"
	"github.com/accelfit/accelfit/device/devicetest"
	"github.com/accelfit/accelfit/internal/testkit"
	"github.com/accelfit/accelfit/vendors/biren"
)

// Biren is the harness of Biren GPUs: a usual node, and one with GPUs of different slots and memory on two NUMA nodes.
func Biren() devicetest.Harness {
	h := Usual(biren.Vendor)
	cards := testkit.UsualDevices(h.Backend, &biren.Models()[0], devices)
	for i := range cards {
		cards[i].NUMA, cards[i].Slots, cards[i].Memory = i%2, int64(1+i), int64(32768*(1+i%3))
	}
	h.Nodes = append(h.Nodes, Node(h.Backend, cards))
	const count = "birentech.com/gpu"
	h.Pods = append(h.Pods,
		Pod(Limits{count: 3}),
		Pod(Limits{count: 2}, biren.AnnotationUseUUID, "d0,d1,d2,d5"),
		Pod(Limits{count: 1}, biren.AnnotationNoUseUUID, "d0"),
		Pod(Limits{count: 1}, device.AnnotationDevicePolicy, "mutex"),
	)
	h.Claims = devicetest.Claims{
		Modes:    []string{""},
		Policies: []string{"binpack", "mutex", "numa"},
		Codes:    []device.Code{device.AllocatedCardsInsufficientRequest, device.NodeInsufficientDevice},
	}
	return h
}
