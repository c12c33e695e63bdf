package nvidia

import (
	"github.com/accelfit/accelfit/device"
	"github.com/accelfit/accelfit/internal/subset"
)

// choose picks cards by their link scores (spec nvidia §6): one card, the worst connected; several, those with the highest
// total of scores from the earlier to the later visited. With NUMA binding several cards come from one NUMA node, the one
// that offers the best (deviation N2).
func choose(pod *device.PodContext) device.Chooser {
	oneNUMA := pod.Policy.NUMABind && !pod.Quirks.Has(device.LastNUMARun)
	return func(f *device.ContainerFit, why *device.Reasons) []int {
		n := int(f.Nums)
		if len(f.Granted) < n {
			if oneNUMA && n > 1 {
				tooFew(groupByNUMA(f), why)
			} else {
				f.TooFew(why)
			}
			return nil
		}
		var picked []int
		switch {
		case n == 1:
			picked = worstConnected(f)
		case oneNUMA:
			groups := groupByNUMA(f)
			if !anyReaches(groups, n) {
				tooFew(groups, why)
				return nil
			}
			picked = bestGroup(f, groups, n)
		default:
			picked, _ = bestOf(f, everything(f), n)
		}
		if picked == nil {
			why.Add(device.ResourceQuotaNotFit, len(f.Granted))
		}
		return picked
	}
}

func everything(f *device.ContainerFit) []int {
	all := make([]int, len(f.Granted))
	for i := range all {
		all[i] = i
	}
	return all
}

// groupByNUMA returns the granted cards of each NUMA node; the node visited first comes first.
func groupByNUMA(f *device.ContainerFit) [][]int {
	var groups [][]int
	at := map[int]int{}
	for i := range f.Granted {
		numa := f.Node.Device(f.Granted[i].Device).NUMA
		g, seen := at[numa]
		if !seen {
			g = len(groups)
			at[numa] = g
			groups = append(groups, nil)
		}
		groups[g] = append(groups[g], i)
	}
	return groups
}

func anyReaches(groups [][]int, n int) bool {
	for _, g := range groups {
		if len(g) >= n {
			return true
		}
	}
	return false
}

func tooFew(groups [][]int, why *device.Reasons) {
	for i, g := range groups {
		if i < len(groups)-1 {
			why.Add(device.NumaNotFit, len(g))
		} else {
			why.Set(device.AllocatedCardsInsufficientRequest, len(g))
		}
	}
}

// bestGroup picks the best set of those that each group has to offer. Once it has one, it looks at no more than subset.MaxN
// grants in all.
func bestGroup(f *device.ContainerFit, groups [][]int, n int) []int {
	var best []int
	var bestTotal int64
	looked := 0
	for _, g := range groups {
		if looked += len(g); looked > subset.MaxN && best != nil {
			break
		}
		if picked, total := bestOf(f, g, n); picked != nil && (best == nil || total > bestTotal) {
			best, bestTotal = picked, total
		}
	}
	return best
}

// bestOf picks n of the given grants: all of them if there are no more, else the set with the highest total score that the
// quota allows; nil if there is none. Instances of one card can be exchanged, so they are taken in order. No more than
// the first subset.MaxN grants are searched; where even more are wanted, the first serve.
func bestOf(f *device.ContainerFit, from []int, n int) (picked []int, total int64) {
	if len(from) < n {
		return nil, 0
	}
	if n > subset.MaxN {
		return firstOf(f, from, n), 0
	}
	from = from[:min(len(from), subset.MaxN)]
	cards := make([]int, len(from))
	for i, at := range from {
		cards[i] = f.Granted[at].Device
	}
	problem := subset.Problem{
		N: len(from), K: n, Card: cards,
		Weight: func(i, j int) int64 { return f.Node.Link(cards[i], cards[j]) },
	}
	if f.Quota != nil && f.Quota.Limited() {
		problem.Accept = func(choice []int) bool { return f.WithinQuota(grants(f, from, choice)...) }
	}
	best := subset.Best(problem)
	if !best.Found {
		return nil, 0
	}
	picked = best.Choice
	for i, at := range picked {
		picked[i] = from[at]
	}
	return picked, best.Total
}

// firstOf picks the first n grants if the quota allows them.
func firstOf(f *device.ContainerFit, from []int, n int) []int {
	first := everything(f)[:n]
	if !f.WithinQuota(grants(f, from, first)...) {
		return nil
	}
	return from[:n]
}

func grants(f *device.ContainerFit, from, choice []int) []device.Grant {
	out := make([]device.Grant, len(choice))
	for i, at := range choice {
		out[i] = f.Granted[from[at]]
	}
	return out
}

// worstConnected picks the card with the lowest sum of scores towards the other granted cards, so that well connected
// groups stay whole; the first visited of equals. Every granted card is within the quota on its own. No more than the first
// subset.MaxN grants are looked at.
func worstConnected(f *device.ContainerFit) []int {
	granted := f.Granted[:min(len(f.Granted), subset.MaxN)]
	worst := 0
	var lowest int64
	counts := map[int]int64{} // entries of each card
	for i := range granted {
		counts[granted[i].Device]++
	}
	for i := range granted {
		card := granted[i].Device
		if i > 0 && granted[i-1].Device == card {
			continue
		}
		var sum int64
		for other, n := range counts {
			if other != card {
				sum += n * min(max(f.Node.Link(card, other), -subset.MaxWeight), subset.MaxWeight)
			}
		}
		if i == 0 || sum < lowest {
			worst, lowest = i, sum
		}
	}
	return []int{worst}
}
