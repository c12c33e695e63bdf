package kunlun

import (
	"github.com/accelfit/accelfit/device"
	"github.com/accelfit/accelfit/vendors/kit"
)

// What every card has (spec kunlun §I.4).
const (
	cardMemory = 98304
	cardCores  = 100
	cardSlots  = 100 // never tested: cards are exclusive
)

// cardInventory is what nodes tell of whole cards: their number, as capacity (spec kunlun §I.4). No capacity, 0 or less is no
// card; more than [device.MaxDevices] is an error (deviation kD6).
type cardInventory = kit.Counted

func newCardInventory(names device.Names) cardInventory {
	return kit.NewCounted(Vendor, names.Count, "kunlun", func(i, n int) device.DeviceInfo {
		d := device.DeviceInfo{Slots: cardSlots, Memory: cardMemory, Cores: cardCores}
		if i >= n/2 {
			d.NUMA = 1
		}
		return d
	})
}

// Health implements [device.Backend]: what the node says counts (spec kunlun §I.11).
func (b *Cards) Health(device.HealthInput) device.HealthAnswer { return kit.Trusted() }
