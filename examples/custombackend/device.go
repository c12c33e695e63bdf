package nimbus

import (
	"github.com/accelfit/accelfit/device"
	"github.com/accelfit/accelfit/vendors/kit"
)

// Sharing modes of NPUs.
const (
	ModeShared    = "shared"
	ModeExclusive = "exclusive"
)

// Models lists the NPUs that there are, as node agents register them by default. The slice is the caller's.
func Models() []device.Model {
	return []device.Model{
		{Vendor: Vendor, Name: "Nimbus N1", Slots: 4, Memory: 32 << 10, Cores: 100, Mode: ModeShared},
		{Vendor: Vendor, Name: "Nimbus N2", Slots: 8, Memory: 64 << 10, Cores: 100, Mode: ModeShared},
		{Vendor: Vendor, Name: "Nimbus N2X", Slots: 1, Memory: 64 << 10, Cores: 100, Mode: ModeExclusive},
	}
}

// inventory is what nodes tell of NPUs: the registration annotation, and a handshake.
type inventory = kit.Registered

func newInventory(names device.Names) inventory {
	return kit.NewRegistered(Vendor, names, kit.Form{Decode: device.DecodeRegistration, Encode: device.EncodeRegistration})
}
