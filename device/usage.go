package device

import "slices"

// State is a vendor's own record of what occupies a device beyond slots, memory and cores: MIG instances, a QoS policy.
// A State is immutable once it is part of a [DeviceUsage]; a change makes a new one.
type State interface {
	// DeepCopyState returns a copy that shares nothing.
	DeepCopyState() State
}

// DeviceUsage is what is taken of one device. The zero value is a device with nothing taken that takes no new work.
type DeviceUsage struct {
	Slots   int64 // tasks on the device
	Memory  int64 // MiB
	Cores   int64 // percent of a card
	Healthy bool  // takes new work; false when the node says so or its bookkeeping cannot be trusted
	State   State // nil: nothing beyond the above
}

// MIG returns the instances in use. The slice is read-only.
func (u *DeviceUsage) MIG() MIGState {
	m, _ := u.State.(MIGState)
	return m
}

// TagState is the [State] of a device whose vendor remembers something of the pods on it: a tag for each pod, in the order
// in which they came.
type TagState []string

// DeepCopyState implements [State].
func (t TagState) DeepCopyState() State { return slices.Clone(t) }

// Tags returns what the vendor remembers of the pods on the device. The slice is read-only.
func (u *DeviceUsage) Tags() TagState {
	t, _ := u.State.(TagState)
	return t
}

// DeepCopy returns a copy that shares nothing with u.
func (u DeviceUsage) DeepCopy() DeviceUsage {
	if u.State != nil {
		u.State = u.State.DeepCopyState()
	}
	return u
}

// NodeUsage is a node with what is taken of its devices. It is immutable: With and Without return new values, which share
// with the old one whatever did not change. Any number of goroutines may read it.
type NodeUsage struct {
	info    *NodeInfo
	devices []DeviceUsage
	rooms   []Room   // of devices
	shares  []Shares // of devices
	first   Vendor   // the vendor whose devices are [0, to): most nodes have no other
	to      int
	words   bool // see TypesAreWords

	used, total Sums
}

// Sums adds up the devices of a node, of all vendors.
type Sums struct{ Slots, Cores, Memory int64 }

func (s *Sums) add(slots, cores, memory int64) {
	s.Slots, s.Cores, s.Memory = Sum(s.Slots, slots), Sum(s.Cores, cores), Sum(s.Memory, memory)
}

// smallNode keeps the rooms of a usual node beside the rest: refusing it then reads few cache lines.
type smallNode struct {
	NodeUsage
	rooms [8]Room
}

// usualNode is a node of 5 to 8 devices in one piece of memory.
type usualNode struct {
	smallNode
	shares  [8]Shares
	devices [8]DeviceUsage
}

// NewNodeUsage returns the usage of a node nobody uses.
func NewNodeUsage(info *NodeInfo) *NodeUsage {
	n := roomFor(info)
	for i := range n.devices {
		n.devices[i].Healthy = info.devices[i].Healthy
	}
	n.settle()
	return n
}

// roomFor returns a usage that is to be filled in and settled.
func roomFor(info *NodeInfo) *NodeUsage {
	size := info.Len()
	var n *NodeUsage
	switch {
	case size > 8:
		n = &NodeUsage{rooms: make([]Room, size), shares: make([]Shares, size), devices: make([]DeviceUsage, size)}
	case size > 4:
		usual := new(usualNode)
		n = &usual.NodeUsage
		n.rooms, n.shares, n.devices = usual.rooms[:size], usual.shares[:size:size], usual.devices[:size:size]
	default:
		small := new(smallNode)
		n = &small.NodeUsage
		n.rooms, n.shares, n.devices = small.rooms[:size], make([]Shares, size), make([]DeviceUsage, size)
	}
	n.info = info
	return n
}

// settle works out what follows from the usage of the devices.
func (n *NodeUsage) settle() {
	info := n.info
	if len(info.spans) > 0 {
		n.first, n.to = info.spans[0].vendor, info.spans[0].to
	}
	n.words = info.words
	for i := range n.devices {
		d, u := &info.devices[i], &n.devices[i]
		n.rooms[i], n.shares[i] = RoomOf(d, u), SharesOf(d, u)
		n.used.add(u.Slots, u.Cores, u.Memory)
		n.total.add(d.Slots, d.Cores, d.Memory)
	}
}

// Info is the node's description.
func (n *NodeUsage) Info() *NodeInfo { return n.info }

