package vendors

import "github.com/accelfit/accelfit/device"

// Need is the least that one container takes of the devices of one vendor, on whichever of them and however full they are.
// What no rule of the vendor holds pods to is told all the same: only amounts that are held to may be added up against
// what there is.
type Need struct {
	Container int // position, init containers first
	Vendor    device.Vendor
	Devices   int64 // grants: one of each device or, where instances are cut, of each instance
	Memory    int64 // MiB of each
	Cores     int64 // of each, in the unit in which devices are booked

	Shared bool // several of the devices may be one: instances that are cut out of it

	// What the vendor's rules hold the container to: no more tasks than slots, no more memory and cores than there are, a device
	// on which nothing else runs when it comes.
	BySlots, ByMemory, ByCores, ByIdle bool
}

// Needs returns the least that each container takes of each vendor's devices on a node with the given description, in the
// order in which they are fitted: of every amount the lesser of what is asked and what is booked, on the device
// that takes least. Cost: linear in the devices, for each.
func (r *Request) Needs(node *device.NodeInfo) []Need {
	usage := device.NewNodeUsage(node)
	out := make([]Need, 0, len(r.plans))
	for i, plans := range r.plans {
		position := r.pod.Containers[i].Position
		for k := range plans {
			f := device.ContainerFit{
				Node: node, Usage: usage.Devices(), Rooms: usage.Rooms(), Classes: r.pod.Classes, Class: r.pod.Classes[position],
			}
			n := Need{Container: position, Vendor: plans[k].Ask.Vendor}
			n.measure(&plans[k], &f)
			out = append(out, n)
		}
	}
	return out
}

// measure fills in what a plan takes of the devices of an idle node. A node that the vendor refuses as a whole serves nobody, so
// that nothing is known of it but the number of devices.
func (n *Need) measure(p *device.Plan, f *device.ContainerFit) {
	f.Nums = p.Ask.Nums
	if p.Nums != nil {
		f.Nums = p.Nums(f.Node)
	}
	n.Devices = max(0, f.Nums)
	n.holds(p)
	from, to := f.Node.Range(n.Vendor)
	f.Start(p, nil, nil)
	if from == to || p.Open != nil && !p.Open(f, new(device.Reasons)) {
		return
	}
	c, first := device.Candidate{}, true
	for i := from; i < to; i++ {
		memory, cores, ok := least(p, f, &c, i)
		if len(f.Node.Device(i).MIGProfiles) > 0 {
			n.Shared, cores = true, 0 // an instance books what its profile says
		}
		if !ok {
			continue
		}
		if first {
			n.Memory, n.Cores, first = memory, cores, false
		}
		n.Memory, n.Cores = min(n.Memory, memory), min(n.Cores, cores)
	}
}

// least is what a container takes of device i of an idle node; false: it cannot be booked on it.
func least(p *device.Plan, f *device.ContainerFit, c *device.Candidate, i int) (memory, cores int64, ok bool) {
	f.Consider(c, i)
	memory, cores, ok = c.Memory, c.Cores, true
	if p.Book != nil {
		ok = p.Book(c)
		booked := c.Grant()
		memory, cores = min(memory, booked.Memory), min(cores, booked.Cores)
	}
	return max(0, memory), max(0, cores), ok
}

func (n *Need) holds(p *device.Plan) {
	for _, r := range p.Rules.Rules() {
		switch r.Check {
		case device.HasSlot:
			n.BySlots = true
		case device.HasMemory:
			n.ByMemory = true
		case device.HasCores:
			n.ByCores = true
		case device.IsIdle:
			n.ByIdle = true
		}
	}
}
