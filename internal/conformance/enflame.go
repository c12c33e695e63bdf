package conformance

import (
	corev1 "k8s.io/api/core/v1"

	"github.com/accelfit/accelfit/device"
	"github.com/accelfit/accelfit/device/devicetest"
	"github.com/accelfit/accelfit/vendors/enflame"
)

// EnflameGCU is the harness of whole Enflame cards.
func EnflameGCU() devicetest.Harness {
	h := Usual(enflame.VendorGCU)
	h.Pods = append(h.Pods, Pod(Limits{h.Backend.Names().Count: 8}))
	return h
}

// EnflameDRS is the harness of partitioned Enflame cards. A container asks for an instance by its slices, which are what the
// count resource means, or by memory and percent of a card.
func EnflameDRS() devicetest.Harness {
	h := Usual(enflame.Vendor)
	n := h.Backend.Names()
	h.Nodes = append(h.Nodes, unevenGCU(), changed(&h, func(_ int, d *device.DeviceInfo) { d.Slots = 2 }))
	h.Pods = listed(&h, enflame.AnnotationUseUUID, enflame.AnnotationNoUseUUID)
	for _, limits := range []Limits{
		{n.Count: 1}, {n.Count: 2}, {n.Count: 3}, {n.Count: 6},
		{n.Memory: 5}, {n.Memory: 30}, {n.Memory: 20480}, {n.Cores: 30}, {n.Cores: 100}, {n.Memory: 1, n.Cores: 50},
	} {
		h.Pods = append(h.Pods, Pod(limits))
	}
	h.Claims = devicetest.Claims{
		Policies: []string{"binpack", "mutex"},
		Codes:    []device.Code{device.ModeNotFit},
		Unlimited: map[device.Unit]string{
			device.Cores: "slices are what counts; their percentages, rounded up, may come to more than 100 (spec enflame eD1)",
		},
		Waived: map[string]string{
			"larger request": "more than twice the GB of the largest profile are MiB, so that 80 are more than 81 (spec enflame §II.7, §4 quirk 2)",
			"whole card":     "enflame.com/drs-gcu is the size of one instance, 1 is a slice, and goes before memory and cores (spec enflame §II.5)",
		},
	}
	return h
}

// unevenGCU has cards on which slices can be used up before memory is.
func unevenGCU() *corev1.Node {
	node := offering(nil)
	device.Annotate(node, enflame.AnnotationCapacity, `{
		"devices":[{"index":"0","minor":"10","capacity":6},{"index":"1","minor":"11","capacity":6}],
		"profiles":{"1g.2gb":"0","2g.4gb":"1","3g.20gb":"2","6g.40gb":"3"}
	}`)
	return node
}
