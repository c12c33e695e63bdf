package device_test

import (
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/accelfit/accelfit/device"
	"github.com/accelfit/accelfit/internal/testkit"
)

// rounds is how many random values a law is tried on.
const rounds = 300

// amount is a 32-bit amount, often a small or an extreme one.
func amount(r *rand.Rand) int64 {
	return testkit.OneOf(r, 0, 1, r.Int64N(100), r.Int64N(100000), r.Int64N(math.MaxInt32+1), math.MaxInt32)
}

func randomDevices(r *rand.Rand) []device.DeviceInfo {
	var out []device.DeviceInfo
	for i := range r.IntN(6) {
		d := device.DeviceInfo{
			ID: fmt.Sprintf("GPU-%d", i), Index: int(amount(r)), Type: testkit.OneOf(r, "", "NVIDIA-NVIDIA L4", "模型 <&>\"\\"),
			Mode: testkit.OneOf(r, "", "hami-core", "mig"), Slots: amount(r), Memory: amount(r), Cores: amount(r),
			NUMA: testkit.OneOf(r, -1, 0, 1, 7), Healthy: r.IntN(2) == 0,
		}
		for range r.IntN(3) {
			d.MIGProfiles = append(d.MIGProfiles, randomProfile(r))
		}
		for range r.IntN(4) {
			if d.LinkScores == nil {
				d.LinkScores = map[string]int64{}
			}
			d.LinkScores[fmt.Sprintf("GPU-%d", r.IntN(6))] = r.Int64() - math.MaxInt64/2
		}
		out = append(out, d)
	}
	return out
}

func randomProfile(r *rand.Rand) device.MIGProfile {
	p := device.MIGProfile{
		Name: testkit.OneOf(r, "", "1g.5gb", "3g.20gb"), Memory: amount(r), Cores: amount(r), Slices: r.Uint32(),
	}
	for range r.IntN(4) {
		size := 1 + r.Uint32N(8)
		p.Placements = append(p.Placements, device.Placement{Start: r.Uint32N(math.MaxUint32 - size + 1), Size: size})
	}
	return p
}

func randomInstance(r *rand.Rand) device.MIGInstance {
	return device.MIGInstance{
		Profile: testkit.OneOf(r, "1g.5gb", "2g.10gb"), Placement: device.Placement{Start: r.Uint32N(4), Size: 1 + r.Uint32N(2)},
	}
}

// randomAllocation is an allocation of the devices that randomNode has, and of some that it has not.
func randomAllocation(r *rand.Rand) *device.Allocation {
	a := &device.Allocation{}
	for range r.IntN(6) {
		a.Classes = append(a.Classes, testkit.OneOf(r, device.App, device.Init, device.Sidecar))
	}
	for _, vendor := range []device.Vendor{"MLU", "NVIDIA"} {
		for container := range a.Classes {
			for range r.IntN(4) {
				d := device.ContainerDevice{
					Container: container, Vendor: vendor, ID: fmt.Sprintf("d%d", r.IntN(4)), Memory: amount(r), Cores: amount(r),
				}
				if vendor == "NVIDIA" && r.IntN(3) == 0 {
					d.MIG = randomInstance(r)
				}
				a.Devices = append(a.Devices, d)
			}
		}
	}
	return a
}

// randomNode has the devices d0 to d2 of two vendors, used by a few pods.
func randomNode(r *rand.Rand) *device.NodeUsage {
	var inventories []device.Inventory
	for _, vendor := range []device.Vendor{"NVIDIA", "MLU"} {
		inv := device.Inventory{Vendor: vendor}
		for i := range 3 {
			inv.Devices = append(inv.Devices, device.DeviceInfo{ID: fmt.Sprintf("d%d", i), Healthy: r.IntN(4) > 0})
		}
		inventories = append(inventories, inv)
	}
	n := device.NewNodeUsage(device.NewNodeInfo("n1", inventories...))
	for range r.IntN(4) {
		n = n.With(randomAllocation(r))
	}
	return n
}

func randomReservations(r *rand.Rand) []device.MIGReservation {
	var out []device.MIGReservation
	for i := range r.IntN(6) {
		at := randomInstance(r)
		m := device.MIGReservation{
			ContainerIndex: i / 2, DeviceIndex: i % 2, GPUUUID: fmt.Sprintf("GPU-%d", r.IntN(3)),
			Profile: at.Profile, Placement: at.Placement,
		}
		if r.IntN(2) == 0 {
			gpu, compute := r.Uint32N(3), r.Uint32N(3)
			m.MIGUUID, m.GPUInstanceID, m.ComputeInstanceID = "MIG-1", &gpu, &compute
		}
		out = append(out, m)
	}
	return out
}

// fullDevice is a device with every field set.
func fullDevice() device.DeviceInfo {
	return device.DeviceInfo{
		ID: "a", Index: 1, Vendor: "NVIDIA", Type: "T", Mode: "mig", Slots: 2, Memory: 3, Cores: 4, NUMA: 5, Healthy: true, Cordoned: true, ScoredAs: "V",
		MIGProfiles: []device.MIGProfile{{Name: "1g.5gb", Memory: 6, Cores: 7, Slices: 8, Placements: []device.Placement{{Start: 9, Size: 10}}}},
		LinkScores:  map[string]int64{"b": 11},
		CustomInfo:  map[string]json.RawMessage{"NetworkID": json.RawMessage("12")},
	}
}
