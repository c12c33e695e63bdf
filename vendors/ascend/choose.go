package ascend

import (
	"cmp"
	"slices"

	"github.com/accelfit/accelfit/device"
	"github.com/accelfit/accelfit/vendors/kit"
)

// manyGranted is how many granted devices are tried one by one where the quota does not allow the first choice.
const manyGranted = 1024

// chooser picks several NPUs, of chips whose NPUs are linked; nil for others.
func (b *Backend) chooser(quirks device.Quirks) device.Chooser {
	c := chooser{b: b, unlimited: quirks.Has(device.QuotaAtAdmission)}
	switch {
	case b.Vendor() == pairWord:
		return c.pairs
	case b.is910():
		return c.near
	}
	return nil
}

type chooser struct {
	b         *Backend
	unlimited bool // quotas are no matter here
}

// near picks (spec ascend §6.2), where every NPU of the node names its network group, from as few groups as possible, else the
// first ones.
func (c *chooser) near(f *device.ContainerFit, why *device.Reasons) []int {
	n := int(f.Nums)
	if len(f.Granted) < n {
		f.TooFew(why)
		return nil
	}
	order := kit.InOrder(f, len(f.Granted))
	from, to := f.Node.Range(c.b.Vendor())
	if x := c.b.factsOf(f.Node); x.connected && len(f.Granted) > n && len(x.group) == to-from {
		order = x.byGroup(f, from)
	}
	return c.affordable(f, why, order)
}

// byGroup orders the granted devices by the size of their group among them, the largest first; of equal ones the group visited
// first (deviation A2). from is the position of the vendor's first device.
func (x *facts) byGroup(f *device.ContainerFit, from int) []int {
	size, groups := f.Ints(x.groups), f.Ints(x.groups)[:0]
	groupOf := func(i int) int { return x.group[f.Granted[i].Device-from] }
	for i := range f.Granted {
		g := groupOf(i)
		if size[g] == 0 {
			groups = append(groups, g)
		}
		size[g]++
	}
	slices.SortStableFunc(groups, func(a, b int) int { return size[b] - size[a] })
	next, at := f.Ints(x.groups), 0
	for _, g := range groups {
		next[g] = at
		at += size[g]
	}
	order := f.Ints(len(f.Granted))
	for i := range f.Granted {
		g := groupOf(i)
		order[next[g]] = i
		next[g]++
	}
	return order
}

// affordable returns the first devices of an order that the namespace's quota allows one after the other. order is used up.
func (c *chooser) affordable(f *device.ContainerFit, why *device.Reasons, order []int) []int {
	n := int(f.Nums)
	if q := c.start(f); q.take(order[:n]...) {
		return order[:n]
	}
	q, picked := c.start(f), order[:0]
	for _, at := range order[:min(len(order), manyGranted)] {
		if len(picked) < n && q.take(at) {
			picked = append(picked, at)
		}
	}
	if len(picked) == n {
		return picked
	}
	why.Add(device.ResourceQuotaNotFit, len(f.Granted)-len(picked))
	if len(picked) > 0 {
		why.Set(device.AllocatedCardsInsufficientRequest, len(picked))
	}
	return nil
}

// within adds devices up under the namespace's quota.
type within struct {
	f       *device.ContainerFit
	limited bool
	taken   []device.Grant
}

func (c *chooser) start(f *device.ContainerFit) within {
	return within{f: f, limited: !c.unlimited && f.Quota != nil && f.Quota.Limited()}
}

// take takes further devices, positions in f.Granted, if the quota allows them.
func (w *within) take(positions ...int) bool {
	if !w.limited {
		return true
	}
	before := len(w.taken)
	for _, at := range positions {
		w.taken = append(w.taken, w.f.Granted[at])
	}
	if w.f.WithinQuota(w.taken...) {
		return true
	}
	w.taken = w.taken[:before]
	return false
}

// pairs picks whole modules of two NPUs (spec ascend §6.1), in the order in which their first NPU was visited (deviation A1),
// until there are enough. A refusal counts what was picked, of the number asked for.
func (c *chooser) pairs(f *device.ContainerFit, why *device.Reasons) []int {
	n := int(f.Nums)
	q, tooMuch := c.start(f), 0
	picked := f.Ints(n + 1)[:0]
	for i, j := range partners(f) {
		switch {
		case j <= i || len(picked) >= n:
		case q.take(i, j):
			picked = append(picked, i, j)
		default:
			tooMuch += 2
		}
	}
	if len(picked) != n {
		why.Total = n
		why.Add(device.ResourceQuotaNotFit, tooMuch)
		why.Set(device.AllocatedCardsInsufficientRequest, len(picked))
	}
	return picked
}

// partners returns for each granted device the position of the other one of its module, or 0. The NPUs of a module have the
// indexes 2j and 2j+1; where more than two were granted that say so, or two with one index, it is none (deviation A7).
func partners(f *device.ContainerFit) []int {
	index := func(at int) int { return f.Node.Device(f.Granted[at].Device).Index }
	order, partner := kit.InOrder(f, len(f.Granted)), f.Ints(len(f.Granted))
	slices.SortFunc(order, func(a, b int) int { return cmp.Or(cmp.Compare(index(a), index(b)), a-b) })
	for from, to := 0, 0; from < len(order); from = to {
		for to < len(order) && index(order[to])/2 == index(order[from])/2 {
			to++
		}
		a, b := order[from], order[to-1]
		if to-from == 2 && index(a) != index(b) {
			partner[a], partner[b] = b, a
		}
	}
	return partner
}
