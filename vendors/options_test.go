package vendors_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"

	"github.com/accelfit/accelfit/device"
	"github.com/accelfit/accelfit/vendors"
)

// unhurried are options that exclude nothing, in the way of functions.
func unhurried() vendors.FitOptions {
	return vendors.FitOptions{
		Only:     func(*device.NodeInfo, *device.DeviceInfo) bool { return true },
		Reserved: func(*device.NodeInfo, *device.DeviceInfo) int64 { return -1 },
	}
}

// TestOptionsThatAllowEverything: the decision is the one without options, whatever the order of WithQuota and With.
func TestOptionsThatAllowEverything(t *testing.T) {
	set := vendors.Default()
	situations(t, 3000, nil, func(s *situation) {
		for _, r := range []*vendors.Request{
			s.req.With(unhurried()), s.req.With(vendors.FitOptions{}), s.req.With(unhurried()).WithQuota(s.spec.headroom()),
		} {
			if got := set.Fit(r, s.node); !reflect.DeepEqual(got, s.fit) {
				t.Fatalf("%s: %+v, want %+v", s, got, s.fit)
			}
		}
	})
	eachBackend(t, func(name string, set *vendors.Set, r *vendors.Request, idle, full *device.NodeUsage) {
		for _, node := range []*device.NodeUsage{idle, full} {
			if got, want := set.Fit(r.With(unhurried()), node), set.Fit(r, node); !reflect.DeepEqual(got, want) {
				t.Errorf("%s: %+v, want %+v", name, got, want)
			}
		}
	})
}

// TestOnlyIsLikeTheOthersBeingSick: the same devices are given as when the node agent reports the others as unhealthy, and
// as many count as excluded as would count as sick.
func TestOnlyIsLikeTheOthersBeingSick(t *testing.T) {
	set := vendors.Default()
	rnd := rand.New(rand.NewPCG(1, 2))
	situations(t, 3000, nil, func(s *situation) {
		out := map[string]bool{}
		sick := s.node.Update(func(devices []device.DeviceUsage) {
			for i := range devices {
				if chance(rnd, 40) {
					out[s.node.Info().Device(i).ID] = true
					devices[i].Healthy = false
				}
			}
		})
		only := vendors.FitOptions{Only: func(_ *device.NodeInfo, d *device.DeviceInfo) bool { return !out[d.ID] }}
		got, want := set.Fit(s.req.With(only), s.node), set.Fit(s.req, sick)
		if !reflect.DeepEqual(got.Allocation, want.Allocation) {
			t.Fatalf("%s without %v: %+v, want %+v", s, out, got.Allocation, want.Allocation)
		}
		excluded := got.Reasons.Count(device.CardExcluded) + got.Reasons.Count(device.CardNotHealth)
		if sick := want.Reasons.Count(device.CardNotHealth); excluded != sick {
			t.Fatalf("%s without %v: %s, want as %s", s, out, got.Reasons, want.Reasons)
		}
	})
}

// TestReservedIsLikeMemoryTaken: a single card serves a request for an amount as if the reserved memory were in use.
func TestReservedIsLikeMemoryTaken(t *testing.T) {
	set := vendors.Default()
	rnd := rand.New(rand.NewPCG(3, 4))
	named := func(_ *rand.Rand, s *situation) bool {
		return len(s.spec.containers) == 1 && s.spec.containers[0].mem > 0 && !slices.ContainsFunc(s.cards, func(c naiveCard) bool { return c.Mode == device.ModeMIG })
	}
	situations(t, 2000, named, func(s *situation) {
		reserved := int64(rnd.IntN(12000))
		keep := vendors.FitOptions{Reserved: func(*device.NodeInfo, *device.DeviceInfo) int64 { return reserved }}
		taken := s.node.Update(func(devices []device.DeviceUsage) {
			for i := range devices {
				devices[i].Memory += reserved
			}
		})
		if got, want := set.Fit(s.req.With(keep), s.node), set.Fit(s.req, taken); got.OK() != want.OK() {
			t.Fatalf("%s, %d MiB reserved: %+v, want %+v", s, reserved, got, want)
		}
	})
}

