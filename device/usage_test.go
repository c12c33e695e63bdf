package device_test

import (
	"cmp"
	"math"
	"math/big"
	"math/rand/v2"
	"slices"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/accelfit/accelfit/device"
	"github.com/accelfit/accelfit/internal/testkit"
)

// TestWithoutUndoesWith is the law n.With(a).Without(a) = n, to the order of the instances. It also says that neither has
// an effect on the value it is called on.
func TestWithoutUndoesWith(t *testing.T) {
	r := testkit.Rand(t)
	for range rounds {
		n, a := randomNode(r), randomAllocation(r)
		before, allocation := n.DeepCopy(), a.DeepCopy()
		with := n.With(a)
		after := with.DeepCopy()
		back := with.Without(a)
		if diff := gocmp.Diff(before.Devices(), back.Devices()); diff != "" {
			t.Fatalf("With then Without of %+v:\n%s", a, diff)
		}
		if diff := gocmp.Diff(before.Devices(), n.Devices()); diff != "" {
			t.Fatalf("With changed its receiver:\n%s", diff)
		}
		if diff := gocmp.Diff(after.Devices(), with.Devices()); diff != "" {
			t.Fatalf("Without changed its receiver:\n%s", diff)
		}
		if diff := gocmp.Diff(allocation, a, cmpopts.EquateEmpty()); diff != "" {
			t.Fatalf("the allocation was changed:\n%s", diff)
		}
	}
}

// TestWithoutGivesBackInAnyOrder: pods leave in another order than they came; in the end nothing is left.
func TestWithoutGivesBackInAnyOrder(t *testing.T) {
	r := testkit.Rand(t)
	for range rounds {
		empty := device.NewNodeUsage(randomNode(r).Info())
		pods := []*device.Allocation{randomAllocation(r), randomAllocation(r), randomAllocation(r)}
		n := empty
		for _, a := range pods {
			n = n.With(a)
		}
		r.Shuffle(len(pods), func(i, j int) { pods[i], pods[j] = pods[j], pods[i] })
		for _, a := range pods {
			n = n.Without(a)
		}
		if diff := gocmp.Diff(empty.Devices(), n.Devices()); diff != "" {
			t.Fatalf("something is left of %+v:\n%s", pods, diff)
		}
	}
}

// TestWithoutNeverBelowZero: giving back what was never taken leaves nothing, not less.
func TestWithoutNeverBelowZero(t *testing.T) {
	r := testkit.Rand(t)
	for range rounds {
		n := randomNode(r).Without(randomAllocation(r))
		for i, u := range n.Devices() {
			if u.Slots < 0 || u.Memory < 0 || u.Cores < 0 {
				t.Fatalf("device %d: %+v", i, u)
			}
		}
	}
}

// TestWithAgreesWithCollapse: what a node gains by a pod is what the pod holds.
func TestWithAgreesWithCollapse(t *testing.T) {
	r := testkit.Rand(t)
	for range rounds {
		n, a := randomNode(r), randomAllocation(r)
		with := n.With(a)
		for _, h := range a.Collapse() {
			i := n.Info().Find(h.Vendor, h.ID)
			if i < 0 {
				continue
			}
			was, is := n.Device(i), with.Device(i)
			if is.Slots-was.Slots != h.Slots || is.Memory-was.Memory != h.Memory || is.Cores-was.Cores != h.Cores ||
				len(is.MIG())-len(was.MIG()) != len(h.MIG) {
				t.Fatalf("%+v became %+v by %+v", was, is, h)
			}
			if is.Healthy != was.Healthy {
				t.Fatalf("health changed: %+v", h)
			}
		}
	}
}

func TestUpdateLeavesReceiverAlone(t *testing.T) {
	n := device.NewNodeUsage(device.NewNodeInfo("n1", device.Inventory{
		Vendor: "NVIDIA", Devices: []device.DeviceInfo{{ID: "a"}, {ID: "b", Healthy: true}},
	}))
	out := n.Update(func(devices []device.DeviceUsage) {
		devices[0] = device.DeviceUsage{Slots: 7, State: device.MIGState{{Profile: "p"}}}
	})
	if diff := gocmp.Diff([]device.DeviceUsage{{}, {Healthy: true}}, n.Devices()); diff != "" {
		t.Errorf("receiver:\n%s", diff)
	}
	if diff := gocmp.Diff([]device.DeviceUsage{{Slots: 7, State: device.MIGState{{Profile: "p"}}}, {Healthy: true}}, out.Devices()); diff != "" {
		t.Errorf("result:\n%s", diff)
	}
	if out.Info() != n.Info() {
		t.Error("the description was copied")
	}
}

