package metax

import (
	"cmp"
	"math"
	"slices"

	"github.com/accelfit/accelfit/device"
	"github.com/accelfit/accelfit/vendors/kit"
)

// chooser says how cards are picked for a container: for online pods by the pods on the cards, for whole cards of pods that name
// no class by links; nil: the first in visiting order (spec metax §II.9).
func chooser(pod *device.PodContext, ask device.ContainerRequest) device.Chooser {
	class, named := pod.Annotations[AnnotationAppClass]
	quota := !pod.Quirks.Has(device.QuotaAtAdmission)
	switch {
	case named && class == online:
		return pick(leastOnline, quota)
	case !named && ask.Cores == 100:
		return pick(linked, quota)
	}
	return nil
}

// pick makes a chooser of a preference, which returns the n grants that it wants of more. If the namespace's quota counts and
// does not allow these, the cheapest that it allows serve.
func pick(preferred func(f *device.ContainerFit, n int) []int, quota bool) device.Chooser {
	return func(f *device.ContainerFit, why *device.Reasons) []int {
		n := int(f.Nums)
		if len(f.Granted) < n {
			f.TooFew(why)
			return nil
		}
		var picked []int
		if len(f.Granted) > n {
			picked = preferred(f, n)
		} else {
			picked = kit.InOrder(f, n)
		}
		if !quota || kit.WithinQuota(f, picked) {
			return picked
		}
		if picked = cheapest(f, n); picked == nil {
			why.Add(device.ResourceQuotaNotFit, len(f.Granted))
		}
		return picked
	}
}

// cheapest collects n grants that the quota allows together, those of the smallest cards first; nil: there are none. It looks at
// the first device.MaxDevices.
func cheapest(f *device.ContainerFit, n int) []int {
	order := kit.InOrder(f, min(len(f.Granted), device.MaxDevices))
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(f.Granted[a].Memory, f.Granted[b].Memory) })
	var picked []int
	var taken []device.Grant
	for _, at := range order {
		if len(picked) == n {
			break
		}
		if with := append(taken, f.Granted[at]); f.WithinQuota(with...) {
			picked, taken = append(picked, at), with
		}
	}
	if len(picked) < n {
		return nil
	}
	return picked
}

// leastOnline prefers the cards with the fewest online pods, of these with the fewest offline pods; cards with offline pods only
// come last, the fewest first. Equal cards keep their order.
func leastOnline(f *device.ContainerFit, n int) []int {
	crowds := make([]crowd, len(f.Granted))
	for i := range crowds {
		crowds[i] = others(f, f.Granted[i].Device)
	}
	order := kit.InOrder(f, len(f.Granted))
	slices.SortStableFunc(order, func(a, b int) int {
		x, y := crowds[a], crowds[b]
		return cmp.Or(compareBool(x.onlyOffline(), y.onlyOffline()), cmp.Compare(x.online, y.online), cmp.Compare(x.offline, y.offline))
	})
	return order[:n]
}

func (n crowd) onlyOffline() bool { return n.online == 0 && n.offline > 0 }

// compareBool orders false before true.
func compareBool(a, b bool) int {
	switch {
	case a == b:
		return 0
	case b:
		return -1
	}
	return 1
}

// others counts the pods on a card for an online pod, which itself counts once, however many of its containers are there
// (deviation DS5).
func others(f *device.ContainerFit, position int) crowd {
	n := crowdOf(&f.Usage[position])
	own := 0
	for i := range f.Taken {
		t := &f.Taken[i]
		if t.Vendor == VendorSGPU && f.Classes[t.Container] != device.Init && f.Node.Find(VendorSGPU, t.ID) == position {
			own++
		}
	}
	n.online -= max(0, own-1)
	return n
}

// linked prefers cards of one link zone: the smallest zone that has enough; else zone by zone, the smallest first, and then the
// cards without. Of zones of one size the one goes first whose first card does (deviation DS2).
func linked(f *device.ContainerFit, n int) []int {
	known := cardsOf(f.Node)
	zones := zonesOf(f, known)
	of := func(at int) zone {
		if number := known.at(f.Node, f.Granted[at].Device).zone; number != unlinked {
			return zones[number]
		}
		return zone{size: math.MaxInt}
	}
	order := kit.InOrder(f, len(f.Granted))
	slices.SortStableFunc(order, func(a, b int) int {
		x, y := of(a), of(b)
		return cmp.Or(cmp.Compare(x.size, y.size), cmp.Compare(x.first, y.first))
	})
	for from := 0; from < len(order); {
		z := of(order[from])
		if z.size == math.MaxInt {
			break
		}
		if z.size >= n {
			return order[from : from+n]
		}
		from += z.size
	}
	return order[:n]
}

// zone is what granted cards of one link zone have in common.
type zone struct {
	size  int // cards; MaxInt: no zone
	first int // which of the granted cards comes first
}

// zonesOf returns the zones of the granted cards, by number.
func zonesOf(f *device.ContainerFit, known *cards) []zone {
	zones := make([]zone, known.numbered())
	for i := range f.Granted {
		number := known.at(f.Node, f.Granted[i].Device).zone
		if number == unlinked {
			continue
		}
		z := &zones[number]
		if z.size == 0 {
			z.first = i
		}
		z.size++
	}
	return zones
}
