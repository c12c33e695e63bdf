package enflame

import (
	"github.com/accelfit/accelfit/device"
	"github.com/accelfit/accelfit/vendors/kit"
)

// whole is what a card has of memory and cores, and what is booked of it: percent of the card.
const whole = 100

// gcuInventory is what nodes tell of whole cards: their number, as capacity (spec enflame §I.3); more than [device.MaxDevices] are
// an error (deviation eD11). A node without capacity has no cards (§I.6).
type gcuInventory = kit.Counted

func newGCUInventory(names device.Names) gcuInventory {
	return kit.NewCounted(VendorGCU, names.Count, "GCU", func(_, _ int) device.DeviceInfo {
		return device.DeviceInfo{Slots: 1, Memory: whole, Cores: whole}
	})
}
