// Package engine fits pods on nodes: one loop for the models of all vendors.
//
// A [Pod] is a pod's requests made ready; a [Scratch] is the memory that one attempt needs and the next can use again.
// The loop follows spec core §5 (init containers, sidecars, app containers), §7 (one container) and §8 (order).
package engine

import (
	"cmp"
	"slices"

	"github.com/accelfit/accelfit/device"
	"github.com/accelfit/accelfit/score"
)

// Pod is what a pod asks for, made ready to be tried on any number of nodes. It is immutable.
type Pod struct {
	Classes    []device.ContainerClass // of every container, init containers first
	Containers []Container             // those that ask for something: sidecars, then init, then app containers
	Policy     score.Policy
	Weights    score.Weights
}

// Container is what one container asks for.
type Container struct {
	Position int
	Asks     []device.ContainerRequest // ascending vendor word
	Plans    []Plan                    // in the order of Asks
}

// Plan is a vendor's plan with what the namespace may still take of the vendor.
type Plan struct {
	device.Plan
	Quota *device.Headroom // nil: anything
}

// Trace is told about every device that is tried: the rule it broke, or nil when it was granted.
type Trace func(container int, rule *device.Rule, c *device.Candidate)

// Scratch is the memory of one attempt. Its zero value is ready; it must not be used by two goroutines at a time.
type Scratch struct {
	// Why is why the last Fit returned nil.
	Why device.Reasons

	pod   *Pod
	node  *device.NodeUsage
	trace Trace

	shared, fresh view
	ranks         []score.Rank
	passing       []int32
	numbers       []int32 // 0, 1, 2 …
	taken         []device.ContainerDevice
	chosen        []device.Grant
	fit           device.ContainerFit
	candidate     device.Candidate
}

// view is a state of the node: the node's own usage until something is booked, then a copy.
type view struct {
	state
	copied state   // memory for the copy
	order  []int32 // empty: registration order
}

type state struct {
	usage  []device.DeviceUsage
	rooms  []device.Room
	shares []device.Shares
}

func (v *view) reset(s state) { v.state, v.order = s, v.order[:0] }

func (v *view) book(info *device.NodeInfo, g *device.Grant, tag string) {
	c := &v.copied
	if len(c.usage) == 0 || &v.usage[0] != &c.usage[0] {
		c.usage = append(c.usage[:0], v.usage...)
		c.rooms = append(c.rooms[:0], v.rooms...)
		c.shares = append(c.shares[:0], v.shares...)
		v.state = *c
	}
	hold := device.Hold{Slots: 1, Memory: g.Memory, Cores: g.Cores, Tag: tag}
	if !g.MIG.IsZero() {
		hold.MIG = []device.MIGInstance{g.MIG}
	}
	use := &v.usage[g.Device]
	use.Take(hold)
	v.rooms[g.Device] = device.RoomOf(info.Device(g.Device), use)
	v.shares[g.Device] = device.SharesOf(info.Device(g.Device), use)
}

// Fit tries a pod on a node. It returns the allocation, or nil and why not in Why, which is valid until the next call. Cost:
// one pass over the devices of the requested vendors for each container; refusing allocates nothing unless a container
// before was granted devices.
func (s *Scratch) Fit(pod *Pod, node *device.NodeUsage, trace Trace) *device.Allocation {
	info := node.Info()
	s.pod, s.node, s.trace, s.taken = pod, node, trace, s.taken[:0]
	s.fit.Node, s.fit.Classes = info, pod.Classes
	if len(pod.Containers) > 0 && len(node.Devices()) == 0 {
		s.Why = device.Reasons{Node: device.NodeUnregistered}
		if info.Malformed("") {
			s.Why.Node = device.NodeMalformed
		}
		return nil
	}
	s.shared.reset(state{node.Devices(), node.Rooms(), node.Shares()})
	for i := range pod.Containers {
		if !s.container(i) {
			return nil
		}
	}
	return s.allocation()
}

// single is the allocation of one device, the most frequent one, in one piece of memory.
type single struct {
	device.Allocation
	devices [1]device.ContainerDevice
}

func (s *Scratch) allocation() *device.Allocation {
	if len(s.taken) == 1 {
		one := &single{devices: [1]device.ContainerDevice{s.taken[0]}}
		one.Classes, one.Devices = s.pod.Classes, one.devices[:]
		return &one.Allocation
	}
	a := &device.Allocation{Classes: s.pod.Classes, Devices: make([]device.ContainerDevice, len(s.taken))}
	copy(a.Devices, s.taken)
	if len(s.pod.Containers) > 1 || len(s.pod.Containers) == 1 && len(s.pod.Containers[0].Plans) > 1 {
		slices.SortStableFunc(a.Devices, func(x, y device.ContainerDevice) int {
			return cmp.Or(cmp.Compare(x.Vendor, y.Vendor), cmp.Compare(x.Container, y.Container))
		})
	}
	return a
}

