package conformance

import (
	"encoding/json"

	"github.com/accelfit/accelfit/device"
	"github.com/accelfit/accelfit/device/devicetest"
	"github.com/accelfit/accelfit/vendors/metax"
)

// MetaXGPU is the harness of whole MetaX GPUs, with and without a topology.
func MetaXGPU() devicetest.Harness {
	h := Usual(metax.VendorGPU)
	linked := h.Nodes[0].DeepCopy()
	device.Annotate(linked, metax.AnnotationLosses, `{"1":100,"2":50,"4":0}`)
	device.Annotate(linked, metax.AnnotationScores, `{"1":0,"2":20,"4":120}`)
	h.Nodes = append(h.Nodes, linked)
	h.Pods = append(h.Pods, Pod(Limits{h.Backend.Names().Count: 8}))
	return h
}

// MetaXSGPU is the harness of shared MetaX GPUs: cards in link zones, cards for two tasks, pods of every QoS policy and class.
func MetaXSGPU() devicetest.Harness {
	h := Usual(metax.VendorSGPU)
	n := h.Backend.Names()
	h.Nodes = append(h.Nodes, changed(&h, crowded), changed(&h, func(i int, d *device.DeviceInfo) {
		d.CustomInfo = map[string]json.RawMessage{"LinkZone": json.RawMessage([]string{"1", "1", "1", "2", "2", "3", "3", "3"}[i])}
	}))
	h.Pods = append(h.Pods, listed(&h, metax.AnnotationUseUUID, metax.AnnotationNoUseUUID)...)
	for _, qos := range []string{"best-effort", "fixed-share", "burst-share"} {
		h.Pods = append(h.Pods,
			Pod(Limits{n.Count: 1, n.Memory: 4, n.Cores: 10}, metax.AnnotationQoS, qos),
			Pod(Limits{n.Count: 1, n.Memory: 1, n.Cores: 0}, metax.AnnotationQoS, qos),
			Pod(Limits{n.Count: 1, n.Memory: 1, n.Cores: 10}, metax.AnnotationQoS, qos, metax.AnnotationAppClass, "offline"))
	}
	h.Pods = append(h.Pods,
		Pod(Limits{n.Count: 2, n.Memory: 4, n.Cores: 10}, metax.AnnotationAppClass, "online"),
		Pod(Limits{n.Count: 1, n.Memory: 1}, metax.AnnotationAppClass, "online"),
		Pod(Limits{n.Count: 1, n.Memory: 1, n.Cores: 0}, metax.AnnotationAppClass, "offline"),
		Pod(Limits{n.Count: 4}, metax.AnnotationTopologyAware, "true"),
	)
	h.Claims = devicetest.Claims{
		Policies: []string{"binpack", "mutex", "numa"},
		Codes:    []device.Code{device.AllocatedCardsInsufficientRequest},
	}
	return h
}
