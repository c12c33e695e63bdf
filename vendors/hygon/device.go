package hygon

import (
	"github.com/accelfit/accelfit/device"
	"github.com/accelfit/accelfit/vendors/kit"
)

// inventory is what nodes tell of cards (spec hygon §5): the registration annotation. Records that cannot be used are dropped and
// reported (deviations hD5, hD6, hD13); one without index has its place in the list as index (hD17). What is asked counts in the
// scores of all cards (hD10). Health is the handshake (§13, hD7).
type inventory = kit.Registered

func newInventory(names device.Names) inventory {
	return kit.NewRegistered(Vendor, names, kit.Form{
		Decode: device.DecodeNumberedRegistration, Encode: device.EncodeLegacyRegistration,
		Complete: func(d *device.DeviceInfo) { d.ScoredAs = Vendor },
	})
}
