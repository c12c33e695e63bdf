package simulate

import (
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/accelfit/accelfit/device"
	"github.com/accelfit/accelfit/internal/testkit"
	"github.com/accelfit/accelfit/usage"
	"github.com/accelfit/accelfit/vendors"
)

// stateText is what tells states apart.
func stateText(t *testing.T, u *device.NodeUsage) string {
	t.Helper()
	b, ok := writeInfo(nil, u.Info())
	if ok {
		b, ok = writeUsage(append(b, '|'), u)
	}
	if !ok {
		t.Fatal("the state cannot be written down")
	}
	return string(b)
}

// TestEqualStatesAnswerTheSame is the law that answers are kept by: on two nodes in one state every pod that names no device is
// granted the devices at the same positions, or refused for the same reasons, and the nodes score the same. For every
// vendor, one node is a copy of the other under other names; and any two nodes of which the states are equal are compared.
func TestEqualStatesAnswerTheSame(t *testing.T) {
	r := rand.New(rand.NewPCG(testkit.Seed(t), 31))
	set := vendors.Default()
	for _, b := range set.Backends() {
		served, refused, met := 0, 0, 0
		for range 60 {
			m := makerOf(r, b)
			u := device.NewNodeUsage(set.Inventory(m.node(t, 1+r.IntN(8))))
			info := u.Info()
			other := info.Renamed("x", func(i int) string { return fmt.Sprintf("other-%d", (i+3)%info.Len()) })
			seen := map[string]*device.NodeUsage{}
			for step := range 12 {
				pod := m.pod(fmt.Sprintf("p%d", step), info.Device(0).ID, "other-3")
				request, err := set.Request(pod)
				if err != nil {
					continue
				}
				v := device.NewNodeUsage(other).Update(func(d []device.DeviceUsage) { copy(d, u.Devices()) })
				text := stateText(t, u)
				if stateText(t, v) != text {
					t.Fatalf("%s: names tell states apart", b.Vendor())
				}
				was := seen[text]
				if was == nil {
					seen[text], was = u, u
				} else {
					met++
				}
				fit := set.Fit(request, u)
				if !request.ByName() {
					sameAnswer(t, set, request, u, fit, v)
					sameAnswer(t, set, request, u, fit, was)
				}
				if !fit.OK() {
					refused++
					continue
				}
				served++
				u = u.With(fit.Allocation)
			}
		}
		if served == 0 || refused == 0 {
			t.Errorf("%s: %d pods served, %d refused", b.Vendor(), served, refused)
		}
		t.Logf("%s: %d served, %d refused, %d states met again", b.Vendor(), served, refused, met)
	}
}

func sameAnswer(t *testing.T, set *vendors.Set, r *vendors.Request, u *device.NodeUsage, fit vendors.Fit, v *device.NodeUsage) {
	t.Helper()
	other := set.Fit(r, v)
	if positions(fit.Allocation, u.Info()) != positions(other.Allocation, v.Info()) || fit.Reasons != other.Reasons {
		t.Fatalf("%s on %s: %+v, on %s: %+v", r.Shape(), u.Info().Name(), fit, v.Info().Name(), other)
	}
	if a, b := set.Score(r, u, fit), set.Score(r, v, other); a != b {
		t.Fatalf("%s scores %v and %v", r.Shape(), a, b)
	}
	if !fit.OK() {
		return
	}
	moved := (&outcome{Fit: fit, info: u.Info()}).on(v.Info())
	if positions(moved, v.Info()) != positions(fit.Allocation, u.Info()) || !testkit.SameUsage(v.With(moved), v.With(other.Allocation)) {
		t.Fatalf("%+v is translated to %+v", fit.Allocation, moved)
	}
}

