package device

import (
	"math"
	"math/bits"
)

// Room is what the shared checks read of one device, packed: what is left of it, and which checks do not depend on the
// amounts asked for. It follows from the device's description and usage.
type Room struct {
	memory int32  // MiB left, within the range of 32 bits, which no request exceeds
	total  int32  // MiB in all; see oversize
	cores  int32  // percent of a card left
	passes uint32 // bit c: check c holds for every request
}

// oversize marks a device whose memory is beyond 32 bits: its percentages need the exact amount.
const oversize = -1

// RoomOf packs what a device offers and what is taken of it.
func RoomOf(info *DeviceInfo, use *DeviceUsage) Room {
	r := Room{memory: clamp(info.Memory - use.Memory), total: clamp(info.Memory), cores: clamp(info.Cores - use.Cores)}
	if info.Memory > math.MaxInt32 {
		r.total = oversize
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

func clamp(n int64) int32 { return int32(min(max(n, math.MinInt32), math.MaxInt32)) }

// firstBroken returns the first broken one of a set of shared checks, or Custom.
func (r Room) firstBroken(checks uint32, memory, cores int64) Check {
	if cores != 100 {
		checks &^= 1 << WholeIsIdle
	}
	if cores != 0 {
		checks &^= 1 << HasCompute
	}
	passes := r.passes
	if int64(r.memory) >= memory {
		passes |= 1 << HasMemory
	}
	if int64(r.cores) >= cores {
		passes |= 1 << HasCores
	}
	broken := checks &^ passes
	if broken == 0 {
		return Custom
	}
	return Check(bits.TrailingZeros32(broken))
}
