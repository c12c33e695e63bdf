package conformance

import (
	"github.com/accelfit/accelfit/device/devicetest"
	"github.com/accelfit/accelfit/vendors/hygon"
)

// Hygon is the harness of Hygon DCUs: also cards for two tasks, pods without cores, and lists of ids and models.
func Hygon() devicetest.Harness {
	h := Usual(hygon.Vendor)
	n := h.Backend.Names()
	h.Nodes = append(h.Nodes, changed(&h, crowded))
	h.Pods = append(h.Pods, listed(&h, hygon.AnnotationUseUUID, hygon.AnnotationNoUseUUID)...)
	h.Pods = append(h.Pods,
		Pod(Limits{n.Count: 1, n.Memory: 1, n.Cores: 0}),
		Pod(Limits{n.Count: 1, n.Memory: 4096}, hygon.AnnotationUseType, "K100"),
		Pod(Limits{n.Count: 1, n.Memory: 4096}, hygon.AnnotationNoUseType, "K100"),
	)
	h.Claims.Policies = []string{"binpack", "mutex", "numa"}
	return h
}
