package kunlun

import (
	"cmp"
	"slices"

	"github.com/accelfit/accelfit/device"
	"github.com/accelfit/accelfit/vendors/kit"
)

// byPlace is what the inventory leaves of a node whose cards do not all have different indexes: the slot of a card is then its
// place in the registration (deviation kD3).
type byPlace struct{}

// onBoard is a granted card by where it sits.
type onBoard struct {
	slot int // on the node: slots 8b to 8b+7 form board b
	at   int // position in f.Granted
}

// usualCards is how many cards of a node are sorted without taking memory.
const usualCards = 2 * boardSize

// choose picks cards by their slots, whatever the order of devices (deviation kD1): on the first board, in ascending order,
// that has a set of as many (deviation kD2). Cost: sorting the granted cards.
func choose(f *device.ContainerFit) []int {
	var few [usualCards]onBoard
	cards := bySlot(f, few[:0])
	for len(cards) > 0 {
		board, end, usable := cards[0].slot/boardSize, 0, slots(0)
		for ; end < len(cards) && cards[end].slot/boardSize == board; end++ {
			usable |= 1 << (cards[end].slot % boardSize)
		}
		if picked := usable.pick(int(f.Nums)); picked != 0 {
			return positions(cards[:end], picked, f.Ints(int(f.Nums)))
		}
		cards = cards[end:]
	}
	return nil
}

// bySlot appends the granted cards to into, in the order of their slots.
func bySlot(f *device.ContainerFit, into []onBoard) []onBoard {
	vendor := f.Plan.Ask.Vendor
	_, unnumbered := f.Node.Extra(vendor).(byPlace)
	from, _ := f.Node.Range(vendor)
	for at := range f.Granted {
		slot := f.Granted[at].Device - from
		if !unnumbered {
			slot = f.Node.Device(f.Granted[at].Device).Index
		}
		if slot < 0 {
			continue // no card sits there, and no registration says so
		}
		into = append(into, onBoard{slot, at})
	}
	slices.SortFunc(into, func(a, b onBoard) int {
		return cmp.Or(cmp.Compare(a.slot, b.slot), cmp.Compare(f.Granted[a.at].Device, f.Granted[b.at].Device))
	})
	return into
}

// positions puts into out where in f.Granted the cards in the picked slots are, ascending by slot.
func positions(cards []onBoard, picked slots, out []int) []int {
	n := 0
	for _, c := range cards {
		if bit := slots(1) << (c.slot % boardSize); picked&bit != 0 {
			out[n] = c.at
			n++
			picked &^= bit
		}
	}
	return out
}

// ids appends the rules of both pairs of id lists (spec kunlun §I.3). They come first, so that every card which fails them
// counts there, busy or not (spec kunlun §I.7).
func ids(rules *kit.Rules, annotations map[string]string) {
	rules.IDs(annotations, AnnotationUseUUID, AnnotationNoUseUUID)
	rules.IDs(annotations, AnnotationBaiduUseUUID, AnnotationBaiduNoUseUUID)
}

// noSet is the answer where no set of cards serves (spec kunlun §I.7): as many cards as fail the id lists or else, whatever the
// cause, one.
func noSet(why *device.Reasons) {
	if listed := why.Count(device.CardUuidMismatch); listed > 0 {
		only(why, device.CardUuidMismatch, listed)
		return
	}
	only(why, device.NumaNotFit, 1)
}

// only makes a reason the whole answer.
func only(why *device.Reasons, code device.Code, n int) {
	*why = device.Reasons{Total: why.Total}
	why.Set(code, n)
}
