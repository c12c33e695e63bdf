package usage_test

import (
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/accelfit/accelfit/device"
	"github.com/accelfit/accelfit/internal/testkit"
	"github.com/accelfit/accelfit/usage"
	"github.com/accelfit/accelfit/vendors"
	"github.com/accelfit/accelfit/vendors/nvidia"
)

// randomHolding is what a pod holds on one of the nodes n0 to n3, of cards that they have and of some that they have not.
func randomHolding(r *rand.Rand, pod int) usage.Holding {
	h := usage.Holding{Namespace: "team", Name: fmt.Sprintf("p%d", pod), Node: fmt.Sprintf("n%d", r.IntN(4))}
	h.Allocation = &device.Allocation{}
	for range 1 + r.IntN(3) {
		h.Allocation.Classes = append(h.Allocation.Classes, []device.ContainerClass{device.App, device.Init, device.Sidecar}[r.IntN(3)])
	}
	for c := range h.Allocation.Classes {
		for k := range r.IntN(3) {
			d := device.ContainerDevice{Container: c, Vendor: nvidia.Vendor, ID: []string{"g0", "g1", "m0", "zz"}[r.IntN(4)]}
			d.Memory, d.Cores = r.Int64N(1000), r.Int64N(50)
			h.Allocation.Devices = append(h.Allocation.Devices, d)
			if r.IntN(4) > 0 && (d.ID == "m0" || r.IntN(8) == 0) {
				h.Reservations = append(h.Reservations, device.MIGReservation{
					ContainerIndex: c, DeviceIndex: k, GPUUUID: d.ID, Profile: "1g.5gb", Placement: device.Placement{Start: r.Uint32N(7), Size: 1},
				})
			}
		}
	}
	if r.IntN(10) == 0 {
		h.Blocked = append(h.Blocked, usage.DeviceRef{Vendor: nvidia.Vendor, ID: "g1"})
	}
	return h
}

func info(name string) *device.NodeInfo {
	cards := []device.DeviceInfo{testkit.Card("g0", 24576), testkit.Card("g1", 24576), testkit.MIGCard("m0")}
	return device.NewNodeInfo(name, device.Inventory{Vendor: nvidia.Vendor, Devices: cards})
}

// content is everything a ledger holds, as text.
func content(l usage.Ledger) string {
	var b strings.Builder
	for key, h := range l.All() {
		fmt.Fprintf(&b, "%s on %s: %+v %+v %+v %t\n", key, h.Node, *h.Allocation, h.Reservations, h.Blocked, h.Released)
	}
	for i := range 4 {
		node := fmt.Sprintf("n%d", i)
		for _, h := range l.OnNode(node) {
			b.WriteString(node + " " + h.Key() + " ")
		}
		b.WriteString("\n" + testkit.Table(l.Node(info(node))))
	}
	return b.String()
}

// model is the obvious ledger: a plain map, and the order in which pods came to their nodes.
type model struct {
	pods  map[string]usage.Holding
	order []string
}

func (m *model) drop(key string) {
	delete(m.pods, key)
	m.order = slices.DeleteFunc(m.order, func(k string) bool { return k == key })
}

func (m *model) put(h usage.Holding) {
	if old, held := m.pods[h.Key()]; !held || old.Node != h.Node {
		m.drop(h.Key())
		m.order = append(m.order, h.Key())
	}
	m.pods[h.Key()] = h
}

func (m *model) on(node string) (out []usage.Holding) {
	for _, key := range m.order {
		if h := m.pods[key]; h.Node == node {
			out = append(out, h)
		}
	}
	return out
}

// TestLedgerAgainstMap does random operations on ledgers, some of them on older values, and compares with a map that is
// copied whole. In the end every value made on the way still has the content it had.
func TestLedgerAgainstMap(t *testing.T) {
	r := testkit.Rand(t)
	type version struct {
		ledger usage.Ledger
		model  model
		text   string
	}
	versions := []version{{model: model{pods: map[string]usage.Holding{}}}}
	versions[0].text = content(versions[0].ledger)
	for range 400 {
		v := versions[len(versions)-1-r.IntN(min(3, len(versions)))]
		l := v.ledger
		m := model{maps.Clone(v.model.pods), slices.Clone(v.model.order)}
		h := randomHolding(r, r.IntN(12))
		switch r.IntN(3) {
		case 0:
			_, held := m.pods[h.Key()]
			next, err := l.Reserve(h)
			if held != errors.Is(err, usage.ErrHeld) || !held && err != nil {
				t.Fatalf("Reserve of a pod that holds something: %t, %v", held, err)
			}
			if l = next; !held {
				m.put(h)
			}
		case 1:
			l = l.Replace(h)
			m.put(h)
		default:
			want, held := m.pods[h.Key()]
			next, gone, ok := l.Release(h.Key())
			if ok != held || held && cmp.Diff(want, gone) != "" {
				t.Fatalf("Release: %t %+v, want %t %+v", ok, gone, held, want)
			}
			l = next
			m.drop(h.Key())
		}
		if l.Len() != len(m.pods) {
			t.Fatalf("%d pods, want %d", l.Len(), len(m.pods))
		}
		for i := range 4 {
			node := fmt.Sprintf("n%d", i)
			if diff := cmp.Diff(m.on(node), l.OnNode(node), cmp.Transformer("", func(hs []usage.Holding) string { return fmt.Sprint(hs) })); diff != "" {
				t.Fatalf("%s:\n%s", node, diff)
			}
			if got, want := l.Node(info(node)), usage.Apply(info(node), m.on(node)); testkit.Table(got) != testkit.Table(want) {
				t.Fatalf("%s:\n%swant\n%s", node, testkit.Table(got), testkit.Table(want))
			}
		}
		versions = append(versions, version{l, m, content(l)})
	}
	for i, v := range versions {
		if got := content(v.ledger); got != v.text {
			t.Fatalf("value %d has changed from\n%s\nto\n%s", i, v.text, got)
		}
	}
}

