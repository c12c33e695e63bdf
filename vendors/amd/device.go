package amd

import (
	"github.com/accelfit/accelfit/device"
	"github.com/accelfit/accelfit/vendors/kit"
)

// inventory is what nodes tell of cards: the registration annotation (spec amd §5), whose entries have CUs as cores and the
// product as type. Entries that cannot be used are dropped and reported (deviation aD5): among them those whose product name
// would break the allocation text it is written into.
type inventory = kit.Registered

func newInventory(names device.Names) inventory {
	return kit.NewRegistered(Vendor, names, kit.Form{PlainTypes: true})
}

// Health implements [device.Backend]: a node that offers no card has none (spec amd §13).
func (b *Backend) Health(in device.HealthInput) device.HealthAnswer {
	if b.Config().ResourceCountName == "" {
		return kit.Trusted()
	}
	offered, ok := device.Capacity(in.Node, b.Config().ResourceCountName)
	there := ok && offered != 0
	return device.HealthAnswer{Healthy: there, Renew: there}
}
