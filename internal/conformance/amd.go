package conformance

import (
	"fmt"

	"github.com/accelfit/accelfit/device"
	"github.com/accelfit/accelfit/device/devicetest"
	"github.com/accelfit/accelfit/vendors/amd"
)

// AMD is the harness of AMD Instinct GPUs: a node of each model, and one with GPUs of several models on two NUMA nodes, some of them
// with fewer slots and one of them without compute units.
func AMD() devicetest.Harness {
	h := Usual(amd.Vendor)
	models := amd.Models()
	var cards []device.DeviceInfo
	for i := range devices {
		d := models[i].Device(fmt.Sprintf("d%d", i), i)
		d.NUMA, d.Slots, d.Mode = i%2, int64(1+i), "hami-core"
		if i == devices-1 {
			d.Cores = 0
		}
		cards = append(cards, d)
	}
	h.Nodes = append(h.Nodes, Node(h.Backend, cards))
	const count, memory, cores = "amd.com/gpu", "amd.com/gpumem", "amd.com/gpucores"
	h.Pods = append(h.Pods,
		Pod(Limits{count: 1, memory: 1, cores: 1}, amd.AnnotationUseType, "MI300X,MI210"),
		Pod(Limits{count: 2, memory: 8192, cores: 25}, amd.AnnotationNoUseType, "mi100"),
		Pod(Limits{count: 1, memory: 8192, cores: 25}, amd.AnnotationUseUUID, "d0,d1,d2,d5"),
		Pod(Limits{count: 2, cores: 5}, amd.AnnotationNoUseUUID, "d0"),
		Pod(Limits{count: 1, memory: 100, cores: 5}, device.AnnotationDevicePolicy, "mutex"),
	)
	h.Claims = devicetest.Claims{
		Modes:    []string{"", "hami-core"},
		Policies: []string{"binpack", "mutex", "numa"},
		Codes:    []device.Code{device.AllocatedCardsInsufficientRequest, device.NodeInsufficientDevice},
	}
	return h
}
