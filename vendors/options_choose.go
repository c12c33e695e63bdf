package vendors

import (
	"slices"

	"github.com/accelfit/accelfit/device"
)

// stillExcluded is a vendor's chooser that gives a reason of its own for having found nothing (a run of neighbours is
// missing), with the excluded devices counted beside it; nil: nil.
func stillExcluded(vendor device.Chooser) device.Chooser {
	if vendor == nil {
		return nil
	}
	return func(f *device.ContainerFit, why *device.Reasons) []int {
		excluded := why.Count(device.CardExcluded)
		picked := vendor(f, why)
		if int64(len(picked)) != f.Nums && why.Count(device.CardExcluded) == 0 {
			why.Add(device.CardExcluded, excluded)
		}
		return picked
	}
}

// chosenBy is a caller's chooser, whose pick the vendor's own and the quota have to accept.
func chosenBy(caller, vendor device.Chooser, oneNUMA, quota bool) device.Chooser {
	return func(f *device.ContainerFit, why *device.Reasons) []int {
		all := f.Granted
		defer func() { f.Granted = all }()
		if int64(len(all)) < f.Nums {
			f.TooFew(why)
			return nil
		}
		nodes := groups(f, oneNUMA)
		if len(nodes) == 0 {
			why.Add(device.NumaNotFit, len(all))
			return nil
		}
		for _, group := range nodes {
			f.Granted = pick(all, group)
			picked := slices.Clone(caller(f, why))
			if !distinct(picked, len(group), f.Nums) {
				continue
			}
			f.Granted = pick(f.Granted, picked)
			if quota && !f.WithinQuota(f.Granted...) {
				why.Add(device.ResourceQuotaNotFit, len(picked))
				return nil
			}
			if vendor == nil || int64(len(vendor(f, why))) == f.Nums {
				return pick(group, picked)
			}
			if why.Counted() {
				return nil
			}
		}
		why.Add(device.CardExcluded, len(all))
		return nil
	}
}

// groups are the positions of the granted devices among which a container's are to be picked: all, or those of each NUMA
// node that has enough, the one visited first before others.
func groups(f *device.ContainerFit, oneNUMA bool) [][]int {
	at := map[int]int{}
	var out [][]int
	for i, g := range f.Granted {
		numa := 0
		if oneNUMA {
			numa = f.Node.Device(g.Device).NUMA
		}
		k, seen := at[numa]
		if !seen {
			k = len(out)
			at[numa] = k
			out = append(out, nil)
		}
		out[k] = append(out[k], i)
	}
	return slices.DeleteFunc(out, func(g []int) bool { return int64(len(g)) < f.Nums })
}

// distinct says whether picked is n different positions below most.
func distinct(picked []int, most int, n int64) bool {
	seen := make([]bool, most)
	for _, at := range picked {
		if at < 0 || at >= most || seen[at] {
			return false
		}
		seen[at] = true
	}
	return int64(len(picked)) == n
}

// pick returns the elements at the given positions.
func pick[T any](from []T, at []int) []T {
	out := make([]T, len(at))
	for i, p := range at {
		out[i] = from[p]
	}
	return out
}
