package biren

import "github.com/accelfit/accelfit/device"

// Models lists the device models of this vendor: the BR100 with 64 GB (Hot Chips 34, "Biren BR100 GPGPU"), under the one type that
// node agents register (spec biren §1), shared by two containers as in spec biren §16.
func Models() []device.Model {
	return []device.Model{{Vendor: Vendor, Name: string(Vendor), Slots: 2, Memory: 65536, Cores: cores}}
}
