package vendors_test

import (
	"testing"

	"github.com/accelfit/accelfit/device"
	"github.com/accelfit/accelfit/vendors"
)

// asMIG makes a card of halfFull one in mode mig.
func asMIG(d *device.DeviceInfo) {
	d.Mode, d.Slots = device.ModeMIG, 7
	d.MIGProfiles = []device.MIGProfile{
		{Name: "1g.5gb", Memory: 4864, Cores: 15, Slices: 1, Placements: places(0, 1, 1, 1, 2, 1, 3, 1, 4, 1, 5, 1, 6, 1)},
		{Name: "2g.10gb", Memory: 9856, Cores: 29, Slices: 2, Placements: places(0, 2, 2, 2, 4, 2)},
		{Name: "3g.20gb", Memory: 19968, Cores: 43, Slices: 3, Placements: places(0, 4, 4, 4)},
	}
}

// idleMIG is a node of cards in mode mig that nobody uses.
func idleMIG(tb testing.TB, set *vendors.Set, n int) *device.NodeUsage {
	return device.NewNodeUsage(halfFull(tb, set, "m", n, asMIG).Info())
}

// TestAllocations: refusing a node allocates nothing; accepting it at most four times, whatever is granted.
func TestAllocations(t *testing.T) {
	if raceEnabled {
		t.Skip("the race detector makes pools allocate")
	}
	set := vendors.Default()
	cards, mig, full := halfFull(t, set, "n", 8), idleMIG(t, set, 8), halfFull(t, set, "m", 8, asMIG)
	for _, c := range []struct {
		name        string
		node        *device.NodeUsage
		limits      map[string]string
		annotations []string
		fits        bool
		most        float64
	}{
		{"refuse/memory", cards, gpus("1", "16000"), nil, false, 0},
		{"refuse/too-many", cards, gpus("9", "1"), nil, false, 0},
		{"refuse/type", cards, gpus("1", "4000"), []string{"nvidia.com/use-gputype", "A100,H100"}, false, 0},
		{"refuse/uuid", cards, gpus("1", "4000"), []string{"nvidia.com/use-gpuuuid", "GPU-x,GPU-y"}, false, 0},
		{"refuse/mode", cards, gpus("1", "4000"), []string{"nvidia.com/vgpu-mode", "mig"}, false, 0},
		{"refuse/mutex", cards, gpus("1", "4000"), []string{device.AnnotationDevicePolicy, "mutex"}, false, 0},
		{"refuse/numa-bind", cards, gpus("5", "4000"), []string{device.AnnotationNUMABind, "true"}, false, 0},
		{"refuse/topology-aware", cards, gpus("1", "16000"), []string{device.AnnotationDevicePolicy, "topology-aware"}, false, 0},
		{"refuse/mig", mig, gpus("1", "20000"), nil, false, 0},
		{"refuse/mig-full", full, gpus("1", "4000"), nil, false, 0},
		{"refuse/mig-too-many", mig, gpus("25", "9000"), nil, false, 0},
		{"accept/1", cards, gpus("1", "4000"), nil, true, 4},
		{"accept/4", cards, gpus("4", "4000"), nil, true, 4},
		{"accept/numa-bind", cards, gpus("4", "4000"), []string{device.AnnotationNUMABind, "true"}, true, 4},
		{"accept/mig", mig, gpus("1", "4000"), nil, true, 4},
		{"accept/mig-8", mig, gpus("8", "4000"), nil, true, 4},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := request(t, set, asking(c.limits, c.annotations...))
			if fit := set.Fit(r, c.node); fit.OK() != c.fits {
				t.Fatalf("fits %t: %s", fit.OK(), fit.Reasons)
			}
			if n := testing.AllocsPerRun(200, func() { set.Fit(r, c.node) }); n > c.most {
				t.Errorf("%v allocations, at most %v", n, c.most)
			}
		})
	}
}
