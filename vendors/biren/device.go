package biren

import (
	"github.com/accelfit/accelfit/device"
	"github.com/accelfit/accelfit/vendors/kit"
)

// cores is what every card has, whatever it registers (spec biren §5).
const cores = 100

// inventory is what nodes tell of cards: the registration annotation (spec biren §5). Entries that cannot be used are dropped and
// reported (deviation bD3). Health is the handshake (§13, bD4).
type inventory = kit.Registered

func newInventory(names device.Names) inventory {
	return kit.NewRegistered(Vendor, names, kit.Form{Complete: func(d *device.DeviceInfo) { d.Cores = cores }})
}
