package kunlun

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/accelfit/accelfit/device"
)

// TestPickOnOneBoard compares every set of usable cards and every number of cards with the tables of the specification.
func TestPickOnOneBoard(t *testing.T) {
	for set := range 1 << boardSize {
		usable := members(slots(set))
		for n := 1; n <= boardSize+1; n++ {
			got, want := members(slots(set).pick(n)), naivePick(usable, n)
			if !slices.Equal(got, want) {
				t.Errorf("%d of %v: %v, want %v", n, usable, got, want)
			}
		}
	}
}

// TestPickIsLinked: what is picked are usable cards of one wing, a cross pair, a quad, or the board; and cards that could
// have stayed in one wing do (spec kunlun §2.1, §2.2).
func TestPickIsLinked(t *testing.T) {
	for set := range 1 << boardSize {
		usable := slots(set)
		for _, n := range []int{1, 2, 4, 8} {
			picked := usable.pick(n)
			if picked == 0 {
				continue
			}
			left, right := (picked & leftWing).count(), (picked &^ leftWing).count()
			across := left > 0 && right > 0
			partners := picked&leftWing == picked>>wingSize
			fitsWing := max((usable&leftWing).count(), (usable&^leftWing).count()) >= n
			if picked&^usable != 0 || picked.count() != n || across && !partners || across && fitsWing {
				t.Errorf("%d of %08b: %08b", n, usable, picked)
			}
		}
	}
}

func members(s slots) []int {
	var out []int
	for i := range boardSize {
		if s&(1<<i) != 0 {
			out = append(out, i)
		}
	}
	return out
}

// TestChooseOnManyBoards: on nodes with up to five boards, some slots empty, in any order of the devices, the choice is that of
// the first board that has one (deviations kD1 and kD2), and never fewer cards than asked for.
func TestChooseOnManyBoards(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 0))
	for range 5000 {
		there := subsetOf(r, 1+r.IntN(40), r.IntN(4) == 0)
		usable := subset(r, there)
		n := []int{1, 2, 3, 4, 5, 8, 9}[r.IntN(7)]
		want := naiveChoice(usable, n)
		r.Shuffle(len(there), func(i, j int) { there[i], there[j] = there[j], there[i] })
		first := chosenSlots(fitOf(r, there, usable, n))
		again := chosenSlots(fitOf(r, there, usable, n))
		if !slices.Equal(first, want) || !slices.Equal(again, want) {
			t.Fatalf("%d of %v: %v and %v, want %v", n, usable, first, again, want)
		}
		if first != nil && len(first) != n {
			t.Fatalf("%d of %v: %v", n, usable, first)
		}
	}
}

// TestChooseByPlace: cards without indexes of their own are numbered by registration order (deviation kD3).
func TestChooseByPlace(t *testing.T) {
	r := rand.New(rand.NewPCG(2, 0))
	for range 2000 {
		places := subsetOf(r, 20, true)
		usable := subset(r, places)
		n := []int{1, 2, 4, 8}[r.IntN(4)]
		f := fitOf(r, places, usable, n)
		inv := f.Node.Inventory(VendorVirtual)
		for i := range inv.Devices {
			inv.Devices[i].Index = r.IntN(3)
		}
		inv.Extra = byPlace{}
		f.Node = device.NewNodeInfo("n", f.Node.Inventory("A"), inv)
		if got, want := chosenSlots(f), naiveChoice(usable, n); !slices.Equal(got, want) {
			t.Fatalf("%d of %v: %v, want %v", n, usable, got, want)
		}
	}
}

// TestChooseTakesNoCardTwice: even where a node was put together with two cards in one slot.
func TestChooseTakesNoCardTwice(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 0))
	all := []int{0, 0, 1, 1, 5, 5, 5, 6}
	for range 100 {
		f := fitOf(r, all, all, 2)
		picked := choose(f)
		if len(picked) != 2 || picked[0] == picked[1] || !slices.Equal(chosenSlots(f), []int{0, 1}) {
			t.Fatalf("%v", picked)
		}
	}
}

// TestChooseAllocatesNothing on nodes with up to 16 usable cards.
func TestChooseAllocatesNothing(t *testing.T) {
	r := rand.New(rand.NewPCG(4, 0))
	for _, n := range []int{1, 2, 3, 4, 8} {
		there := subsetOf(r, 16, true)
		f := fitOf(r, there, there, n)
		choose(f) // makes room
		allocated := testing.AllocsPerRun(100, func() {
			f.Start(f.Plan, nil, nil)
			f.Granted = f.Granted[:len(there)]
			choose(f)
		})
		if allocated > 0 {
			t.Errorf("%d cards: %v allocations", n, allocated)
		}
	}
}

func BenchmarkChoose(b *testing.B) {
	r := rand.New(rand.NewPCG(5, 0))
	for _, cards := range []int{8, 16, 1024} {
		there := subsetOf(r, cards, true)
		f := fitOf(r, there, there, 4)
		b.Run(fmt.Sprintf("4-of-%d", cards), func(b *testing.B) {
			for b.Loop() {
				f.Start(f.Plan, nil, nil)
				f.Granted = f.Granted[:len(there)]
				choose(f)
			}
		})
	}
}

// subsetOf returns 0..n-1, or some of them.
func subsetOf(r *rand.Rand, n int, all bool) []int {
	var out []int
	for i := range n {
		if all || r.IntN(5) > 0 {
			out = append(out, i)
		}
	}
	return out
}

func subset(r *rand.Rand, from []int) []int {
	var out []int
	share := 1 + r.IntN(4)
	for _, slot := range from {
		if r.IntN(5) < share {
			out = append(out, slot)
		}
	}
	return out
}

// fitOf is a node with virtual cards in the given slots, in that order, of which some are granted in any order.
func fitOf(r *rand.Rand, there, usable []int, n int) *device.ContainerFit {
	inv := device.Inventory{Vendor: VendorVirtual}
	for i, slot := range there {
		inv.Devices = append(inv.Devices, device.DeviceInfo{ID: fmt.Sprint("x", i), Index: slot})
	}
	f := &device.ContainerFit{
		Node: device.NewNodeInfo("n", device.Inventory{Vendor: "A", Devices: []device.DeviceInfo{{ID: "other"}}}, inv),
		Nums: int64(n), Plan: &device.Plan{Ask: device.ContainerRequest{Vendor: VendorVirtual, Nums: int64(n)}},
	}
	for i, slot := range there {
		if slices.Contains(usable, slot) {
			f.Granted = append(f.Granted, device.Grant{Device: 1 + i})
		}
	}
	r.Shuffle(len(f.Granted), func(i, j int) { f.Granted[i], f.Granted[j] = f.Granted[j], f.Granted[i] })
	return f
}

// chosenSlots are the slots that choose picks, in its order.
func chosenSlots(f *device.ContainerFit) []int {
	var out []int
	for _, at := range choose(f) {
		i := f.Granted[at].Device
		slot := f.Node.Device(i).Index
		if f.Node.Extra(VendorVirtual) != nil {
			slot = i - 1
		}
		out = append(out, slot)
	}
	return out
}
