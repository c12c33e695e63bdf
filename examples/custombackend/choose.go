package nimbus

import (
	"cmp"
	"math"
	"math/bits"
	"slices"

	"github.com/accelfit/accelfit/device"
	"github.com/accelfit/accelfit/vendors/kit"
)

// ring is how many NPUs a board has.
const ring = 8

// run is n seats in a row, bit i for seat i; behind the last seat of the board comes the first. From n = ring on it is all seats.
func run(from, n int) uint8 { return bits.RotateLeft8(1<<n-1, from) }

// cost is what a run of the free seats spoils: the fewer of its neighbours are free, and then the fewer seats of the board, the
// better.
func cost(free uint8, from, n int) int {
	neighbours := free & run(from-1, n+2) &^ run(from, n)
	return bits.OnesCount8(neighbours)*(ring+1) + bits.OnesCount8(free)
}

// choose picks neighbours on one board: the run that spoils least, of equals the first by index, whatever the device policy.
// Cost: sorting the granted NPUs.
func choose(f *device.ContainerFit, why *device.Reasons) []int {
	n := int(f.Nums)
	if len(f.Granted) < n {
		f.TooFew(why)
		return nil
	}
	best, picked, least := f.Ints(n), f.Ints(n), math.MaxInt
	reason := device.CardNotFoundCustomFilterRule
	for free, at, rest := nextBoard(f, byIndex(f)); free != 0; free, at, rest = nextBoard(f, rest) {
		for from := range ring {
			if free&run(from, n) != run(from, n) || cost(free, from, n) >= least {
				continue
			}
			for i := range picked {
				picked[i] = at[(from+i)%ring]
			}
			if !kit.WithinQuota(f, picked) {
				reason = device.ResourceQuotaNotFit
				continue
			}
			best, picked, least = picked, best, cost(free, from, n)
		}
	}
	if least == math.MaxInt {
		why.Add(reason, len(f.Granted))
		return nil
	}
	return best
}

func index(f *device.ContainerFit, at int) uint {
	return uint(f.Node.Device(f.Granted[at].Device).Index)
}

// byIndex is the positions in f.Granted in the order of the NPUs' indexes.
func byIndex(f *device.ContainerFit) []int {
	order := kit.InOrder(f, len(f.Granted))
	slices.SortFunc(order, func(a, b int) int { return cmp.Compare(index(f, a), index(f, b)) })
	return order
}

// nextBoard takes a board off an order of positions: its free seats, none at the end, and the position of each.
func nextBoard(f *device.ContainerFit, order []int) (free uint8, at [ring]int, rest []int) {
	for k, position := range order {
		i := index(f, position)
		if i/ring != index(f, order[0])/ring {
			return free, at, order[k:]
		}
		free |= 1 << (i % ring)
		at[i%ring] = position
	}
	return free, at, nil
}
