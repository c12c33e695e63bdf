package metax

import "github.com/accelfit/accelfit/device"

// Models lists the device models of this vendor: the MXC500 with 64 GB (MetaX, data sheet of the C500 series), whole and shared,
// under the one type of either that node agents have (spec metax §I.4, §II.4, and §3.2 for the 16 slots of a shared card).
func Models() []device.Model {
	return []device.Model{
		{Vendor: VendorGPU, Name: string(VendorGPU), Slots: 1, Memory: gpuMemory, Cores: gpuCores},
		{Vendor: VendorSGPU, Name: string(VendorSGPU), Slots: 16, Memory: 65536, Cores: 100},
	}
}
