package engine_test

import (
	"fmt"
	"testing"

	"github.com/accelfit/accelfit/device"
	"github.com/accelfit/accelfit/internal/engine"
	"github.com/accelfit/accelfit/score"
)

// The loop as a whole is compared with a plain second implementation in package vendors. Here is what a backend's plan can do
// that no backend does in all ways.

func node(word device.Vendor, n int) device.Inventory {
	inv := device.Inventory{Vendor: word}
	for i := range n {
		inv.Devices = append(inv.Devices, device.DeviceInfo{
			ID: fmt.Sprintf("%s%d", word, i), Index: i, Slots: 2, Memory: 1000, Cores: 100, NUMA: i / 2, Healthy: true,
		})
	}
	return inv
}

func usage(inventories ...device.Inventory) *device.NodeUsage {
	return device.NewNodeUsage(device.NewNodeInfo("n", inventories...))
}

func plan(word device.Vendor, nums, memory int64) engine.Plan {
	rules := []device.Rule{
		{Code: device.CardTimeSlicingExhausted, Check: device.HasSlot},
		{Code: device.CardInsufficientMemory, Check: device.HasMemory},
	}
	return engine.Plan{Plan: device.Plan{
		Ask: device.ContainerRequest{Vendor: word, Nums: nums, Memory: memory}, Rules: device.NewTable(rules),
	}}
}

// pod has a container for each list of plans.
func pod(containers ...[]engine.Plan) *engine.Pod {
	p := &engine.Pod{Policy: score.ParsePolicy(score.Spread, false), Weights: score.DefaultWeights()}
	for i, plans := range containers {
		p.Classes = append(p.Classes, device.App)
		c := engine.Container{Position: i, Plans: plans}
		for _, x := range plans {
			c.Asks = append(c.Asks, x.Ask)
		}
		p.Containers = append(p.Containers, c)
	}
	return p
}

func ids(a *device.Allocation) (out []string) {
	if a == nil {
		return nil
	}
	for _, d := range a.Devices {
		out = append(out, d.ID)
	}
	return out
}

// TestChooser: a chooser sees every device that passed, and its answer is booked in its order. Without an answer the container is
// refused for having found so many devices, unless the chooser says why.
func TestChooser(t *testing.T) {
	var silent, speaking device.Reasons
	silent.Total, silent.Vendor = 4, "A"
	silent.Set(device.AllocatedCardsInsufficientRequest, 4)
	speaking.Total, speaking.Vendor = 4, "A"
	speaking.Set(device.ModeNotFit, 3)
	for _, c := range []struct {
		name   string
		choose device.Chooser
		want   string
		why    device.Reasons
	}{
		{"some", func(*device.ContainerFit, *device.Reasons) []int { return []int{2, 0} }, "[A1 A3]", device.Reasons{}},
		{"none", func(*device.ContainerFit, *device.Reasons) []int { return nil }, "[]", silent},
		{"too few", func(*device.ContainerFit, *device.Reasons) []int { return []int{1} }, "[]", silent},
		{"none, with a reason", func(_ *device.ContainerFit, why *device.Reasons) []int { why.Set(device.ModeNotFit, 3); return nil }, "[]", speaking},
	} {
		p := plan("A", 2, 100)
		seen := 0
		p.Choose = func(f *device.ContainerFit, why *device.Reasons) []int {
			seen = len(f.Granted)
			return c.choose(f, why)
		}
		var s engine.Scratch
		a := s.Fit(pod([]engine.Plan{p}), usage(node("A", 4)), nil)
		if got := fmt.Sprint(ids(a)); got != c.want || seen != 4 {
			t.Errorf("%s: %s of %d seen, want %s of 4", c.name, got, seen, c.want)
		}
		if a == nil && (s.Why.String() != c.why.String() || s.Why.Vendor != c.why.Vendor) {
			t.Errorf("%s: %+v, want %+v", c.name, s.Why, c.why)
		}
	}
}

// TestChoosersHaveMemory: the memory for choosers is zero and apart however often it is asked for, and costs nothing the second
// time.
func TestChoosersHaveMemory(t *testing.T) {
	p := plan("A", 2, 100)
	p.Choose = func(f *device.ContainerFit, _ *device.Reasons) []int {
		a, b := f.Ints(3), f.Ints(40)
		for i := range a {
			if a[i] != 0 || b[i] != 0 {
				t.Fatalf("%v %v", a, b)
			}
			a[i], b[i] = 5, 6
		}
		if c := f.Ints(2); a[2] != 5 || b[0] != 6 || cap(a) != 3 {
			t.Fatalf("%v %v %v", a, b, c)
		}
		return append(f.Ints(2)[:0], 3, 1)
	}
	var s engine.Scratch
	u, pod := usage(node("A", 4)), pod([]engine.Plan{p})
	if got := fmt.Sprint(ids(s.Fit(pod, u, nil))); got != "[A0 A2]" {
		t.Errorf("given %s", got)
	}
	if n := testing.AllocsPerRun(100, func() { s.Fit(pod, u, nil) }); n > 2 {
		t.Errorf("%v allocations", n)
	}
}