// container fits the container at place i of the pod. Init containers are tried on a fresh copy of the node that already
// holds the sidecars; all others share one.
func (s *Scratch) container(i int) bool {
	c := &s.pod.Containers[i]
	s.fit.Class = s.pod.Classes[c.Position]
	v := &s.shared
	if s.fit.Class == device.Init {
		v = &s.fresh
		v.reset(s.shared.state)
		v.order = append(v.order, s.shared.order...)
	}
	last := i+1 == len(s.pod.Containers)
	keep := v == &s.shared && !last || len(c.Plans) > 1
	if keep {
		s.sort(v, c)
	}
	for k := range c.Plans {
		if !s.plan(v, c, &c.Plans[k], keep) {
			s.Why.Container, s.Why.Vendor, s.Why.Asked = c.Position, c.Plans[k].Ask.Vendor, c.Plans[k].Ask.Nums
			return false
		}
	}
	return true
}

// sort puts all devices of the node into visiting order for a container, on top of the order of the container before.
func (s *Scratch) sort(v *view, c *Container) {
	if len(v.order) == 0 {
		v.order = append(v.order, s.upTo(len(v.usage))...)
	}
	s.rank(v, c, v.order)
	s.pod.Policy.Sort(v.order, s.ranks)
}

// rank works out what devices are sorted by. What the container asks counts only on devices whose type is a vendor word.
func (s *Scratch) rank(v *view, c *Container, positions []int32) {
	if len(s.ranks) < len(v.usage) {
		s.ranks = make([]score.Rank, len(v.usage))
	}
	asks := s.node.TypesAreWords()
	for _, i := range positions {
		if asks {
			s.ranks[i] = score.RankOf(s.fit.Node.Device(int(i)), &v.usage[i], c.Asks, s.pod.Weights)
		} else {
			s.ranks[i] = score.RankUnasked(&v.shares[i], s.pod.Weights)
		}
	}
}

// plan fits one vendor's plan and takes what it is granted. sorted says that v is in visiting order already.
func (s *Scratch) plan(v *view, c *Container, p *Plan, sorted bool) bool {
	from, to := s.node.Range(p.Ask.Vendor)
	s.Why = device.Reasons{Total: to - from}
	s.fit.Nums = p.Ask.Nums
	if p.Nums != nil {
		s.fit.Nums = p.Nums(s.fit.Node)
	}
	if s.fit.Nums > int64(to-from) && !s.repeats(v, &p.Plan, from, to) {
		s.Why.Node = device.NodeInsufficientDevice
		if from == to && s.fit.Node.Malformed(p.Ask.Vendor) {
			s.Why.Node = device.NodeMalformed
		}
		return false
	}
	s.fit.Usage, s.fit.Rooms = v.usage, v.rooms
	s.fit.Start(&p.Plan, p.Quota, s.taken)
	if p.Open != nil && !p.Open(&s.fit, &s.Why) {
		return false
	}
	if !s.grant(v, c, p, from, to, sorted) {
		return false
	}
	for i := range s.fit.Granted {
		g := &s.fit.Granted[i]
		who := &v.shares[g.Device]
		s.taken = append(s.taken, device.ContainerDevice{
			Container: c.Position, Vendor: p.Ask.Vendor, ID: who.ID, Index: int(who.Index),
			Memory: g.Memory, Cores: g.Cores, MIG: g.MIG, Tag: p.Tag,
		})
		if sorted {
			v.book(s.fit.Node, g, p.Tag)
		}
	}
	return true
}

func (s *Scratch) repeats(v *view, p *device.Plan, from, to int) bool {
	return p.Repeat && slices.ContainsFunc(v.rooms[from:to], device.Room.Divided)
}

// grant leaves the devices that serve in s.fit.Granted. Where the order of trying cannot change which devices pass, all are
// tried first and only those that passed are sorted; a node without room is then refused without sorting anything.
func (s *Scratch) grant(v *view, c *Container, p *Plan, from, to int, sorted bool) bool {
	anyOrder := s.trace == nil && !p.OneNUMA && p.Quota == nil
	before := s.Why
	if anyOrder && s.try(v, p, from, to) {
		return s.grantPassing(v, c, p, sorted)
	}
	s.Why = before
	s.passing = v.between(s.passing[:0], from, to)
	if !sorted {
		s.rank(v, c, s.passing)
		s.pod.Policy.Sort(s.passing, s.ranks)
	}
	return s.walk(c, p)
}

// between appends the devices from..to-1 in the view's order.
func (v *view) between(positions []int32, from, to int) []int32 {
	if len(v.order) == 0 {
		for i := from; i < to; i++ {
			positions = append(positions, int32(i))
		}
		return positions
	}
	for _, i := range v.order {
		if int(i) >= from && int(i) < to {
			positions = append(positions, i)
		}
	}
	return positions
}

