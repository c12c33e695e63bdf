package cambricon

import "github.com/accelfit/accelfit/device"

// Models lists the device models of this vendor, all under the one type that nodes have (spec cambricon §5): cards of 24 GB,
// which are MLU370-S4 and MLU370-X4, and of 48 GB, which are MLU370-X8 (Cambricon, data sheets of the MLU370 series).
func Models() []device.Model {
	return []device.Model{model(24576), model(49152)}
}

func model(memory int64) device.Model {
	return device.Model{Vendor: Vendor, Name: string(Vendor), Slots: slots, Memory: memory, Cores: cores}
}