// TestBookingIsSeenLater: what one vendor of a container, or one container, was given is taken for those behind.
func TestBookingIsSeenLater(t *testing.T) {
	var s engine.Scratch
	a := s.Fit(pod(
		[]engine.Plan{plan("A", 1, 600), plan("B", 1, 600)},
		[]engine.Plan{plan("A", 1, 600), plan("B", 1, 600)},
	), usage(node("A", 2), node("B", 2)), nil)
	if got := fmt.Sprint(ids(a)); got != "[A1 A0 B1 B0]" {
		t.Errorf("given %s (%s)", got, s.Why)
	}
	a = s.Fit(pod([]engine.Plan{plan("A", 1, 600)}, []engine.Plan{plan("A", 1, 600), plan("B", 3, 1)}), usage(node("A", 2), node("B", 2)), nil)
	if a != nil || s.Why.Container != 1 || s.Why.Vendor != "B" || s.Why.Node != device.NodeInsufficientDevice {
		t.Errorf("given %v, refused as %+v", ids(a), s.Why)
	}
}

// TestScratchKeepsNothing: an attempt does not depend on the one before, whatever its size.
func TestScratchKeepsNothing(t *testing.T) {
	var used engine.Scratch
	for i := range 200 {
		n, nums := 1+i*7%13, int64(1+i*5%11)
		p := pod([]engine.Plan{plan("A", nums, 400)}, []engine.Plan{plan("A", 1, 700)})
		u := usage(node("A", n), node("B", i%3))
		var fresh engine.Scratch
		want, got := fresh.Fit(p, u, nil), used.Fit(p, u, nil)
		if fmt.Sprint(ids(got)) != fmt.Sprint(ids(want)) || got == nil && used.Why != fresh.Why {
			t.Fatalf("%d devices, %d asked for: %v (%s), with new memory %v (%s)", n, nums, ids(got), used.Why, ids(want), fresh.Why)
		}
	}
}

// TestTraceTellsAll: every device is told of once, those behind the ones that serve too, and the answer is the same as without.
func TestTraceTellsAll(t *testing.T) {
	u := usage(node("A", 4)).Update(func(d []device.DeviceUsage) { d[2].Memory = 950 })
	var s engine.Scratch
	var told []string
	a := s.Fit(pod([]engine.Plan{plan("A", 2, 100)}), u, func(container int, rule *device.Rule, c *device.Candidate) {
		text := fmt.Sprintf("%d %s", container, c.Info().ID)
		if rule != nil {
			text += " " + rule.Code.String()
		}
		told = append(told, text)
	})
	if got, want := fmt.Sprint(told), "[0 A3 0 A1 0 A0 0 A2 CardInsufficientMemory]"; got != want {
		t.Errorf("told %s, want %s", got, want)
	}
	if got, want := fmt.Sprint(ids(a)), fmt.Sprint(ids(s.Fit(pod([]engine.Plan{plan("A", 2, 100)}), u, nil))); got != want {
		t.Errorf("with a trace %s, without %s", got, want)
	}
}

// TestNodesWithoutDevices: a node that says nothing and one whose description cannot be read are different things.
func TestNodesWithoutDevices(t *testing.T) {
	bad := device.Inventory{Vendor: "A", Err: &device.DecodeError{Err: fmt.Errorf("bad")}}
	none := device.Inventory{Vendor: "A", Err: device.ErrNoDescription}
	for _, c := range []struct {
		name string
		node *device.NodeUsage
		want device.Code
	}{
		{"no description", usage(none), device.NodeUnregistered},
		{"no vendor at all", usage(), device.NodeUnregistered},
		{"unreadable", usage(bad), device.NodeMalformed},
		{"unreadable, other devices", usage(bad, node("B", 1)), device.NodeMalformed},
		{"none, other devices", usage(none, node("B", 1)), device.NodeInsufficientDevice},
		{"empty list", usage(node("A", 0)), device.NodeUnregistered},
	} {
		var s engine.Scratch
		if a := s.Fit(pod([]engine.Plan{plan("A", 1, 1)}), c.node, nil); a != nil || s.Why.Node != c.want || s.Why.Detail() != c.want.String() {
			t.Errorf("%s: %s, want %s", c.name, s.Why.Detail(), c.want)
		}
		if a := s.Fit(pod(), c.node, nil); a == nil || len(a.Devices) > 0 {
			t.Errorf("%s: a pod that asks for nothing gets %v", c.name, ids(a))
		}
	}
}
