package kit_test

import (
	"math"
	"reflect"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/accelfit/accelfit/device"
	"github.com/accelfit/accelfit/internal/testkit"
	"github.com/accelfit/accelfit/vendors/cambricon"
	"github.com/accelfit/accelfit/vendors/mthreads"
)

var dividing = []device.Backend{cambricon.New(cambricon.DefaultConfig()), mthreads.New(mthreads.DefaultConfig())}

func named(name string) *corev1.Node {
	return &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: name}}
}

// TestDividedReadsBack: cards that are read of a node are described so that the same are read again, and no more cores and memory
// are given out than the node has.
func TestDividedReadsBack(t *testing.T) {
	r := testkit.Rand(t)
	for range 5000 {
		b := testkit.OneOf(r, dividing...)
		names := b.Names()
		node, again := named("n"), named("n")
		cores, units := 1+r.Int64N(testkit.OneOf[int64](r, 40, 400, 20000)), 1+r.Int64N(testkit.OneOf[int64](r, 100, 100_000, 1<<22))
		device.Offer(node, names.Cores, cores)
		device.Offer(node, names.Memory, units)
		inv := b.Inventory(node)
		if inv.Err != nil {
			continue
		}
		var allCores, memory int64
		for i := range inv.Devices {
			allCores, memory = allCores+inv.Devices[i].Cores, memory+inv.Devices[i].Memory
		}
		if most := units * names.MemoryFactor; allCores != cores || memory > most || memory <= most-int64(len(inv.Devices)) {
			t.Fatalf("%d cores and %d MiB of %d and %d", allCores, memory, cores, most)
		}
		if err := b.Describe(again, inv.Devices); err != nil {
			t.Fatalf("%d cores, %d units: %v", cores, units, err)
		}
		if read := b.Inventory(again); !reflect.DeepEqual(read, inv) {
			t.Fatalf("%d cores, %d units: read %v, described %v", cores, units, read, inv)
		}
	}
}

// TestDividedCannotTell: what the capacity of a node does not tell of cards is named.
func TestDividedCannotTell(t *testing.T) {
	b := cambricon.New(cambricon.DefaultConfig())
	node := named("n")
	device.Offer(node, b.Names().Cores, 250)
	device.Offer(node, b.Names().Memory, 240)
	for want, change := range map[string]func(d []device.DeviceInfo){
		"device x: id: cannot be described":                                                             func(d []device.DeviceInfo) { d[1].ID = "x" },
		"device n-cambricon-mlu-1: index: cannot be described":                                          func(d []device.DeviceInfo) { d[1].Index = 2 },
		"device n-cambricon-mlu-1: type: cannot be described":                                           func(d []device.DeviceInfo) { d[1].Type = "MLU370" },
		"device n-cambricon-mlu-1: slots: cannot be described":                                          func(d []device.DeviceInfo) { d[1].Slots = 10 },
		"device n-cambricon-mlu-0: memory: cannot be described":                                         func(d []device.DeviceInfo) { d[1].Memory += 256 },
		"device n-cambricon-mlu-2: health: cannot be described":                                         func(d []device.DeviceInfo) { d[2].Healthy = false },
		"device n-cambricon-mlu-0: cores: 99, but every card has 100, and only the last may have less":  func(d []device.DeviceInfo) { d[0].Cores = 99 },
		"device n-cambricon-mlu-2: cores: 101, but every card has 100, and only the last may have less": func(d []device.DeviceInfo) { d[2].Cores = 101 },
		"device n-cambricon-mlu-2: cores: 0, but every card has 100, and only the last may have less":   func(d []device.DeviceInfo) { d[2].Cores = 0 },
		"capacity cambricon.com/mlu.smlu.vmemory: gives the cards no memory": func(d []device.DeviceInfo) {
			for i := range d {
				d[i].Memory = -5
			}
		},
		"capacity cambricon.com/mlu.smlu.vmemory: more than 2147483647 MiB on a card": func(d []device.DeviceInfo) { d[0].Memory = math.MaxInt64 },
	} {
		devices := b.Inventory(node).Devices
		change(devices)
		if err := b.Describe(named("n"), devices); err == nil || err.Error() != want {
			t.Errorf("error %v, want %s", err, want)
		}
	}
	if err := b.Describe(named("n"), nil); err != nil {
		t.Errorf("no cards: %v", err)
	}
	many := make([]device.DeviceInfo, device.MaxDevices+1)
	for i := range many {
		many[i].Cores = 100
	}
	if err := b.Describe(named("n"), many); err == nil {
		t.Error("too many cards are described")
	}
}
