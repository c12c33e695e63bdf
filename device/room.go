package device

import (
	"math"
	"math/bits"
)

// Room is what the shared checks read of one device, packed: what is left of it, and which checks do not depend on the
// amounts asked for. It follows from the device's description and usage.
type Room struct {
	memory int32  // MiB left, within the range of 32 bits; see oversize
	total  int32  // MiB in all; see oversize
	cores  int32  // percent of a card left
	passes uint32 // bit c: check c holds for every request; and the bit divided
}

// divided marks a device in mode mig.
const divided = 1 << 31

// Divided says whether the device is cut into instances (mode mig), so that it can serve one container more than once.
func (r Room) Divided() bool { return r.passes&divided != 0 }

// oversize marks a device whose memory is beyond 32 bits, so that the exact amounts must be read.
const oversize = -1

// RoomOf packs what a device offers and what is taken of it.
func RoomOf(info *DeviceInfo, use *DeviceUsage) Room {
	r := Room{memory: clamp(info.Memory - use.Memory), total: clamp(info.Memory), cores: clamp(info.Cores - use.Cores)}
	if info.Memory > math.MaxInt32 {
		r.total = oversize
	}
	if info.Mode == ModeMIG {
		r.passes |= divided
	}
	for c, holds := range [...]bool{
		IsHealthy:   use.Healthy,
		NotCordoned: !info.Cordoned,
		HasSlot:     use.Slots < info.Slots,
		IsIdle:      use.Slots <= 0,
		WholeIsIdle: info.Cores != 100 || use.Slots <= 0,
		HasCompute:  info.Cores == 0 || use.Cores != info.Cores,
	} {
		if holds {
			r.passes |= 1 << c
		}
	}
	return r
}

// Shares is what ordering and the answer read of one device, packed: how much of it is in use, where it is and who. The
// shares are 0 for a device without slots, cores or memory, which scores 0.
type Shares struct {
	ID                   string
	Slots, Cores, Memory float32 // in use, of what there is
	Used                 int32   // slots in use, within the range of 32 bits
	NUMA                 int32
	Index                uint32
}

// SharesOf packs what is taken of a device for ordering. Each share is divided in binary32 (spec core §9).
func SharesOf(info *DeviceInfo, use *DeviceUsage) Shares {
	s := Shares{ID: info.ID, Used: clamp(use.Slots), NUMA: clamp(int64(info.NUMA)), Index: uint32(info.Index)}
	if info.Slots == 0 || info.Cores == 0 || info.Memory == 0 {
		return s
	}
	s.Slots = float32(use.Slots) / float32(info.Slots)
	s.Cores = float32(use.Cores) / float32(info.Cores)
	s.Memory = float32(use.Memory) / float32(info.Memory)
	return s
}

func clamp(n int64) int32 { return int32(min(max(n, math.MinInt32), math.MaxInt32)) }

// firstBroken returns the first broken one of a set of shared checks, or Custom.
func (c *Candidate) firstBroken(checks uint32) Check {
	if c.Cores != 100 {
		checks &^= 1 << WholeIsIdle
	}
	if c.Cores != 0 {
		checks &^= 1 << HasCompute
	}
	passes, left := c.Room.passes, int64(c.Room.memory)
	if c.Room.total == oversize {
		left = c.Info().Memory - c.Usage.Memory
	}
	if left >= c.Memory {
		passes |= 1 << HasMemory
	}
	if int64(c.Room.cores) >= c.Cores {
		passes |= 1 << HasCores
	}
	broken := checks &^ passes
	if broken == 0 {
		return Custom
	}
	return Check(bits.TrailingZeros32(broken))
}
