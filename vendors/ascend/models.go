package ascend

import "github.com/accelfit/accelfit/device"

// Models lists the device models of this vendor: the chips of spec ascend §1.1, with the memory and AI cores of HAMi's chart. The slots are what node agents
// register: how often the smallest template goes into the chip, by AI cores and by memory.
func Models() []device.Model {
	return []device.Model{
		model("Ascend910A", 15, 32768, 30),
		model("Ascend910B2", 8, 65536, 24),
		model("Ascend910B3", 4, 65536, 20),
		model("Ascend910B4-1", 4, 65536, 20),
		model("Ascend910B4", 4, 32768, 20),
		model("Ascend310P", 7, 21527, 8),
		model("Ascend910C", 4, 65536, 20),
	}
}

func model(word string, slots, memory, cores int64) device.Model {
	return device.Model{Vendor: device.Vendor(word), Name: word, Slots: slots, Memory: memory, Cores: cores}
}
