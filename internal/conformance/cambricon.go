package conformance

import (
	"github.com/accelfit/accelfit/device"
	"github.com/accelfit/accelfit/device/devicetest"
	"github.com/accelfit/accelfit/vendors/cambricon"
)

// Cambricon is the harness of Cambricon MLUs: nodes of cards of 24 and of 48 GB, and pods of which a hundred go onto a card.
func Cambricon() devicetest.Harness {
	h := Usual(cambricon.Vendor)
	const count, blocks, cores = "cambricon.com/vmlu", "cambricon.com/mlu.smlu.vmemory", "cambricon.com/mlu.smlu.vcore"
	h.Pods = append(h.Pods,
		Pod(Limits{count: 1, blocks: 1, cores: 0}),
		Pod(Limits{count: 2, blocks: 8, cores: 10}, cambricon.AnnotationUseUUID, "n-cambricon-mlu-0,n-cambricon-mlu-1,n-cambricon-mlu-5"),
		Pod(Limits{count: 1, blocks: 8, cores: 10}, cambricon.AnnotationNoUseUUID, "n-cambricon-mlu-0"),
		Pod(Limits{count: 1, blocks: 1, cores: 100}),
	)
	h.Claims = devicetest.Claims{
		Modes:    []string{""},
		Policies: []string{"binpack", "mutex"},
		Codes:    []device.Code{device.AllocatedCardsInsufficientRequest, device.NodeInsufficientDevice},
	}
	return h
}
