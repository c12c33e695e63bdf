package kunlun

import (
	corev1 "k8s.io/api/core/v1"

	"github.com/accelfit/accelfit/device"
	"github.com/accelfit/accelfit/vendors/kit"
)

// virtualInventory is what nodes tell of cards that are divided: the registration annotation (spec kunlun §II.4). Entries that
// cannot be used are dropped and reported (deviations kD8 and kD9). Health is the handshake (§II.11, kD7).
type virtualInventory = kit.Registered

func newVirtualInventory(names device.Names) virtualInventory {
	return kit.NewRegistered(VendorVirtual, names, kit.Form{PlainTypes: true})
}

// Inventory implements [device.Backend]: the cards, and whether their indexes tell where they sit.
func (b *VirtualCards) Inventory(node *corev1.Node) device.Inventory {
	inv := b.virtualInventory.Inventory(node)
	if !numbered(inv.Devices) {
		inv.Extra = byPlace{}
	}
	return inv
}

// numbered says whether all cards have different indexes.
func numbered(devices []device.DeviceInfo) bool {
	seen := make(map[int]bool, len(devices))
	for i := range devices {
		seen[devices[i].Index] = true
	}
	return len(seen) == len(devices)
}