// TestChooser: the caller's pick is what is given, in the caller's order, or nothing.
func TestChooser(t *testing.T) {
	set := vendors.Default()
	node := halfFull(t, set, "n", 8) // 12288 MiB left on each card
	answer := func(at ...int) device.Chooser {
		return func(*device.ContainerFit, *device.Reasons) []int { return at }
	}
	last := func(f *device.ContainerFit, _ *device.Reasons) []int { return f.Ints(1) }
	lastTwo := func(f *device.ContainerFit, _ *device.Reasons) []int {
		return []int{len(f.Granted) - 1, len(f.Granted) - 2}
	}
	for name, c := range map[string]struct {
		nums, memory string
		annotations  []string
		choose       device.Chooser
		want         string // ids, or the reasons
	}{
		"first of the granted":    {"1", "4000", nil, last, ""},
		"last two":                {"2", "4000", nil, lastTwo, ""},
		"nothing":                 {"1", "4000", nil, answer(), "8/8 CardExcluded"},
		"too many":                {"1", "4000", nil, answer(0, 1), "8/8 CardExcluded"},
		"twice the same":          {"2", "4000", nil, answer(1, 1), "8/8 CardExcluded"},
		"out of range":            {"1", "4000", nil, answer(8), "8/8 CardExcluded"},
		"negative":                {"1", "4000", nil, answer(math.MinInt), "8/8 CardExcluded"},
		"not asked for too few":   {"5", "4000", []string{"nvidia.com/use-gpuuuid", "GPU-n-00,GPU-n-01,GPU-n-02,GPU-n-03"}, answer(0, 1, 2, 3, 4), "4/8 AllocatedCardsInsufficientRequest, 4/8 CardUuidMismatch"},
		"each NUMA node":          {"2", "4000", []string{device.AnnotationNUMABind, "true"}, lastTwo, ""},
		"no NUMA node has enough": {"5", "4000", []string{device.AnnotationNUMABind, "true"}, answer(0, 1, 2, 3, 4), "8/8 NumaNotFit"},
		"beside the vendor's own": {"2", "4000", []string{device.AnnotationDevicePolicy, "topology-aware"}, lastTwo, ""},
	} {
		t.Run(name, func(t *testing.T) {
			var seen []device.Grant
			choose := func(f *device.ContainerFit, why *device.Reasons) []int {
				seen = slices.Clone(f.Granted)
				return c.choose(f, why)
			}
			r := request(t, set, asking(gpus(c.nums, c.memory), c.annotations...)).With(vendors.FitOptions{Choose: choose})
			fit := set.Fit(r, node)
			if c.want != "" {
				if fit.OK() || fit.Reasons.String() != c.want {
					t.Errorf("%+v %q, want %q", fit.Allocation, fit.Reasons, c.want)
				}
				return
			}
			picked := c.choose(&device.ContainerFit{Granted: seen}, nil)
			var got, want []string
			for _, at := range picked {
				want = append(want, node.Info().Device(seen[at].Device).ID)
			}
			if fit.OK() {
				for _, d := range fit.Allocation.Devices {
					got = append(got, d.ID)
				}
			}
			if !slices.Equal(got, want) {
				t.Errorf("%v (%s), want %v", got, fit.Reasons, want)
			}
		})
	}
}

// TestChooserUnderQuota: the quota holds for what the caller picks.
func TestChooserUnderQuota(t *testing.T) {
	set := vendors.Default()
	node := halfFull(t, set, "n", 8)
	left := map[device.Vendor]device.Headroom{"NVIDIA": {Memory: device.Limit{Left: 9000, Set: true}}}
	first := vendors.FitOptions{Choose: func(f *device.ContainerFit, _ *device.Reasons) []int { return f.Ints(1) }}
	r := request(t, set, asking(gpus("1", "4000"))).With(first).WithQuota(left)
	if fit := set.Fit(r, node); !fit.OK() {
		t.Errorf("4000 of 9000 MiB: %s", fit.Reasons)
	}
	r = request(t, set, asking(gpus("1", "9001"))).WithQuota(left).With(first)
	if fit := set.Fit(r, node); fit.OK() || !fit.Reasons.Has(device.ResourceQuotaNotFit) {
		t.Errorf("9001 of 9000 MiB: %+v %s", fit.Allocation, fit.Reasons)
	}
}

func TestShapeUnderOptions(t *testing.T) {
	set := vendors.Default()
	r := request(t, set, asking(gpus("1", "4000")))
	shape := func(o vendors.FitOptions) string { return r.With(o).Shape() }
	only := unhurried()
	if got := shape(only); got != "" {
		t.Errorf("functions without a key: %q", got)
	}
	only.Key = "a"
	other := only
	other.Key = "b"
	shapes := []string{r.Shape(), shape(vendors.FitOptions{ExactModel: true}), shape(only), shape(other)}
	slices.Sort(shapes)
	if len(slices.Compact(shapes)) != 4 || shapes[0] == "" {
		t.Errorf("shapes are not told apart: %q", shapes)
	}
	if shape(vendors.FitOptions{Key: "a"}) != r.Shape() || r.With(vendors.FitOptions{}) != r {
		t.Error("options that ask for nothing change the request")
	}
	if s := r.With(only).With(unhurried()).Shape(); s != "" {
		t.Errorf("options on options without a key: %q", s)
	}
}

