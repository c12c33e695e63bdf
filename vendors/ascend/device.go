package ascend

import (
	"encoding/json"
	"math"

	corev1 "k8s.io/api/core/v1"

	"github.com/accelfit/accelfit/device"
	"github.com/accelfit/accelfit/vendors/kit"
)

// inventory is what nodes tell of NPUs: the registration annotation (spec ascend §1.3). A bad entry makes it unreadable. Health is
// the handshake (§7).
type inventory = kit.Registered

func newInventory(v device.Vendor, names device.Names) inventory {
	return kit.NewRegistered(v, names, kit.Form{AllOrNothing: true})
}

// networkKey is the key of the network group in a device's custom information.
const networkKey = "NetworkID"

// facts is what a node tells besides its devices, as [device.Inventory.Extra].
type facts struct {
	softSaid bool // the node says whether it can do the soft split
	soft     bool

	// group is the network group of each device, in the order of the inventory; noGroup for one that names none. groups is how
	// many there are.
	group     []int
	groups    int
	connected bool // every device names its group; only then groups count in the choice
}

const noGroup = -1

// Inventory implements [device.Backend]: the devices, their network groups and whether the node can do the soft split.
func (b *Backend) Inventory(node *corev1.Node) device.Inventory {
	inv := b.inventory.Inventory(node)
	if inv.Err != nil {
		return inv
	}
	x := &facts{}
	if text, ok := node.Annotations[AnnotationSoftNode]; ok {
		x.softSaid, x.soft = true, text == "true"
	}
	if b.is910() {
		x.readNetworks(inv.Devices)
	}
	inv.Extra = x
	return inv
}

// readNetworks numbers the network groups of devices. A group is the whole part of a NetworkID; one that is no finite number is
// none (deviation A3).
func (x *facts) readNetworks(devices []device.DeviceInfo) {
	numbers := map[float64]int{}
	x.group, x.connected = make([]int, len(devices)), true
	for i := range devices {
		id, ok := networkID(&devices[i])
		if !ok {
			x.group[i], x.connected = noGroup, false
			continue
		}
		g, seen := numbers[id]
		if !seen {
			g = len(numbers)
			numbers[id] = g
		}
		x.group[i] = g
	}
	x.groups = len(numbers)
}

func networkID(d *device.DeviceInfo) (whole float64, ok bool) {
	var id *float64 // null is no number
	if json.Unmarshal(d.CustomInfo[networkKey], &id) != nil || id == nil {
		return 0, false
	}
	return math.Trunc(*id), true
}

// factsOf is what the node told; zero for one that told nothing.
func (b *Backend) factsOf(node *device.NodeInfo) facts {
	if x, ok := node.Extra(b.Vendor()).(*facts); ok {
		return *x
	}
	return facts{}
}
