package metax

import (
	"github.com/accelfit/accelfit/device"
	"github.com/accelfit/accelfit/score"
)

// bestTopology is what a node scores of which nothing is lost.
const bestTopology = 2000

// ScoreNodes implements [device.NodeScorer] (spec metax §I.9): under binpack the highest score wins, so that a small loss is
// preferred, under spread the lowest, so that a large topology score is. What is not known is the worst (deviation DG2). No
// other policy asks for a topology.
func (b *GPU) ScoreNodes(pod *device.PodContext) func(*device.NodeUsage, *device.Allocation) float32 {
	switch pod.NodePolicy {
	case score.Binpack:
		return func(node *device.NodeUsage, a *device.Allocation) float32 {
			return rated(topologyOf(node).losses, heldGPUs(a), 0)
		}
	case score.Spread:
		return func(node *device.NodeUsage, a *device.Allocation) float32 {
			return rated(topologyOf(node).scores, heldGPUs(a), bestTopology)
		}
	}
	return nil
}

// rated is what n cards score, or otherwise where that is not known.
func rated(known map[int]int64, n int, otherwise float32) float32 {
	value, ok := known[n]
	if !ok {
		return otherwise
	}
	const most = 1 << 40 // keeps the difference in range
	return float32(bestTopology - min(max(value, -most), most))
}

// heldGPUs is how many GPUs a pod holds at most at a time: those of its sidecars, and on top of them those of the largest init
// container or of all app containers (deviation DG4).
func heldGPUs(a *device.Allocation) int {
	var sidecars, apps, largest int
	inits := map[int]int{}
	for _, d := range a.Of(VendorGPU) {
		switch classAt(a, d.Container) {
		case device.Sidecar:
			sidecars++
		case device.Init:
			inits[d.Container]++
			largest = max(largest, inits[d.Container])
		default:
			apps++
		}
	}
	return sidecars + max(largest, apps)
}

// classAt is the class of a container; those that an allocation does not know are app containers.
func classAt(a *device.Allocation, container int) device.ContainerClass {
	if container < 0 || container >= len(a.Classes) {
		return device.App
	}
	return a.Classes[container]
}