// TestReserveThenRelease is the law that a holding that comes and goes leaves no trace, but for nodes that have none.
func TestReserveThenRelease(t *testing.T) {
	r := testkit.Rand(t)
	for range 100 {
		var l usage.Ledger
		quotas := usage.NewQuotas(vendors.Default())
		for i := range r.IntN(8) {
			h := randomHolding(r, i)
			l, quotas = l.Replace(h), quotas.Take(h.Namespace, h.Allocation, nil)
		}
		h := randomHolding(r, 99)
		before := content(l)
		after, err := l.Reserve(h)
		if err != nil {
			t.Fatal(err)
		}
		back, gone, ok := after.Release(h.Key())
		if !ok || cmp.Diff(h, gone) != "" || content(back) != before || content(l) != before {
			t.Fatalf("content after Reserve and Release of %+v:\n%s\nwant\n%s", h, content(back), before)
		}
	}
}

// TestReleasedStaysReleased: a later, unreleased view of a pod never brings back what its init containers held (E14).
func TestReleasedStaysReleased(t *testing.T) {
	classes := []device.ContainerClass{device.Init, device.App}
	pod := newPod("p", classes, device.AnnotationNode, "n1", nvidia.AnnotationAllocated, "m0,NVIDIA,4864,15:;g0,NVIDIA,100,0:;",
		device.AnnotationMIGReservation, reservations("m0@6"))
	h := mustRead(t, vendors.Default(), pod)
	old := h.DeepCopy()
	released := h
	released.Released, released.Allocation, released.Reservations = true, h.Allocation.Released(), nil
	for _, node := range []string{"n1", "n2"} {
		h.Node = node
		got, _ := usage.Ledger{}.Replace(released).Replace(h).Pod(h.Key())
		if !got.Released || len(got.Allocation.Devices) != 1 || len(got.Reservations) != 0 || got.Node != node {
			t.Errorf("the pod on %s holds %+v again", node, got)
		}
	}
	if h.Node = old.Node; cmp.Diff(old, h) != "" {
		t.Errorf("the holding handed in was changed:\n%s", cmp.Diff(old, h))
	}
}

// TestLedgerReaders reads one ledger in several goroutines while others make new values of it.
func TestLedgerReaders(t *testing.T) {
	const seed = 5
	t.Logf("seed %d", seed)
	source := rand.New(rand.NewPCG(seed, 0))
	var l usage.Ledger
	for i := range 60 {
		l = l.Replace(randomHolding(source, i))
	}
	want := content(l)
	var all sync.WaitGroup
	for w := range 4 {
		all.Go(func() {
			r := rand.New(rand.NewPCG(seed, uint64(w)+1))
			mine := l
			for range 100 {
				mine = mine.Replace(randomHolding(r, r.IntN(80)))
				mine, _, _ = mine.Release(fmt.Sprintf("team/p%d", r.IntN(80)))
			}
			if got := content(l); got != want {
				t.Errorf("the ledger that all began with has changed:\n%s", got)
			}
		})
	}
	all.Wait()
}

func TestKey(t *testing.T) {
	for _, c := range []struct {
		holding usage.Holding
		want    string
	}{
		{usage.Holding{Namespace: "a", Name: "b", UID: "u"}, "u"},
		{usage.Holding{Namespace: "a", Name: "b"}, "a/b"},
	} {
		if got := c.holding.Key(); got != c.want {
			t.Errorf("key %q, want %q", got, c.want)
		}
	}
}

// TestErrHeld: the error says who holds what already, and the ledger is returned as it was.
func TestErrHeld(t *testing.T) {
	h := mustRead(t, vendors.Default(), onNode("p", "n1", "g0,NVIDIA,100,0:;"))
	l := usage.Ledger{}.Replace(h)
	again, err := l.Reserve(h)
	if want := "pod team/p on node n1: pod holds devices already"; !errors.Is(err, usage.ErrHeld) || err.Error() != want {
		t.Errorf("error %v, want %s", err, want)
	}
	if again.Len() != 1 || content(again) != content(l) {
		t.Errorf("the ledger was changed to\n%s", content(again))
	}
}
