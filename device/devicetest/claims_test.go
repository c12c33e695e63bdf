package devicetest_test

import (
	"slices"
	"testing"

	"github.com/accelfit/accelfit/device"
	"github.com/accelfit/accelfit/device/devicetest"
)

// A claim that no situation shows is told, and by its law only.
func TestClaims(t *testing.T) {
	for name, c := range map[string]struct {
		backend device.Backend
		claim   func(c *devicetest.Claims)
		want    string
	}{
		// A mode that was planned, or that the harness has no node for.
		"mode": {newToy(), func(c *devicetest.Claims) { c.Modes = append(c.Modes, "mig") }, "law claims: claimed, and seen in no situation: mode mig"},
		// A reason that was given once.
		"code": {newToy(), func(c *devicetest.Claims) { c.Codes = append(c.Codes, device.NumaNotFit) }, "law claims: claimed, and seen in no situation: reason NumaNotFit"},
		// A policy that the plan does not heed.
		"policy": {planOf(func(_ *device.PodContext, p *device.Plan) { p.Choose = nil }), func(c *devicetest.Claims) { c.Codes = nil }, "law claims: claimed, and seen in no situation: policy topology-aware"},
		// A policy that is heeded in the order of devices only.
		"mutex": {planOf(func(_ *device.PodContext, p *device.Plan) { instead(p, device.IsIdle) }), func(*devicetest.Claims) {}, `
law claims: under the policy mutex the first container is given a device that is in use
node n:
  chip-0: T100, index 0, 4 slots, 16384 MiB, 100 cores, NUMA node 0, mode shared
pod before: container [toy.io/chip=1, toy.io/memory-percent=1]
pod: container [toy.io/chip=1, toy.io/memory=1]`},
	} {
		t.Run(name, func(t *testing.T) {
			harness := func() devicetest.Harness {
				h := devicetest.Shortened(harnessOf(c.backend))
				c.claim(&h.Claims)
				return h
			}
			laws, err := broken(t, "claims", harness)
			if !slices.Equal(laws, []string{"claims"}) {
				t.Errorf("broken: %q", laws)
			}
			golden(t, err, c.want)
		})
	}
}
