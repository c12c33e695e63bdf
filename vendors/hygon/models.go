package hygon

import "github.com/accelfit/accelfit/device"

// Models lists the device models of this vendor: memory as in Hygon's product pages, names and 30 tasks a card as in the
// registrations of spec hygon §16.
func Models() []device.Model {
	return []device.Model{
		{Vendor: Vendor, Name: "DCU-K100_AI", Slots: 30, Memory: 65536, Cores: 100},
		{Vendor: Vendor, Name: "DCU-Z100L", Slots: 30, Memory: 32768, Cores: 100},
	}
}