// TestCollapseAgainstTimeline compares Collapse with a second way to say the same: the life of a pod is a sequence of
// phases, in each of which the sidecars run together with one entry of one init container or with all app containers. What
// is held is the most that any phase takes.
func TestCollapseAgainstTimeline(t *testing.T) {
	r := testkit.Rand(t)
	for range rounds {
		a := randomAllocation(r)
		if diff := gocmp.Diff(timeline(a), a.Collapse()); diff != "" {
			t.Fatalf("%+v (-timeline +collapse):\n%s", a, diff)
		}
	}
}

// TestCollapseTakesAnyOrder: the amounts do not depend on the order in which devices are listed.
func TestCollapseTakesAnyOrder(t *testing.T) {
	r := testkit.Rand(t)
	for range rounds {
		a := randomAllocation(r)
		b := a.DeepCopy()
		r.Shuffle(len(b.Devices), func(i, j int) { b.Devices[i], b.Devices[j] = b.Devices[j], b.Devices[i] })
		sortInstances := cmpopts.SortSlices(func(x, y device.MIGInstance) bool { return compareInstances(x, y) < 0 })
		if diff := gocmp.Diff(a.Collapse(), b.Collapse(), sortInstances); diff != "" {
			t.Fatalf("%+v:\n%s", a, diff)
		}
	}
}

func compareInstances(x, y device.MIGInstance) int {
	return cmp.Or(cmp.Compare(x.Profile, y.Profile), cmp.Compare(x.Placement.Start, y.Placement.Start),
		cmp.Compare(x.Placement.Size, y.Placement.Size))
}

func timeline(a *device.Allocation) []device.Hold {
	type key struct {
		vendor device.Vendor
		id     string
	}
	var keys []key
	for _, d := range a.Devices {
		if k := (key{d.Vendor, d.ID}); !slices.Contains(keys, k) {
			keys = append(keys, k)
		}
	}
	slices.SortFunc(keys, func(x, y key) int { return cmp.Or(cmp.Compare(x.vendor, y.vendor), cmp.Compare(x.id, y.id)) })
	var out []device.Hold
	for _, k := range keys {
		var mine []device.ContainerDevice
		hold := device.Hold{Vendor: k.vendor, ID: k.id, Slots: 1}
		for _, d := range a.Devices {
			if d.Vendor == k.vendor && d.ID == k.id {
				mine = append(mine, d)
				if !d.MIG.IsZero() {
					hold.MIG = append(hold.MIG, d.MIG)
				}
			}
		}
		for _, running := range phases(a.Classes, mine) {
			var memory, cores int64
			for _, d := range running {
				memory, cores = memory+d.Memory, cores+d.Cores
			}
			hold.Slots = max(hold.Slots, int64(len(running)))
			hold.Memory, hold.Cores = max(hold.Memory, memory), max(hold.Cores, cores)
		}
		out = append(out, hold)
	}
	return out
}

// phases lists what runs together.
func phases(classes []device.ContainerClass, entries []device.ContainerDevice) [][]device.ContainerDevice {
	var sidecars, apps []device.ContainerDevice
	for _, d := range entries {
		switch classes[d.Container] {
		case device.Sidecar:
			sidecars = append(sidecars, d)
		case device.App:
			apps = append(apps, d)
		}
	}
	out := [][]device.ContainerDevice{slices.Concat(sidecars, apps)}
	for _, d := range entries {
		if classes[d.Container] == device.Init {
			out = append(out, append(slices.Clone(sidecars), d))
		}
	}
	return out
}

// TestReleasedHoldsNoMore: a pod holds less, or the same, once its init containers have ended, and releasing twice is
// releasing once.
func TestReleasedHoldsNoMore(t *testing.T) {
	r := testkit.Rand(t)
	for range rounds {
		a := randomAllocation(r)
		rest := a.Released()
		if diff := gocmp.Diff(rest, rest.Released(), cmpopts.EquateEmpty()); diff != "" {
			t.Fatalf("released again:\n%s", diff)
		}
		life := map[string]device.Hold{}
		for _, h := range a.Collapse() {
			life[string(h.Vendor)+"/"+h.ID] = h
		}
		for _, h := range rest.Collapse() {
			l := life[string(h.Vendor)+"/"+h.ID]
			if h.Slots > l.Slots || h.Memory > l.Memory || h.Cores > l.Cores || len(h.MIG) > len(l.MIG) {
				t.Fatalf("released %+v of %+v", h, l)
			}
		}
	}
}

// TestVendorsAndOf: an allocation is the sum of its vendors' parts.
func TestVendorsAndOf(t *testing.T) {
	r := testkit.Rand(t)
	for range rounds {
		a := randomAllocation(r)
		var together []device.ContainerDevice
		vendors := a.Vendors()
		for _, v := range vendors {
			together = append(together, a.Of(v)...)
		}
		if diff := gocmp.Diff(a.Devices, together, cmpopts.EquateEmpty()); diff != "" {
			t.Fatalf("parts of %v:\n%s", vendors, diff)
		}
		if !slices.IsSorted(vendors) || a.Of("none") != nil {
			t.Fatalf("vendors %v, devices of no vendor %v", vendors, a.Of("none"))
		}
	}
}

