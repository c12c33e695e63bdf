package ascend

import (
	"github.com/accelfit/accelfit/device"
	"github.com/accelfit/accelfit/score"
	"github.com/accelfit/accelfit/vendors/kit"
)

// ScoreNodes implements [device.NodeScorer]: how near the NPUs of each container are (spec ascend §6.3). Under spread it is
// subtracted (deviation D22).
func (b *Backend) ScoreNodes(pod *device.PodContext) func(*device.NodeUsage, *device.Allocation) float32 {
	if !b.is910() {
		return nil
	}
	sign := float32(10)
	if pod.NodePolicy == score.Spread {
		sign = -10
	}
	return func(node *device.NodeUsage, a *device.Allocation) float32 {
		return sign * b.nearness(node.Info(), a.Of(b.Vendor()))
	}
}

// fewGroups is how many network groups are counted without allocating.
const fewGroups = 32

// nearness adds up, over the containers, the share of the NPUs that are in the largest network group among them; 0 where some
// NPU names no group.
func (b *Backend) nearness(node *device.NodeInfo, devices []device.ContainerDevice) float32 {
	x := b.factsOf(node)
	var few [fewGroups]int
	size := few[:]
	if x.groups > fewGroups {
		size = make([]int, x.groups)
	}
	var sum float32
	for given := range kit.PerContainer(devices) {
		largest := b.largest(node, &x, given, size)
		if largest == 0 {
			return 0
		}
		sum += float32(largest) / float32(len(given))
	}
	return sum
}

// largest is the size of the largest network group among devices; 0 where one names no group. size has room for each group.
func (b *Backend) largest(node *device.NodeInfo, x *facts, devices []device.ContainerDevice, size []int) int {
	clear(size)
	largest := 0
	from, _ := node.Range(b.Vendor())
	for i := range devices {
		at := node.Find(b.Vendor(), devices[i].ID) - from
		if at < 0 || at >= len(x.group) || x.group[at] == noGroup {
			return 0
		}
		g := x.group[at]
		size[g]++
		largest = max(largest, size[g])
	}
	return largest
}
