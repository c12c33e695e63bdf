package vastai

import (
	"github.com/accelfit/accelfit/device"
	"github.com/accelfit/accelfit/score"
	"github.com/accelfit/accelfit/vendors/kit"
)

// ScoreNodes implements [device.NodeScorer] (spec vastai §11): for every container that was given dies, the share of them
// that are on one card, added up. Under the policy spread it is subtracted (deviations vD6, D22).
func (b *Backend) ScoreNodes(pod *device.PodContext) func(node *device.NodeUsage, a *device.Allocation) float32 {
	if pod.NodePolicy == score.Spread {
		return func(node *device.NodeUsage, a *device.Allocation) float32 { return -together(node.Info(), a) }
	}
	return func(node *device.NodeUsage, a *device.Allocation) float32 { return together(node.Info(), a) }
}

// together is the sum over containers. One device that is no die takes everything away.
func together(node *device.NodeInfo, a *device.Allocation) float32 {
	c, from := cardsOf(node)
	if c == nil {
		return 0
	}
	var sum float32
	for given := range kit.PerContainer(a.Of(Vendor)) {
		share, ok := c.share(node, from, given)
		if !ok {
			return 0
		}
		sum += share
	}
	return sum
}

// share is the part of a container's dies that are on the card with most of them; ok is false for a device that is no die.
func (c *cards) share(node *device.NodeInfo, from int, given []device.ContainerDevice) (share float32, ok bool) {
	dies := map[int]int{}
	most, all := 0, 0
	for _, d := range given {
		i := node.Find(Vendor, d.ID)
		if i < 0 || c.dies[i-from].spoils {
			return 0, false
		}
		if die := c.dies[i-from]; die.counts {
			dies[die.card]++
			most, all = max(most, dies[die.card]), all+1
		}
	}
	if all == 0 {
		return 0, true
	}
	return float32(most) / float32(all), true
}