// TestHostileOptions: amounts of any size neither wrap around nor make more fit. 12288 MiB are left on each card.
func TestHostileOptions(t *testing.T) {
	set := vendors.Default()
	node := halfFull(t, set, "n", 8)
	for _, memory := range []int64{4000, 12288, 0} {
		limits := map[string]string{"nvidia.com/gpu": "1", "nvidia.com/gpumem": fmt.Sprint(memory)}
		if memory == 0 { // half of what is there and not reserved
			limits = map[string]string{"nvidia.com/gpu": "1", "nvidia.com/gpumem-percentage": "50"}
		}
		for _, n := range []int64{math.MinInt64, -1, 0, 1, 8288, 8289, 24576, 1 << 40, math.MaxInt64} {
			o := vendors.FitOptions{Reserved: func(*device.NodeInfo, *device.DeviceInfo) int64 { return n }}
			fit := set.Fit(request(t, set, asking(limits)).With(o), node)
			reserved := min(max(0, n), 24576)
			want := memory
			if memory == 0 {
				want = (24576 - reserved) / 2
			}
			if ok := want <= 12288-reserved || want == 0; fit.OK() != ok {
				t.Errorf("%d MiB, %d MiB reserved: fits %t: %s", memory, n, fit.OK(), fit.Reasons)
			}
			if fit.OK() && fit.Allocation.Devices[0].Memory != want {
				t.Errorf("%d MiB, %d MiB reserved: %+v, want %d MiB", memory, n, fit.Allocation, want)
			}
			if !fit.OK() && fit.Reasons.String() != "8/8 CardMemoryReserved" {
				t.Errorf("%d MiB, %d MiB reserved: %s", memory, n, fit.Reasons)
			}
		}
	}
}

func BenchmarkFitOptions(b *testing.B) {
	set := vendors.Default()
	node := halfFull(b, set, "n", 8)
	plain := request(b, set, asking(gpus("1", "16000")))
	for _, c := range []struct {
		name    string
		options vendors.FitOptions
	}{
		{"none", vendors.FitOptions{}},
		{"only", vendors.FitOptions{Only: unhurried().Only}},
		{"reserved", vendors.FitOptions{Reserved: unhurried().Reserved}},
		{"all", vendors.FitOptions{Only: unhurried().Only, Reserved: unhurried().Reserved, ExactModel: true}},
	} {
		r := plain.With(c.options)
		b.Run(fmt.Sprintf("refuse/%s", c.name), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				set.Fit(r, node)
			}
		})
	}
}

// TestOnlyForEveryBackend: of every vendor's devices the one that is allowed serves, or none, and the reasons say so.
func TestOnlyForEveryBackend(t *testing.T) {
	eachBackend(t, func(name string, set *vendors.Set, r *vendors.Request, idle, _ *device.NodeUsage) {
		given := map[string]bool{}
		for i := range idle.Info().Len() {
			id := idle.Info().Device(i).ID
			fit := set.Fit(r.With(vendors.FitOptions{Only: vendors.OnlyIDs(id)}), idle)
			if fit.OK() {
				given[fit.Allocation.Devices[0].ID] = true
			}
			if fit.OK() && fit.Allocation.Devices[0].ID != id {
				t.Errorf("%s: %s was given, not %s", name, fit.Allocation.Devices[0].ID, id)
			}
		}
		if len(given) == 0 {
			t.Errorf("%s: no device serves where it is the only one", name)
		}
		fit := set.Fit(r.With(vendors.FitOptions{Only: vendors.OnlyIDs()}), idle)
		if fit.OK() || fit.Reasons.Count(device.CardExcluded) != idle.Info().Len() {
			t.Errorf("%s without devices: %+v %s", name, fit.Allocation, fit.Reasons)
		}
		all := vendors.FitOptions{Reserved: func(_ *device.NodeInfo, d *device.DeviceInfo) int64 { return d.Memory }}
		if fit := set.Fit(r.With(all), idle); fit.OK() && fit.Allocation.Devices[0].Memory > 0 {
			t.Errorf("%s: %+v though all memory is reserved", name, fit.Allocation)
		}
		last := vendors.FitOptions{Choose: func(f *device.ContainerFit, _ *device.Reasons) []int { return []int{len(f.Granted) - 1} }}
		if fit := set.Fit(r.With(last), idle); !fit.OK() {
			t.Errorf("%s: the last of the granted devices is not given: %s", name, fit.Reasons)
		}
	})
}
