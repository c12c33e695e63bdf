package iluvatar

import (
	"github.com/accelfit/accelfit/device"
	"github.com/accelfit/accelfit/vendors/kit"
)

// inventory is what nodes tell of cards: the registration annotation (spec iluvatar §5). Records that cannot be used are dropped
// and reported (deviations iD8, iD9). What is asked counts in the scores of all cards of the chip (iD4). Health is
// the handshake (§13).
type inventory = kit.Registered

func newInventory(v device.Vendor, names device.Names) inventory {
	return kit.NewRegistered(v, names, kit.Form{
		Decode: device.DecodeLegacyRegistration, Encode: device.EncodeLegacyRegistration,
		Complete: func(d *device.DeviceInfo) { d.ScoredAs = v },
	})
}
