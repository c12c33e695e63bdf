//go:build !race

package vendors_test // the race detector makes pools allocate

import (
	"testing"

	"github.com/accelfit/accelfit/device"
	"github.com/accelfit/accelfit/vendors"
)

// TestAllocations: refusing a node allocates nothing; accepting it at most four times, whatever is granted.
func TestAllocations(t *testing.T) {
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

// TestQuotaAllocatesNothing: a limit on the namespace does not change that.
func TestQuotaAllocatesNothing(t *testing.T) {
	set := vendors.Default()
	node := halfFull(t, set, "n", 8)
	left := map[device.Vendor]device.Headroom{"NVIDIA": {Memory: device.Limit{Left: 3000, Set: true}}}
	r := request(t, set, asking(gpus("1", "4000"))).WithQuota(left)
	if fit := set.Fit(r, node); fit.Reasons.String() != "8/8 ResourceQuotaNotFit" {
		t.Fatal(fit.Reasons)
	}
	if n := testing.AllocsPerRun(200, func() { set.Fit(r, node) }); n > 0 {
		t.Errorf("%v allocations", n)
	}
}

// TestEveryBackendAllocatesLittle: refusing a node allocates nothing, accepting it the answer and little more.
func TestEveryBackendAllocatesLittle(t *testing.T) {
	eachBackend(t, func(name string, set *vendors.Set, r *vendors.Request, idle, full *device.NodeUsage) {
		if n := testing.AllocsPerRun(200, func() { set.Fit(r, full) }); n > 0 {
			t.Errorf("%s: refusing allocates %v times", name, n)
		}
		if n := testing.AllocsPerRun(200, func() { set.Fit(r, idle) }); n > 2 {
			t.Errorf("%s: accepting allocates %v times, at most 2", name, n)
		}
	})
}

// TestOptionsAllocateNothing: nor does refusing under a caller's options.
func TestOptionsAllocateNothing(t *testing.T) {
	set := vendors.Default()
	node := halfFull(t, set, "n", 8)
	none := vendors.FitOptions{Only: vendors.OnlyIDs("none"), Reserved: unhurried().Reserved, ExactModel: true}
	r := request(t, set, asking(gpus("1", "4000"), "nvidia.com/use-gputype", "A100,H100")).With(none)
	if fit := set.Fit(r, node); fit.Reasons.String() != "8/8 CardExcluded" {
		t.Fatal(fit.Reasons)
	}
	if n := testing.AllocsPerRun(200, func() { set.Fit(r, node) }); n > 0 {
		t.Errorf("refusing allocates %v times", n)
	}
}