// try leaves the devices that break no rule in s.passing. It gives up, and returns false, at a device that passes and can
// serve more than once.
func (s *Scratch) try(v *view, p *Plan, from, to int) bool {
	positions := v.order
	if len(positions) == 0 {
		positions = s.upTo(to)[from:]
	}
	passing := s.passing[:0]
	for _, i := range positions {
		if int(i) < from || int(i) >= to {
			continue
		}
		s.fit.Consider(&s.candidate, int(i))
		if broken := p.Rules.Broken(&s.candidate); broken >= 0 {
			s.Why.Add(p.Rules.Code(broken), 1)
			continue
		}
		if p.Repeat && s.candidate.Room.Divided() {
			return false
		}
		passing = append(passing, i)
	}
	s.passing = passing
	return true
}

// upTo returns the numbers 0..n-1.
func (s *Scratch) upTo(n int) []int32 {
	for len(s.numbers) < n {
		s.numbers = append(s.numbers, int32(len(s.numbers)))
	}
	return s.numbers[:n]
}

// grantPassing grants the first of the devices that passed.
func (s *Scratch) grantPassing(v *view, c *Container, p *Plan, sorted bool) bool {
	n := int(s.fit.Nums)
	switch {
	case p.Choose != nil:
		n = len(s.passing)
	case len(s.passing) < n:
		return s.short(len(s.passing))
	}
	if !sorted && n > 0 {
		s.rank(v, c, s.passing)
		s.pod.Policy.Last(s.passing, s.ranks, n)
	}
	for k := 1; k <= n; k++ {
		s.fit.Consider(&s.candidate, int(s.passing[len(s.passing)-k]))
		if p.Book != nil {
			p.Book(&s.candidate)
		}
		s.fit.Granted = append(s.fit.Granted, s.candidate.Grant())
	}
	return p.Choose == nil || s.choose(p)
}

// walk tries the devices one by one in visiting order.
func (s *Scratch) walk(c *Container, p *Plan) bool {
	const noRun = -1
	run := noRun
	for k := len(s.passing) - 1; k >= 0; k-- {
		for again := true; again; {
			broken := s.visit(int(s.passing[k]), p, &run)
			s.tell(c, p, broken)
			if broken >= 0 {
				s.Why.Add(p.Rules.Code(broken), 1)
				break
			}
			s.fit.Granted = append(s.fit.Granted, s.candidate.Grant())
			if p.Choose == nil && len(s.fit.Granted) == int(s.fit.Nums) {
				s.tellOthers(c, p, s.passing[:k])
				return true
			}
			again = p.Repeat && s.candidate.Room.Divided()
		}
	}
	return s.choose(p)
}

// visit evaluates the rules on device i and keeps the run of one NUMA node that the plan may ask for.
func (s *Scratch) visit(i int, p *Plan, run *int) int {
	s.fit.Consider(&s.candidate, i)
	if p.OneNUMA && p.Joins.Broken(&s.candidate) < 0 && s.candidate.Info().NUMA != *run {
		*run = s.candidate.Info().NUMA
		if p.Choose == nil {
			s.Why.Add(device.NumaNotFit, len(s.fit.Granted))
		}
		s.fit.Granted = s.fit.Granted[:0]
	}
	return p.Rules.Broken(&s.candidate)
}

func (s *Scratch) tell(c *Container, p *Plan, broken int) {
	switch {
	case s.trace == nil:
	case broken < 0:
		s.trace(c.Position, nil, &s.candidate)
	default:
		s.trace(c.Position, &p.Rules.Rules()[broken], &s.candidate)
	}
}

// tellOthers tells the trace of the devices behind those that serve, each as if it served in place of the last.
func (s *Scratch) tellOthers(c *Container, p *Plan, rest []int32) {
	if s.trace == nil {
		return
	}
	served := s.fit.Granted
	s.fit.Granted = served[:len(served)-1]
	for k := len(rest) - 1; k >= 0; k-- {
		s.fit.Consider(&s.candidate, int(rest[k]))
		s.tell(c, p, p.Rules.Broken(&s.candidate))
	}
	s.fit.Granted = served
}

// choose leaves the devices that serve, once all were tried.
func (s *Scratch) choose(p *Plan) bool {
	n := int(s.fit.Nums)
	if p.Choose == nil {
		if len(s.fit.Granted) < n {
			return s.short(len(s.fit.Granted))
		}
		return true
	}
	picked := p.Choose(&s.fit, &s.Why)
	if len(picked) != n {
		if !s.Why.Counted() {
			s.fit.TooFew(&s.Why)
		}
		return false
	}
	s.chosen = s.chosen[:0]
	for _, at := range picked {
		s.chosen = append(s.chosen, s.fit.Granted[at])
	}
	s.fit.Granted = append(s.fit.Granted[:0], s.chosen...)
	return true
}

// short refuses the container for having found too few devices.
func (s *Scratch) short(found int) bool {
	if found > 0 {
		s.Why.Set(device.AllocatedCardsInsufficientRequest, found)
	}
	return false
}
