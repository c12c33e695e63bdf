//go:build !race

package vastai_test // the race detector makes pools allocate

import (
	"testing"

	"github.com/accelfit/accelfit/device"
	"github.com/accelfit/accelfit/vendors"
)

func TestAllocations(t *testing.T) {
	set := vendors.Default()
	u := onCards(t, set, 1, []int{0, 0, 1, 1})
	full := u.Update(func(devices []device.DeviceUsage) {
		for i := range devices {
			devices[i].Slots = 1
		}
	})
	for _, c := range []struct {
		name string
		n    int
		node *device.NodeUsage
		most float64
	}{{"one die", 1, u, 2}, {"refused", 1, full, 0}, {"several refused", 2, full, 0}} {
		r := asking(t, set, c.n, "binpack")
		if got := testing.AllocsPerRun(100, func() { set.Fit(r, c.node) }); got > c.most {
			t.Errorf("%s: %v allocations, want %v", c.name, got, c.most)
		}
	}
}
