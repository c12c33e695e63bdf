package device

import (
	"cmp"
	"slices"
)

// Limit is what may still be taken of one amount.
type Limit struct {
	Left int64 // may be negative when more is taken than allowed
	Set  bool  // false: no limit
}

// Headroom is what a namespace may still take of one vendor's devices.
type Headroom struct {
	Memory Limit // MiB
	Cores  Limit // percent of a card
}

// Limited says whether any limit is set.
func (h *Headroom) Limited() bool { return h.Memory.Set || h.Cores.Set }

// Allows says whether the amounts stay within the limits.
func (h *Headroom) Allows(memory, cores int64) bool {
	return (!h.Memory.Set || memory <= h.Memory.Left) && (!h.Cores.Set || cores <= h.Cores.Left)
}

// meter keeps what a pod takes of a vendor while one of its containers is fitted, so that asking whether one more device
// stays within the quota costs no more than adding it up.
type meter struct {
	ready   bool
	counted int     // grants of the container that are counted
	tallies []Tally // of each of the vendor's devices
	from    int     // position of the first
	total   struct{ memory, cores int64 }
	undo    []change
}

// change is the tally of a device before it was added to.
type change struct {
	device int
	tally  Tally
}

// begin counts what earlier containers took, and nothing of this one.
func (m *meter) begin(f *ContainerFit) {
	from, to := f.Node.Range(f.Plan.Ask.Vendor)
	m.tallies = slices.Grow(m.tallies[:0], to-from)[:to-from]
	clear(m.tallies)
	m.ready, m.counted, m.from = true, 0, from
	m.total.memory, m.total.cores = 0, 0
	for i := range f.Taken {
		d := &f.Taken[i]
		if at := f.Node.Find(d.Vendor, d.ID); at >= from && at < to {
			memory, cores := f.charge(at, d.Memory, d.Cores)
			m.add(at, f.Classes[d.Container], memory, cores)
		}
	}
}

func (m *meter) add(device int, class ContainerClass, memory, cores int64) {
	t := &m.tallies[device-m.from]
	_, memoryBefore, coresBefore := t.Effective()
	t.Add(class, memory, cores)
	_, memoryAfter, coresAfter := t.Effective()
	m.total.memory += memoryAfter - memoryBefore
	m.total.cores += coresAfter - coresBefore
}

// count adds a grant of the container for good.
func (m *meter) count(f *ContainerFit, g Grant) {
	memory, cores := f.quotaAmounts(g)
	m.add(g.Device, f.Class, memory, cores)
}

// allows says whether the quota allows further grants, without counting them.
func (m *meter) allows(f *ContainerFit, grants ...Grant) bool {
	before := m.total
	m.undo = m.undo[:0]
	for _, g := range grants {
		m.undo = append(m.undo, change{g.Device, m.tallies[g.Device-m.from]})
		m.count(f, g)
	}
	ok := f.Quota.Allows(m.total.memory, m.total.cores)
	for i := len(m.undo) - 1; i >= 0; i-- {
		m.tallies[m.undo[i].device-m.from] = m.undo[i].tally
	}
	m.total = before
	return ok
}

// quotaAmounts is what a grant counts with: what is booked, or what was asked for (QuotaByRequest).
func (f *ContainerFit) quotaAmounts(g Grant) (memory, cores int64) {
	if f.Plan.QuotaAsAsked {
		return f.Plan.Ask.MemoryOn(f.Node.Device(g.Device).Memory), f.Plan.Cores
	}
	return f.charge(g.Device, g.Memory, g.Cores)
}

func (f *ContainerFit) charge(device int, memory, cores int64) (int64, int64) {
	if f.Plan.Charge == nil {
		return memory, cores
	}
	return f.Plan.Charge(f.Node.Device(device), memory, cores)
}

// manyGranted is how many granted devices a chooser is likely to look at; the choice itself is checked in any case.
const manyGranted = 1024

// candidateInQuota is the check InQuota: what was granted to the container so far plus the candidate. Where a chooser picks
// among the granted, at most as many of them count as would be chosen beside the candidate, the cheapest (deviation N3).
func (f *ContainerFit) candidateInQuota(c *Candidate) bool {
	if !f.limited() {
		return true
	}
	if f.Plan.Book != nil && !f.Plan.QuotaAsAsked {
		f.Plan.Book(c)
	}
	if f.Plan.Choose != nil {
		return len(f.Granted) > manyGranted || f.WithinQuota(append(f.cheapest(f.Nums-1), c.Grant())...)
	}
	m := &f.meter
	if !m.ready || m.counted > len(f.Granted) {
		m.begin(f)
	}
	for ; m.counted < len(f.Granted); m.counted++ {
		m.count(f, f.Granted[m.counted])
	}
	return m.allows(f, c.Grant())
}

func (f *ContainerFit) limited() bool { return f.Quota != nil && f.Quota.Limited() }

// cheapest returns up to n of the granted devices, those with the least memory, then cores.
func (f *ContainerFit) cheapest(n int64) []Grant {
	grants := slices.Clone(f.Granted)
	slices.SortStableFunc(grants, func(a, b Grant) int {
		return cmp.Or(cmp.Compare(a.Memory, b.Memory), cmp.Compare(a.Cores, b.Cores))
	})
	return grants[:min(n, int64(len(grants)))]
}

// WithinQuota says whether the pod stays within its namespace's quota if the container takes exactly the given grants, on
// top of what the pod's earlier containers took (spec core §12, D8, D10, D30).
func (f *ContainerFit) WithinQuota(grants ...Grant) bool {
	if !f.limited() {
		return true
	}
	if m := &f.meter; !m.ready || m.counted > 0 {
		m.begin(f)
	}
	return f.meter.allows(f, grants...)
}
