package vastai

import "github.com/accelfit/accelfit/device"

// Models lists the device models of this vendor: a device with 32 GiB that one task has for itself, under the one type that
// node agents register, as in spec vastai §16. Cards and dies of other sizes register the same type.
func Models() []device.Model {
	return []device.Model{{Vendor: Vendor, Name: string(Vendor), Slots: 1, Memory: 32768, Cores: cores}}
}
