package device

// PercentUnset in [ContainerRequest.MemoryPercent] means that no percentage was given.
const PercentUnset = 101

// ContainerRequest is what one container asks of one vendor. The zero value asks for nothing.
type ContainerRequest struct {
	Vendor Vendor
	Nums   int64 // devices; 0: the container asks nothing of this vendor
	Memory int64 // MiB of each device; 0: see MemoryPercent

	// MemoryPercent is the share of each device's memory in percent, used where Memory is 0. PercentUnset: not given.
	MemoryPercent int64

	Cores int64 // percent of each device; 0: none

	// CoresInAll is the cores of all devices together, where each node decides how many devices that makes ([Plan.Nums]);
	// 0: the container asks for Nums devices. Nums and Cores are then what it makes on a node that is not known.
	CoresInAll int64
}

// MemoryOn returns the MiB the request takes on a device with the given memory: Memory when positive, else the percentage
// rounded down, else 0 (spec core §9, nvidia §5 check 9).
func (r *ContainerRequest) MemoryOn(memory int64) int64 {
	switch {
	case r.Memory > 0:
		return r.Memory
	case r.MemoryPercent == PercentUnset:
		return 0
	}
	return Percent(memory, r.MemoryPercent)
}
