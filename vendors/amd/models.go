package amd

import "github.com/accelfit/accelfit/device"

const gib = 1024 // MiB

// Models lists the device models of this vendor: memory and CUs are those of AMD's data sheets of the Instinct accelerators. MI250 and
// MI250X hold two dies, each of which ROCm lists as a device of its own: half a data sheet's amounts. Four slots are those of the
// examples of spec amd §16.
func Models() []device.Model {
	models := []device.Model{
		{Name: "AMD Instinct MI100", Memory: 32 * gib, Cores: 120},
		{Name: "AMD Instinct MI210", Memory: 64 * gib, Cores: 104},
		{Name: "AMD Instinct MI250", Memory: 64 * gib, Cores: 104},
		{Name: "AMD Instinct MI250X", Memory: 64 * gib, Cores: 110},
		{Name: "AMD Instinct MI300A", Memory: 128 * gib, Cores: 228},
		{Name: "AMD Instinct MI300X", Memory: 192 * gib, Cores: 304},
		{Name: "AMD Instinct MI325X", Memory: 256 * gib, Cores: 304},
		{Name: "AMD Instinct MI350X", Memory: 288 * gib, Cores: 256},
		{Name: "AMD Instinct MI355X", Memory: 288 * gib, Cores: 256},
	}
	for i := range models {
		models[i].Vendor, models[i].Slots = Vendor, 4
	}
	return models
}
