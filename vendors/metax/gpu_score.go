package metax

import (
	"encoding/json"
	"errors"

	"github.com/accelfit/accelfit/device"
	"github.com/accelfit/accelfit/score"
)

// topology is what a node tells of how well a number of its GPUs are linked, by that number. It never changes.
type topology struct{ losses, scores map[int]int64 }

// readTopology reads both annotations. One that is missing, or cannot be read, is empty; the latter is a problem.
func readTopology(annotations map[string]string) (t *topology, problems []error) {
	t = &topology{}
	for _, a := range []struct {
		key  string
		into *map[int]int64
	}{{AnnotationLosses, &t.losses}, {AnnotationScores, &t.scores}} {
		text, ok := annotations[a.key]
		if !ok {
			continue
		}
		var read map[int]int64
		if err := json.Unmarshal([]byte(text), &read); err != nil {
			problems = append(problems, &device.DecodeError{Key: a.key, Err: errTopology})
			continue
		}
		*a.into = read
	}
	return t, problems
}

var errTopology = errors.New("not an object of whole numbers by numbers of cards")

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

func topologyOf(node *device.NodeUsage) topology {
	if t, ok := node.Info().Extra(VendorGPU).(*topology); ok {
		return *t
	}
	return topology{}
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
