package metax

import (
	"encoding/json"
	"errors"

	corev1 "k8s.io/api/core/v1"

	"github.com/accelfit/accelfit/device"
	"github.com/accelfit/accelfit/vendors/kit"
)

// What every whole GPU counts as (spec metax §I.4).
const (
	gpuMemory = 65536 // MiB
	gpuCores  = 100
)

// gpuInventory is what nodes tell of whole GPUs: their number, as capacity (spec metax §I.4). They are there as long as the capacity
// says so (§I.10).
type gpuInventory = kit.Counted

func newGPUInventory(names device.Names) gpuInventory {
	return kit.NewCounted(VendorGPU, names.Count, "metax", func(_, _ int) device.DeviceInfo {
		return device.DeviceInfo{Slots: 1, Memory: gpuMemory, Cores: gpuCores}
	})
}

// Inventory implements [device.Backend]: the GPUs, and how well numbers of them are linked (spec metax §I.9). A topology that
// cannot be read is reported; the GPUs stand.
func (b *GPU) Inventory(node *corev1.Node) device.Inventory {
	inv := b.gpuInventory.Inventory(node)
	if inv.Err != nil {
		return inv
	}
	t, problems := readTopology(node.Annotations)
	inv.Extra = t
	for _, err := range problems {
		inv.Problems = append(inv.Problems, device.Problem{Object: "node " + node.Name, Err: err})
	}
	return inv
}

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

func topologyOf(node *device.NodeUsage) topology {
	if t, ok := node.Info().Extra(VendorGPU).(*topology); ok {
		return *t
	}
	return topology{}
}
