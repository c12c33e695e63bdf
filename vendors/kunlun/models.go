package kunlun

import "github.com/accelfit/accelfit/device"

// Models lists the device models of this vendor: a card of 98304 MiB, as node agents register it whole and divided (spec
// kunlun §I.4, §4.5). Models of cards with other memory are not known for certain, and cannot be divided.
func Models() []device.Model {
	return []device.Model{
		{Vendor: Vendor, Name: string(Vendor), Slots: cardSlots, Memory: cardMemory, Cores: cardCores},
		{Vendor: VendorVirtual, Name: string(VendorVirtual), Slots: 4, Memory: cardMemory, Cores: cardCores},
	}
}