// Device returns the usage of device i. The pointer is into n: read it, never write through it.
func (n *NodeUsage) Device(i int) *DeviceUsage { return &n.devices[i] }

// Range returns the half-open range of a vendor's devices; empty when it has none here.
func (n *NodeUsage) Range(v Vendor) (from, to int) {
	if v == n.first {
		return 0, n.to
	}
	return n.info.Range(v)
}

// Sums returns what is taken of all devices together, and what there is.
func (n *NodeUsage) Sums() (used, total Sums) { return n.used, n.total }

// TypesAreWords says whether the type of some device is the word of a vendor with devices here, so that what a container
// asks counts in the score of that device.
func (n *NodeUsage) TypesAreWords() bool { return n.words }

// Rooms returns what the shared checks read of all devices, in the order of Info. The slice is n's own: read it, never
// write to it.
func (n *NodeUsage) Rooms() []Room { return n.rooms }

// Shares returns what ordering reads of all devices, in the order of Info. The slice is n's own: read it, never write to it.
func (n *NodeUsage) Shares() []Shares { return n.shares }

// Devices returns the usage of all devices, in the order of Info. The slice is n's own: read it, never write to it.
func (n *NodeUsage) Devices() []DeviceUsage { return n.devices }

// Update returns a copy of n after edit has changed the usage of its devices in place. edit owns the slice for the time
// of the call; a State must be replaced, not written to. One copy is made however many devices change.
func (n *NodeUsage) Update(edit func(devices []DeviceUsage)) *NodeUsage {
	next := roomFor(n.info)
	copy(next.devices, n.devices)
	edit(next.devices)
	next.settle()
	return next
}

// With returns n with the effective amounts of a ([Allocation.Collapse]) taken as well. Devices of a that the node does
// not have are left out: their bookkeeping is stale. Cost: one copy of the node's usage.
func (n *NodeUsage) With(a *Allocation) *NodeUsage { return n.apply(a, (*DeviceUsage).Take) }

// Without returns n with the effective amounts of a given back: n.With(a).Without(a) equals n. No amount falls below 0.
func (n *NodeUsage) Without(a *Allocation) *NodeUsage { return n.apply(a, (*DeviceUsage).Give) }

func (n *NodeUsage) apply(a *Allocation, change func(*DeviceUsage, Hold)) *NodeUsage {
	next := roomFor(n.info)
	copy(next.devices, n.devices)
	var few [8]Hold // no memory for the usual number
	for _, h := range a.AppendHolds(few[:0]) {
		if i := n.info.Find(h.Vendor, h.ID); i >= 0 {
			change(&next.devices[i], h)
		}
	}
	next.settle()
	return next
}

// Take adds a hold to the usage.
func (u *DeviceUsage) Take(h Hold) {
	u.Slots += h.Slots
	u.Memory = Sum(u.Memory, h.Memory)
	u.Cores = Sum(u.Cores, h.Cores)
	switch {
	case len(h.MIG) > 0:
		u.State = append(slices.Clone(u.MIG()), h.MIG...)
	case h.Tag != "":
		u.State = append(slices.Clone(u.Tags()), h.Tag)
	}
}

// Give takes a hold off the usage again; no amount falls below 0.
func (u *DeviceUsage) Give(h Hold) {
	u.Slots = max(0, u.Slots-h.Slots)
	u.Memory = max(0, u.Memory-h.Memory)
	u.Cores = max(0, u.Cores-h.Cores)
	switch {
	case len(h.MIG) > 0:
		rest := without(u.MIG(), h.MIG...)
		u.State = rest
		if len(rest) == 0 {
			u.State = nil
		}
	case h.Tag != "":
		rest := without(u.Tags(), h.Tag)
		u.State = rest
		if len(rest) == 0 {
			u.State = nil
		}
	}
}

// without returns a copy of s less one element equal to each of gone, the one taken last, so that the others keep their
// order.
func without[S ~[]E, E comparable](s S, gone ...E) S {
	rest := slices.Clone(s)
	for _, g := range gone {
		for i := len(rest) - 1; i >= 0; i-- {
			if rest[i] == g {
				rest = slices.Delete(rest, i, i+1)
				break
			}
		}
	}
	return rest
}

// DeepCopy returns a copy whose usage shares nothing with n; the immutable description is shared.
func (n *NodeUsage) DeepCopy() *NodeUsage {
	next := roomFor(n.info)
	for i := range n.devices {
		next.devices[i] = n.devices[i].DeepCopy()
	}
	next.settle()
	return next
}
