package nvidia

import "github.com/accelfit/accelfit/device"

// Models lists the device models of this vendor: common data-centre cards, ascending by name. Names are as node agents register them (spec nvidia §2.1), memory is
// what nvidia-smi reports with ECC on, ten tasks share a card by default.
//
// MIG profiles are given for the cards with a published listing of nvidia-smi mig -lgip, in the placements of NVIDIA's MIG user
// guide; drivers differ by some hundred MiB. Their names are those of HAMi's allowlist (spec core §15.2), cores are the share
// of multiprocessors, rounded up (spec nvidia §2.2).
func Models() []device.Model {
	models := []device.Model{
		{Name: "NVIDIA A10", Memory: 23028},
		{Name: "NVIDIA A100 80GB PCIe", Memory: 81920, MIGProfiles: a100With80GB()},
		{Name: "NVIDIA A100-PCIE-40GB", Memory: 40960, MIGProfiles: a100With40GB()},
		{Name: "NVIDIA A100-SXM4-40GB", Memory: 40960, MIGProfiles: a100With40GB()},
		{Name: "NVIDIA A100-SXM4-80GB", Memory: 81920, MIGProfiles: a100With80GB()},
		{Name: "NVIDIA A30", Memory: 24576, MIGProfiles: a30()},
		{Name: "NVIDIA A40", Memory: 46068},
		{Name: "NVIDIA B200", Memory: 183359},
		{Name: "NVIDIA GH200 480GB", Memory: 97871, MIGProfiles: gh200()},
		{Name: "NVIDIA H100 80GB HBM3", Memory: 81559, MIGProfiles: h100With80GB()},
		{Name: "NVIDIA H100 NVL", Memory: 95830, MIGProfiles: h100With94GB()},
		{Name: "NVIDIA H100 PCIe", Memory: 81559},
		{Name: "NVIDIA H20", Memory: 97871},
		{Name: "NVIDIA H200", Memory: 143771},
		{Name: "NVIDIA H200 NVL", Memory: 143771},
		{Name: "NVIDIA L4", Memory: 23034},
		{Name: "NVIDIA L40S", Memory: 46068},
		{Name: "NVIDIA-Tesla T4", Memory: 15360},
		{Name: "NVIDIA-Tesla V100-SXM2-16GB", Memory: 16384},
		{Name: "NVIDIA-Tesla V100-SXM2-32GB", Memory: 32768},
	}
	for i := range models {
		models[i].Vendor, models[i].Slots, models[i].Cores, models[i].Mode = Vendor, 10, 100, defaultMode
	}
	return models
}

// defaultMode is the sharing mode of cards that nobody has set another for.
const defaultMode = "hami-core"

func a30() []device.MIGProfile {
	return []device.MIGProfile{
		{Name: "1g.6gb", Memory: 5952, Cores: 25, Slices: 1, Placements: at(1, 0, 1, 2, 3)},
		{Name: "2g.12gb", Memory: 11968, Cores: 50, Slices: 2, Placements: at(2, 0, 2)},
		{Name: "4g.24gb", Memory: 24000, Cores: 100, Slices: 4, Placements: at(4, 0)},
	}
}

func a100With40GB() []device.MIGProfile {
	return []device.MIGProfile{ // as in the fixture MG of spec nvidia §10
		{Name: "1g.5gb", Memory: 4864, Cores: 15, Slices: 1, Placements: at(1, 0, 1, 2, 3, 4, 5, 6)},
		{Name: "2g.10gb", Memory: 9856, Cores: 29, Slices: 2, Placements: at(2, 0, 2, 4)},
		{Name: "3g.20gb", Memory: 19968, Cores: 43, Slices: 3, Placements: at(4, 0, 4)},
		{Name: "7g.40gb", Memory: 40192, Cores: 100, Slices: 7, Placements: at(8, 0)},
	}
}

func a100With80GB() []device.MIGProfile {
	return []device.MIGProfile{
		{Name: "1g.10gb", Memory: 9728, Cores: 15, Slices: 1, Placements: at(1, 0, 1, 2, 3, 4, 5, 6)},
		{Name: "2g.20gb", Memory: 19968, Cores: 29, Slices: 2, Placements: at(2, 0, 2, 4)},
		{Name: "3g.40gb", Memory: 40192, Cores: 43, Slices: 3, Placements: at(4, 0, 4)},
		{Name: "7g.79gb", Memory: 80896, Cores: 100, Slices: 7, Placements: at(8, 0)},
	}
}

func h100With80GB() []device.MIGProfile {
	return hopper([4]string{"1g.10gb", "2g.20gb", "3g.40gb", "7g.80gb"}, [4]int64{9984, 20096, 40448, 81152})
}

func h100With94GB() []device.MIGProfile {
	return hopper([4]string{"1g.12gb", "2g.24gb", "3g.47gb", "7g.94gb"}, [4]int64{10880, 22016, 47232, 94848})
}

func gh200() []device.MIGProfile {
	return hopper([4]string{"1g.12gb", "2g.24gb", "3g.48gb", "7g.96gb"}, [4]int64{11264, 23552, 47616, 95232})
}

// hopper cuts 132 multiprocessors into instances of 16, 32, 60 and all.
func hopper(names [4]string, memory [4]int64) []device.MIGProfile {
	return []device.MIGProfile{
		{Name: names[0], Memory: memory[0], Cores: 13, Slices: 1, Placements: at(1, 0, 1, 2, 3, 4, 5, 6)},
		{Name: names[1], Memory: memory[1], Cores: 25, Slices: 2, Placements: at(2, 0, 2, 4)},
		{Name: names[2], Memory: memory[2], Cores: 46, Slices: 3, Placements: at(4, 0, 4)},
		{Name: names[3], Memory: memory[3], Cores: 100, Slices: 7, Placements: at(8, 0)},
	}
}

func at(size uint32, starts ...uint32) []device.Placement {
	out := make([]device.Placement, len(starts))
	for i, start := range starts {
		out[i] = device.Placement{Start: start, Size: size}
	}
	return out
}
