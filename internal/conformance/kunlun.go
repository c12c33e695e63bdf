package conformance

import (
	corev1 "k8s.io/api/core/v1"

	"github.com/accelfit/accelfit/device"
	"github.com/accelfit/accelfit/device/devicetest"
	"github.com/accelfit/accelfit/vendors/kunlun"
)

// inSets are what both models answer where no set of cards serves, in place of what the rules count (spec kunlun §I.7, §II.8).
var inSets = [...]device.Code{device.NumaNotFit, device.CardUuidMismatch}

// Kunlun is the harness of whole Kunlunxin cards: sets of them on one board and on two.
func Kunlun() devicetest.Harness {
	h := Usual(kunlun.Vendor)
	n := h.Backend.Names()
	h.Nodes = append(h.Nodes, offering(Limits{n.Count: 4}), offering(Limits{n.Count: 16}))
	h.Pods = append(h.Pods, Pod(Limits{n.Count: 4}), Pod(Limits{n.Count: 8}))
	h.Pods = append(h.Pods, kunlunLists(&h)...)
	h.Claims.Codes = inSets[:]
	return h
}

// KunlunVirtual is the harness of divided Kunlunxin cards: quarters, halves and whole ones, of one card and of several.
func KunlunVirtual() devicetest.Harness {
	h := Usual(kunlun.VendorVirtual)
	n := h.Backend.Names()
	h.Nodes = append(h.Nodes, Node(h.Backend, h.Backend.Inventory(h.Nodes[0]).Devices[:1]))
	for _, count := range []int64{1, 2, 4, 8} {
		h.Pods = append(h.Pods, Pod(Limits{n.Count: count, n.Memory: 24576}), Pod(Limits{n.Count: count, n.Memory: 49152}))
	}
	h.Pods = append(h.Pods,
		Pod(Limits{n.Count: 1, n.Memory: 13000}),
		Pod(Limits{n.Count: 1, n.Memory: 1}, device.AnnotationDevicePolicy, "mutex"),
		Pod(Limits{n.Count: 1, n.Memory: 24576}, device.AnnotationDevicePolicy, "mutex"),
	)
	h.Pods = append(h.Pods, kunlunLists(&h)...)
	h.Claims = devicetest.Claims{
		Policies: []string{"mutex"},
		Codes:    append(inSets[:], device.ExclusiveDeviceAllocateConflict),
		Unlimited: map[device.Unit]string{
			device.Slots: "the number of slots that a card registers plays no part (spec kunlun §II.8)",
			device.Cores: "cores go with the memory, and are never tested (spec kunlun §II.8)",
		},
		Waived: map[string]string{
			"larger request": "a card divided into halves has room for a half, and none for a quarter (spec kunlun §II.8)",
			"whole card":     "parts are those of a card with 98304 MiB, whatever a card has (spec kunlun §II.2)",
		},
	}
	return h
}

func kunlunLists(h *devicetest.Harness) []*corev1.Pod {
	return append(listed(h, kunlun.AnnotationUseUUID, kunlun.AnnotationNoUseUUID),
		listed(h, kunlun.AnnotationBaiduUseUUID, kunlun.AnnotationBaiduNoUseUUID)...)
}
