package devicetest

import (
	"testing"

	"github.com/accelfit/accelfit/vendors"
)

// Bench times what a scheduler calls for every pod and node, on the first node of the harness: reading the node, reading a pod,
// and fits that are accepted and refused. The harness must have situations of both kinds.
func Bench(b *testing.B, h Harness) {
	b.Helper()
	x, err := h.exam()
	if err != nil {
		b.Fatal(err)
	}
	b.Run("inventory", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			x.Backend.Inventory(x.bases[0].node)
		}
	})
	b.Run("request", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			if _, err := x.set.Request(x.Pods[0]); err != nil {
				b.Fatal(err)
			}
		}
	})
	x.benchFit(b, "accept", func(f vendors.Fit) bool { return f.OK() && len(f.Allocation.Devices) > 0 })
	x.benchFit(b, "reject", func(f vendors.Fit) bool { return !f.OK() })
}

// benchFit times the first situation with a given answer.
func (x *exam) benchFit(b *testing.B, name string, is func(vendors.Fit) bool) {
	b.Run(name, func(b *testing.B) {
		for seed := range 10 * x.searched() {
			s := x.random(seeded(uint64(seed))).play(x.set)
			if s.err != nil || len(s.devices) != len(x.bases[0].devices) || !is(s.fit) {
				continue
			}
			b.ReportAllocs()
			for b.Loop() {
				x.set.Fit(s.request, s.usage)
			}
			return
		}
		b.Fatalf("no situation is a case of %s", name)
	})
}
