package kunlun

import (
	"math/bits"
	"strings"

	"github.com/accelfit/accelfit/device"
	"github.com/accelfit/accelfit/score"
)

// ScoreNodes implements [device.NodeScorer] (spec kunlun §I.9): the fuller the wings of the pod's own cards are beside those of
// the cards in use before, the more. The two are compared, not put together, as HAMi has it (§5 quirk 2). Under the node
// policy spread it is subtracted (deviation kD13).
func (b *Cards) ScoreNodes(pod *device.PodContext) func(node *device.NodeUsage, a *device.Allocation) float32 {
	if pod.NodePolicy == score.Spread {
		return func(node *device.NodeUsage, a *device.Allocation) float32 { return -contribution(node, a) }
	}
	return contribution
}

func contribution(node *device.NodeUsage, a *device.Allocation) float32 {
	info := node.Info()
	var before, taken indexes
	from, to := info.Range(Vendor)
	for i := range info.Len() {
		if !strings.Contains(info.Device(i).Type, string(Vendor)) {
			return 0
		}
		if i >= from && i < to && node.Device(i).Slots > 0 {
			before.add(info.Device(i).Index)
		}
	}
	for _, d := range a.Of(Vendor) {
		taken.add(d.Index)
	}
	switch taken.brokenWings() - before.brokenWings() {
	case -1:
		return 3000
	case 0:
		return 2000
	case 2:
		return 0
	}
	return 1000
}

// indexes is a set of card indexes.
type indexes [device.MaxDevices / 64]uint64

func (s *indexes) add(i int) {
	if i >= 0 && i < device.MaxDevices {
		s[i/64] |= 1 << (i % 64)
	}
}

// brokenWings is the F of spec kunlun §I.9, low where wings are full. Every index from 4 on counts as the right wing.
func (s *indexes) brokenWings() int {
	all := 0
	for _, w := range s {
		all += bits.OnesCount64(w)
	}
	if all == 0 {
		return 1
	}
	left := bits.OnesCount64(s[0] & uint64(leftWing))
	return broken(left) + broken(all-left)
}

// broken is the v of spec kunlun §I.9.
func broken(taken int) int {
	switch taken {
	case wingSize:
		return 0
	case 1:
		return 2
	}
	return 1
}