// TestStatesDiffer: whatever a decision may depend on tells states apart, and what it does not depend on does not.
func TestStatesDiffer(t *testing.T) {
	card := testkit.MIGCard("a")
	card.CustomInfo = map[string]json.RawMessage{"k": json.RawMessage(`1`)}
	base := func() device.Inventory {
		second := testkit.Card("b", 1000)
		second.LinkScores = map[string]int64{"a": 5}
		return device.Inventory{Vendor: "NVIDIA", Devices: []device.DeviceInfo{card.DeepCopy(), second}, Extra: &extra{map[string]int{"x": 1}, nil}}
	}
	text := func(edit func(inv *device.Inventory), use func(d []device.DeviceUsage)) string {
		inv := base()
		if edit != nil {
			edit(&inv)
		}
		u := device.NewNodeUsage(device.NewNodeInfo("n", inv))
		if use != nil {
			u = u.Update(use)
		}
		return stateText(t, u)
	}
	usual := text(nil, nil)
	for name, edit := range map[string]func(inv *device.Inventory){
		"index": func(inv *device.Inventory) { inv.Devices[0].Index++ }, "mode": func(inv *device.Inventory) { inv.Devices[0].Mode = "" },
		"type": func(inv *device.Inventory) { inv.Devices[0].Type += "x" }, "slots": func(inv *device.Inventory) { inv.Devices[0].Slots++ },
		"memory": func(inv *device.Inventory) { inv.Devices[0].Memory++ }, "cores": func(inv *device.Inventory) { inv.Devices[0].Cores++ },
		"NUMA": func(inv *device.Inventory) { inv.Devices[0].NUMA++ }, "word": func(inv *device.Inventory) { inv.Devices[0].ScoredAs = "x" },
		"health": func(inv *device.Inventory) { inv.Devices[0].Healthy = false }, "cordon": func(inv *device.Inventory) { inv.Devices[0].Cordoned = true },
		"placement": func(inv *device.Inventory) { inv.Devices[0].MIGProfiles[1].Placements[0].Start++ },
		"profile":   func(inv *device.Inventory) { inv.Devices[0].MIGProfiles[1].Memory++ },
		"link":      func(inv *device.Inventory) { inv.Devices[1].LinkScores["a"]++ },
		"custom":    func(inv *device.Inventory) { inv.Devices[0].CustomInfo["k"] = json.RawMessage(`2`) },
		"extra":     func(inv *device.Inventory) { inv.Extra = &extra{map[string]int{"x": 2}, nil} },
		"no extra":  func(inv *device.Inventory) { inv.Extra = nil },
		"order":     func(inv *device.Inventory) { inv.Devices[0], inv.Devices[1] = inv.Devices[1], inv.Devices[0] },
		"vendor":    func(inv *device.Inventory) { inv.Vendor = "Other" },
		"malformed": func(inv *device.Inventory) { inv.Err = errors.New("x") },
	} {
		if text(edit, nil) == usual {
			t.Errorf("%s does not tell states apart", name)
		}
	}
	uses := map[string]func(d []device.DeviceUsage){
		"nothing": nil,
		"slots":   func(d []device.DeviceUsage) { d[0].Slots++ }, "memory": func(d []device.DeviceUsage) { d[0].Memory++ },
		"cores": func(d []device.DeviceUsage) { d[0].Cores++ }, "other card": func(d []device.DeviceUsage) { d[1].Cores++ },
		"health":   func(d []device.DeviceUsage) { d[0].Healthy = false },
		"instance": func(d []device.DeviceUsage) { d[0].State = device.MIGState{{Profile: "p"}} },
		"place": func(d []device.DeviceUsage) {
			d[0].State = device.MIGState{{Profile: "p", Placement: device.Placement{Start: 1}}}
		},
		"tag":  func(d []device.DeviceUsage) { d[0].State = device.TagState{"p"} },
		"tags": func(d []device.DeviceUsage) { d[0].State = device.TagState{"p", "p"} },
		"own":  func(d []device.DeviceUsage) { d[0].State = ownState{n: 1} }, "own too": func(d []device.DeviceUsage) { d[0].State = ownState{n: 2} },
	}
	seen := map[string]string{}
	for name, use := range uses {
		at := text(nil, use)
		if before, twice := seen[at]; twice {
			t.Errorf("%s and %s are not told apart", before, name)
		}
		seen[at] = name
	}
	if text(func(inv *device.Inventory) {
		inv.Devices[0].ID, inv.Devices[1].LinkScores = "z", map[string]int64{"z": 5}
	}, nil) != usual {
		t.Error("ids tell states apart")
	}
}

