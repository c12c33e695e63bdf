package vastai

import (
	"cmp"
	"slices"

	"github.com/accelfit/accelfit/device"
	"github.com/accelfit/accelfit/vendors/kit"
)

// choose picks several devices (spec vastai §9): the first visited; on a node in die mode that has dies to spare, those of the
// card with most dies to offer, then of the next. Of cards that offer equally many the first visited comes first (deviation
// vD1).
func choose(f *device.ContainerFit, why *device.Reasons) []int {
	n := int(f.Nums)
	if len(f.Granted) < n {
		f.TooFew(why)
		return nil
	}
	order := kit.InOrder(f, len(f.Granted))
	if c, from := cardsOf(f.Node); c != nil && c.dieMode && len(order) > n {
		cardOf := func(at int) int { return c.dies[f.Granted[at].Device-from].card }
		dies, first := make([]int, c.n), make([]int, c.n)
		for at := len(order) - 1; at >= 0; at-- {
			dies[cardOf(at)]++
			first[cardOf(at)] = at
		}
		slices.SortStableFunc(order, func(a, b int) int {
			return cmp.Or(cmp.Compare(dies[cardOf(b)], dies[cardOf(a)]), cmp.Compare(first[cardOf(a)], first[cardOf(b)]))
		})
	}
	return order[:n]
}
