package device

import "slices"

// Plan is what one container asks of one vendor, made ready to be tried on any number of nodes. It holds only the rules that
// the request can break. A Plan is immutable and safe for concurrent use.
//
// Fitting a plan visits the vendor's devices in the order of the pod's device policy. A device is granted when it breaks
// none of the Rules, which are tried in order; otherwise it counts under the code of the first it breaks. The container is
// served by the first Ask.Nums granted devices, or by those that Choose picks.
type Plan struct {
	Ask   ContainerRequest // as it counts in the order of devices and in the fit
	Cores int64            // percent of each device that is checked and booked: Ask.Cores after the vendor's own limits
	Rules Table

	// Nums says how many devices it takes on a node, where the node decides that; nil: Ask.Nums.
	Nums func(node *NodeInfo) int64

	// Open is called once for a node that has enough devices, before any of them is tried. It may leave what it found out in
	// f.Local, or refuse the node as a whole: then it returns false and sets counts in why. nil: every node will do.
	Open func(f *ContainerFit, why *Reasons) bool

	// Amounts says what is checked and booked of a device where that depends on the device; nil: Ask.Memory or the percentage
	// of the device's memory, and Cores.
	Amounts func(c *Candidate) (memory, cores int64)

	// Book settles with c.BookAs what is booked on a device that is not booked as asked for (a MIG profile is larger than the
	// request), and says whether that is possible. The check CanBook calls it, and InQuota before it. It may read
	// c.Fit.Granted. nil: the request is booked as it is.
	Book func(c *Candidate) bool

	// Charge says what a grant counts with in quotas, where that is not what is booked ([Charger]); nil: what is booked.
	Charge func(d *DeviceInfo, memory, cores int64) (int64, int64)

	// Tag is what usage remembers of the pod on each device granted ([DeviceUsage.Tags]); empty: nothing.
	Tag string

	// QuotaAsAsked checks quotas with the amounts asked for, whatever Book settles (QuotaByRequest).
	QuotaAsAsked bool

	// Repeat lets devices in mode mig serve a container more than once: such a device is tried again after it was granted,
	// until it breaks a rule.
	Repeat bool

	// OneNUMA asks for all devices from one run of devices with the same NUMA node. A device that breaks none of Joins
	// joins the run; one of another NUMA node starts a new run, and what was granted before is dropped and counts as
	// NumaNotFit.
	OneNUMA bool
	Joins   Table

	// Choose picks among all granted devices; nil: the first Ask.Nums serve.
	Choose Chooser
}

// Chooser picks the devices that serve a container as a set. It is called once every device was tried, with all that passed
// in f.Granted, however few, and returns f.Nums positions in f.Granted in the order in which they are to be booked. Any other
// number refuses the container: why, which holds the counts of the rules, is then the answer ([ContainerFit.TooFew] adds
// what is usual, and is called where there is no count at all). It must not keep f, nor change it.
type Chooser func(f *ContainerFit, why *Reasons) []int

// Grant is one device granted to the container at hand.
type Grant struct {
	Device int // position on the node
	Memory int64
	Cores  int64
	MIG    MIGInstance
}

// ContainerFit is the state of fitting one container on one node, as rules and choosers see it. It is valid during the
// call only, and read-only.
type ContainerFit struct {
	Node  *NodeInfo
	Usage []DeviceUsage // of every device of the node, including what earlier containers of the pod took
	Rooms []Room        // of Usage
	Plan  *Plan
	Nums  int64 // devices to find on this node

	Granted []Grant // devices that passed so far, in visiting order
	Local   any     // what Plan.Open found out about the node

	Quota   *Headroom         // what the pod's namespace may still take of the vendor; nil: anything
	Class   ContainerClass    // of the container at hand
	Classes []ContainerClass  // of all containers of the pod
	Taken   []ContainerDevice // what earlier containers of the pod took, of all vendors

	ints  []int // see Ints
	meter meter
}

// Start begins with a plan: nothing is granted yet. taken is what earlier containers of the pod took, of all vendors.
func (f *ContainerFit) Start(p *Plan, quota *Headroom, taken []ContainerDevice) {
	f.Plan, f.Quota, f.Taken = p, quota, taken
	f.Granted, f.Local, f.ints = f.Granted[:0], nil, f.ints[:0]
	f.meter.ready = false
}

// Consider makes device i the candidate c. The slice elements are shared, nothing is allocated.
func (f *ContainerFit) Consider(c *Candidate, i int) {
	if c.Fit != f {
		c.Fit = f
	}
	c.Device, c.Usage, c.Room = i, &f.Usage[i], f.Rooms[i]
	ask := &f.Plan.Ask
	switch {
	case ask.Memory > 0:
		c.Memory = ask.Memory
	case c.Room.total == oversize:
		c.Memory = ask.MemoryOn(f.Node.Device(i).Memory)
	default:
		c.Memory = ask.MemoryOn(int64(c.Room.total))
	}
	c.Cores = f.Plan.Cores
	c.booked = false
	if f.Plan.Amounts != nil {
		c.Memory, c.Cores = f.Plan.Amounts(c)
	}
}

// Ints returns n zeros for a [Chooser] to work with and to answer in. They are valid until the next container is fitted, and
// cost no allocation once as many were used before.
func (f *ContainerFit) Ints(n int) []int {
	from := len(f.ints)
	f.ints = slices.Grow(f.ints, n)[:from+n]
	out := f.ints[from : from+n : from+n]
	clear(out)
	return out
}

// TooFew counts the devices that passed as too few.
func (f *ContainerFit) TooFew(why *Reasons) {
	if len(f.Granted) > 0 {
		why.Set(AllocatedCardsInsufficientRequest, len(f.Granted))
	}
}