// TestOfCannotGrowIntoNeighbour: appending to one vendor's part must not overwrite the next one's.
func TestOfCannotGrowIntoNeighbour(t *testing.T) {
	a := &device.Allocation{Devices: []device.ContainerDevice{{Vendor: "A", ID: "a"}, {Vendor: "B", ID: "b"}}}
	_ = append(a.Of("A"), device.ContainerDevice{ID: "intruder"})
	if a.Devices[1].ID != "b" {
		t.Errorf("device 1 is %+v", a.Devices[1])
	}
}

func TestPercentAgainstBigNumbers(t *testing.T) {
	r := testkit.Rand(t)
	for range rounds {
		amount, percent := r.Int64()>>r.IntN(63), r.Int64N(101)
		want := new(big.Int).Mul(big.NewInt(amount), big.NewInt(percent))
		want.Div(want, big.NewInt(100))
		if got := device.Percent(amount, percent); want.Cmp(big.NewInt(got)) != 0 {
			t.Fatalf("%d %% of %d is %d, want %v", percent, amount, got, want)
		}
	}
}

// TestSumAndProductAgainstBigNumbers: what would wrap around stays at the largest amount (D12).
func TestSumAndProductAgainstBigNumbers(t *testing.T) {
	r := testkit.Rand(t)
	most := big.NewInt(math.MaxInt64)
	capped := func(n *big.Int) int64 {
		if n.Cmp(most) > 0 {
			return math.MaxInt64
		}
		return n.Int64()
	}
	for range rounds {
		a, b := r.Int64()>>r.IntN(63), r.Int64()>>r.IntN(63)
		x, y := big.NewInt(a), big.NewInt(b)
		if got, want := device.Sum(a, b), capped(new(big.Int).Add(x, y)); got != want {
			t.Fatalf("%d + %d is %d, want %d", a, b, got, want)
		}
		if got, want := device.Product(a, b), capped(new(big.Int).Mul(x, y)); got != want {
			t.Fatalf("%d × %d is %d, want %d", a, b, got, want)
		}
	}
}

// TestUsageDoesNotWrapAround: the largest amounts add up to the largest amount, not to a negative one.
func TestUsageDoesNotWrapAround(t *testing.T) {
	n := device.NewNodeUsage(device.NewNodeInfo("n1", device.Inventory{Vendor: "NVIDIA", Devices: []device.DeviceInfo{{ID: "a"}}}))
	d := device.ContainerDevice{Vendor: "NVIDIA", ID: "a", Memory: math.MaxInt64, Cores: math.MaxInt64}
	a := &device.Allocation{
		Classes: []device.ContainerClass{device.App}, Devices: []device.ContainerDevice{d, d},
	}
	u := n.With(a).With(a).Device(0)
	if u.Slots != 4 || u.Memory != math.MaxInt64 || u.Cores != math.MaxInt64 {
		t.Errorf("%+v", u)
	}
}

func TestMemoryOn(t *testing.T) {
	for _, test := range []struct {
		why  string
		ask  device.ContainerRequest
		want int64
	}{
		{"an amount counts as it is", device.ContainerRequest{Memory: 500, MemoryPercent: 50}, 500},
		{"a share is rounded down", device.ContainerRequest{MemoryPercent: 33}, 330},
		{"neither given: nothing", device.ContainerRequest{MemoryPercent: device.PercentUnset}, 0},
		{"no share is no memory", device.ContainerRequest{}, 0},
		{"all of it", device.ContainerRequest{MemoryPercent: 100}, 1001},
	} {
		if got := test.ask.MemoryOn(1001); got != test.want {
			t.Errorf("%s: %d, want %d", test.why, got, test.want)
		}
	}
}

// TestReasonsRoundTrip: the text of reasons gives back their counts.
func TestReasonsRoundTrip(t *testing.T) {
	r := testkit.Rand(t)
	for range rounds {
		reasons, want := randomReasons(r)
		if diff := gocmp.Diff(want, device.ParseReasons(reasons.String())); diff != "" {
			t.Fatalf("%s:\n%s", reasons.String(), diff)
		}
	}
}

func randomReasons(r *rand.Rand) (device.Reasons, map[device.Code]int64) {
	reasons, want := device.Reasons{Total: r.IntN(20)}, map[device.Code]int64{}
	for _, c := range device.Codes() {
		if n := r.IntN(30); c < device.NodeInsufficientDevice && n < 12 {
			reasons.Add(c, n)
			if n > 0 {
				want[c] = int64(n)
			}
		}
	}
	return reasons, want
}
