package conformance

import (
	"github.com/accelfit/accelfit/device/devicetest"
	"github.com/accelfit/accelfit/vendors/mthreads"
)

// Mthreads is the harness of Moore Threads GPUs: also a node with a card that is a remainder, and one with a card of so much memory
// that it runs out of slots.
func Mthreads() devicetest.Harness {
	h := Usual(mthreads.Vendor)
	n := h.Backend.Names()
	h.Nodes = append(h.Nodes,
		offering(Limits{n.Cores: 40, n.Memory: 240}),
		offering(Limits{n.Cores: 16, n.Memory: 4096}),
	)
	h.Pods = append(h.Pods, listed(&h, mthreads.AnnotationUseUUID, mthreads.AnnotationNoUseUUID)...)
	h.Pods = append(h.Pods,
		Pod(Limits{n.Count: 1, n.Memory: 96, n.Cores: 16}), // a whole card, whatever it has
		Pod(Limits{n.Count: 2, n.Memory: 192, n.Cores: 32}),
		Pod(Limits{n.Count: 1, n.Memory: 2, n.Cores: 8}),
		Pod(Limits{n.Count: 1, n.Memory: 1, n.Cores: 16}),
	)
	h.Claims = devicetest.Claims{
		Policies: []string{"binpack", "mutex"},
		Waived: map[string]string{
			"larger request": "memory and cores are those of all cards of a container together, so that more cards are less of each (spec mthreads §6)",
		},
	}
	return h
}
