//go:build !race

package awsneuron_test // the race detector makes pools allocate

import (
	"testing"

	"github.com/accelfit/accelfit/device"
	"github.com/accelfit/accelfit/vendors"
)

func TestAllocations(t *testing.T) {
	set := vendors.Default()
	u := idle(t, set, 16, 2, "trn1")
	busy := u.Update(func(devices []device.DeviceUsage) {
		for i := range devices {
			devices[i].Slots, devices[i].Cores = 1, 1
		}
	})
	for _, c := range []struct {
		name     string
		resource string
		n        int64
		node     *device.NodeUsage
		most     float64
	}{
		{"one core", config.ResourceCoreName, 1, u, 2},
		{"one device", config.ResourceCountName, 1, u, 2},
		{"two cores", config.ResourceCoreName, 2, u, 2},
		{"a device refused", config.ResourceCountName, 1, busy, 0},
		{"a run refused", config.ResourceCountName, 4, busy, 0},
		{"cores that cannot be had", config.ResourceCoreName, 3, busy, 0},
	} {
		r := asking(t, set, c.resource, c.n)
		if got := testing.AllocsPerRun(100, func() { set.Fit(r, c.node) }); got > c.most {
			t.Errorf("%s: %v allocations, want %v", c.name, got, c.most)
		}
	}
}
