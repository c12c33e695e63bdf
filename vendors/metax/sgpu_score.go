package metax

import (
	"slices"
	"strconv"

	"github.com/accelfit/accelfit/device"
	"github.com/accelfit/accelfit/score"
)

// weight makes what MetaX adds decide before anything else does.
const weight = 10000

// ScoreNodes implements [device.NodeScorer] (spec metax §II.10): higher is better whatever the node policy, so that under spread,
// where the lowest score wins, it is negative.
func (b *SGPU) ScoreNodes(pod *device.PodContext) func(*device.NodeUsage, *device.Allocation) float32 {
	sign := float32(weight)
	if pod.NodePolicy == score.Spread {
		sign = -weight
	}
	if classOf(pod.Annotations) == online {
		return func(node *device.NodeUsage, a *device.Allocation) float32 {
			return sign * float32(onlineScore(node, a))
		}
	}
	if b.topologyAware(pod.Annotations) {
		return func(node *device.NodeUsage, a *device.Allocation) float32 { return sign * float32(linkScore(node, a)) }
	}
	return nil
}

func (b *SGPU) topologyAware(annotations map[string]string) bool {
	aware, err := strconv.ParseBool(annotations[AnnotationTopologyAware])
	if err != nil {
		return b.Config().SGPUTopologyAware
	}
	return aware
}

// onlineScore counts against a node the pods on the cards given: many points for cards with offline pods only.
func onlineScore(node *device.NodeUsage, a *device.Allocation) int64 {
	sum := int64(0)
	from, isGiven := given(node, a, func(*device.ContainerDevice) bool { return true })
	for i, is := range isGiven {
		if !is {
			continue
		}
		n := crowdOf(node.Device(from + i))
		if n.onlyOffline() {
			sum -= 100 * int64(n.offline)
		} else {
			sum -= 20*int64(n.online) + 2*int64(n.offline)
		}
	}
	return sum
}

// linkScore is what the links between the whole cards given are worth, less what is lost of the links between idle cards. A node
// without a whole card given scores 0.
func linkScore(node *device.NodeUsage, a *device.Allocation) int64 {
	from, isGiven := given(node, a, func(d *device.ContainerDevice) bool { return d.Cores == 100 })
	if !slices.Contains(isGiven, true) {
		return 0
	}
	known := cardsOf(node.Info())
	zones := make([]struct{ idle, given, rest int64 }, known.numbered()) // cards of each zone
	for i, is := range isGiven {
		number := known.at(node.Info(), from+i).zone
		if number == unlinked {
			continue
		}
		z := &zones[number]
		idle := node.Device(from+i).Slots <= 0
		if idle {
			z.idle++
		}
		if is {
			z.given++
		} else if idle {
			z.rest++
		}
	}
	var worth, loss int64
	for _, z := range zones {
		worth += pairs(z.given)
		loss += pairs(z.idle) - pairs(z.given) - pairs(z.rest)
	}
	return 10*worth - loss
}

// pairs is what the links between n cards of one zone are worth.
func pairs(n int64) int64 { return 10 * (n * (n - 1) / 2) }

// given says of each of the node's cards whether it is among the wanted ones of an allocation; however often, it is once
// (deviation DS10).
func given(node *device.NodeUsage, a *device.Allocation, wanted func(*device.ContainerDevice) bool) (from int, out []bool) {
	from, to := node.Range(VendorSGPU)
	out = make([]bool, to-from)
	devices := a.Of(VendorSGPU)
	for i := range devices {
		at := node.Info().Find(VendorSGPU, devices[i].ID)
		if at >= 0 && wanted(&devices[i]) {
			out[at-from] = true
		}
	}
	return from, out
}