// extra is what a vendor may read of a node.
type extra struct {
	numbers map[string]int
	decide  func() bool
}

// ownState is a record of a vendor of one's own.
type ownState struct{ n int }

// DeepCopyState implements [device.State].
func (s ownState) DeepCopyState() device.State { return s }

// TestUnwritable: what cannot be compared makes a node's state equal to no other, and floods come to an end.
func TestUnwritable(t *testing.T) {
	type ring struct{ next *ring }
	circle := func() *ring {
		c := &ring{}
		c.next = &ring{c}
		return c
	}
	long := &ring{}
	for range 1000 {
		long = &ring{long}
	}
	for name, x := range map[string]any{
		"function": &extra{decide: func() bool { return true }}, "channel": make(chan int), "chain": long, "flood": make([]int64, 1<<20),
	} {
		info := device.NewNodeInfo("n", device.Inventory{Vendor: "V", Devices: []device.DeviceInfo{testkit.Card("a", 1)}, Extra: x})
		if _, ok := writeInfo(nil, info); ok {
			t.Errorf("%s is written down", name)
		}
		m := newMemo()
		a, b := newNode(nil, info, nil), newNode(nil, info, nil)
		if first, other, again := m.state(a, 2), m.state(b, 2), m.state(a, 2); first == other || first != again {
			t.Errorf("%s: states of two nodes are one", name)
		}
	}
	if a, ok := writeAny(nil, circle()); !ok {
		t.Error("a cycle is not written down")
	} else if b, _ := writeAny(nil, circle()); string(a) != string(b) {
		t.Errorf("equal cycles read %q and %q", a, b)
	}
	twice := device.NewNodeInfo("n", device.Inventory{Vendor: "V", Devices: []device.DeviceInfo{testkit.Card("a", 1), testkit.Card("a", 1)}})
	if _, ok := writeInfo(nil, twice); ok {
		t.Error("two devices of one id are told apart")
	}
}

// TestMemoIsBounded: many states, requests and reasons are forgotten again, and nothing is taken for something else.
func TestMemoIsBounded(t *testing.T) {
	set := vendors.Default()
	m := newMemo()
	info := set.Inventory(testkit.Node("n", testkit.Card("a", 1<<20)))
	m2 := makerOf(rand.New(rand.NewPCG(1, 1)), set.Backend("NVIDIA"))
	for i := range 10_000 {
		n := newNode(nil, info, []usage.Holding{{Name: "h", Allocation: &device.Allocation{Devices: []device.ContainerDevice{{Vendor: "NVIDIA", ID: "a", Memory: int64(i)}}}}})
		pod := m2.pod("p")
		pod.Annotations[device.AnnotationWeights] = fmt.Sprintf("slot=1,core=1,memory=%d", i)
		r, err := set.Request(pod)
		if err != nil {
			continue
		}
		a := m.ask(r, false)
		got, fit := m.try(set, &a, n, 10), set.Fit(r, n.usage)
		if again := m.try(set, &a, n, 10); again != got || (got.why == nil) != fit.OK() || got.why != nil && *got.why != fit.Reasons {
			t.Fatalf("%+v and %+v, want %+v", got, again, fit)
		}
	}
	if len(m.states) > 2*10+1024 || len(m.shapes) > maxShapes || len(m.infos) > 10+1024 || len(m.reasons) > maxReasons {
		t.Errorf("%d states, %d shapes, %d descriptions are remembered", len(m.states), len(m.shapes), len(m.infos))
	}
}
