package vectors

import (
	"slices"

	"github.com/accelfit/accelfit/device"
	"github.com/accelfit/accelfit/vendors"
	"github.com/accelfit/accelfit/vendors/kunlun"
)

func kunlunDeviations() []Deviation {
	var out []Deviation
	for _, id := range []string{"kD1", "kD2", "kD3"} {
		out = append(out, Deviation{id, func(s *Situation, d *Difference) bool { return wingsByPlace(id, s, d) }})
	}
	return out
}

// wingsByPlace: the reference takes the places of cards in its sorted list for their slots (kD1), also on nodes with more than
// one board (kD2) or with odd indexes (kD3). Its procedure, carried out on the list, gives what is recorded, and the choice by
// slots does not.
func wingsByPlace(id string, s *Situation, d *Difference) bool {
	switch d.Kind {
	case "fit", "reason", "score", "alloc", "annotations":
	default:
		return false
	}
	if s.Request == nil || s.Node == nil || id != wingDefect(s) || otherwiseExplained(s, d) {
		return false
	}
	options := s.Set.Options()
	options.Quirks = device.AllQuirks
	bySlot := s.Set.With(options)
	listed := s.withBackend(byPlace{s.Set.Backend(kunlun.Vendor)})
	at := *s
	at.Set = listed
	listed = at.withBackend(byPlace{s.Set.Backend(kunlun.VendorVirtual)}).With(options)
	return !s.recordedWithRepeats(d, bySlot) && s.recordedWithRepeats(d, listed)
}

// otherwiseExplained says whether a deviation that is not about the choice of cards explains a difference.
func otherwiseExplained(s *Situation, d *Difference) bool {
	for _, other := range []func(*Situation, *Difference) bool{
		lostPositions, foreignVendors, bonusUnderSpread, foreignType, badEntries, unstableSort, negative,
	} {
		if other(s, d) {
			return true
		}
	}
	return false
}

// wingDefect is the deviation that the cards of the node show which the pod asks for; empty: none.
func wingDefect(s *Situation) string {
	found := ""
	for _, v := range []device.Vendor{kunlun.Vendor, kunlun.VendorVirtual} {
		asked := slices.ContainsFunc(slices.Concat(s.Request.Containers()...), func(a device.ContainerRequest) bool { return a.Vendor == v })
		from, to := s.Node.Info().Range(v)
		if asked && to > from {
			found = max(found, oddity(s.Node.Info(), from, to))
		}
	}
	return found
}

func oddity(info *device.NodeInfo, from, to int) string {
	seen, far := map[int]bool{}, false
	for i := from; i < to; i++ {
		seen[info.Device(i).Index] = true
		far = far || info.Device(i).Index >= 8
	}
	switch {
	case len(seen) < to-from || far && to-from <= 8:
		return "kD3"
	case far:
		return "kD2"
	}
	return "kD1"
}

// recordedWithRepeats says whether a set decides as recorded. Where the record has fewer cards than were asked for, the reference dropped
// those that it could not find, and byPlace repeats the last that it did.
func (s *Situation) recordedWithRepeats(d *Difference, set *vendors.Set) bool {
	req, err := set.Request(s.Pod)
	if err != nil {
		return false
	}
	if d.Kind == "fit" || d.Kind == "reason" || d.Kind == "score" {
		return s.recordedBy(d, set, req)
	}
	fit := set.Fit(req, s.Node)
	if !fit.OK() {
		return !s.Verdict.Fit
	}
	got, want := compact(allocOf(set, s.Node.Info(), fit.Allocation)), compact(s.Verdict.Alloc)
	for v, lists := range got {
		for i, list := range lists {
			for i < len(want[v]) && len(list) > len(want[v][i]) && len(list) > 1 && list[len(list)-1] == list[len(list)-2] {
				list = list[:len(list)-1]
			}
			lists[i] = list
		}
	}
	return jsonText(got) == jsonText(want)
}

// byPlace is a model of Kunlunxin cards that chooses as the reference does (spec kunlun §6 kD1), and adds to scores whatever the
// node policy.
type byPlace struct{ device.Backend }

// ScoreNodes is the model's own under the policy binpack.
func (b byPlace) ScoreNodes(pod *device.PodContext) func(*device.NodeUsage, *device.Allocation) float32 {
	scorer, ok := b.Backend.(device.NodeScorer)
	if !ok {
		return nil
	}
	neutral := *pod
	neutral.NodePolicy = ""
	return scorer.ScoreNodes(&neutral)
}

// Plan lets every card pass, so that the choice sees the whole list, and tries the rules there.
func (b byPlace) Plan(pod *device.PodContext, ask device.ContainerRequest) device.Plan {
	p := b.Backend.Plan(pod, ask)
	rules, bySlot := p.Rules, p.Choose
	p.Rules = device.Table{}
	p.Choose = func(f *device.ContainerFit, why *device.Reasons) []int {
		list := make([]listed, len(f.Granted))
		var c device.Candidate
		for i := range list {
			at := len(list) - 1 - i // the list is visited from its end
			f.Consider(&c, f.Granted[at].Device)
			broken := rules.Broken(&c)
			list[i] = listed{at, c.Info().Index, broken < 0}
			if broken >= 0 {
				why.Add(rules.Code(broken), 1)
			}
		}
		if picked := pickByPlace(list, int(f.Nums)); len(picked) > 0 {
			return picked
		}
		none := *f
		none.Granted = nil
		return bySlot(&none, why) // says why
	}
	return p
}

// listed is a card in the reference's list.
type listed struct {
	at     int // position among the granted
	index  int
	usable bool
}

// pickByPlace returns n positions: the first card with each index that is chosen. The last is repeated for indexes that no card
// has, and for those beyond the board on nodes with more than one.
func pickByPlace(list []listed, n int) []int {
	var picked []int
	for _, index := range indexesByPlace(list, n) {
		i := slices.IndexFunc(list, func(c listed) bool { return c.index == index })
		if i >= 0 && (index < 8 || len(list) <= 8) {
			picked = append(picked, list[i].at)
		}
	}
	for len(picked) > 0 && len(picked) < n {
		picked = append(picked, picked[len(picked)-1])
	}
	return picked
}

func indexesByPlace(list []listed, n int) []int {
	var left, right []int
	for place, c := range list {
		switch {
		case c.usable && place < 4:
			left = append(left, c.index)
		case c.usable:
			right = append(right, c.index)
		}
	}
	switch {
	case n == 8 && len(left)+len(right) == 8:
		return []int{0, 1, 2, 3, 4, 5, 6, 7}
	case n != 1 && n != 2 && n != 4:
		return nil
	case len(left) >= n || len(right) >= n:
		return oneWing(left, right, n)
	case n == 2:
		return linkedSets([][]int{{0, 4}, {1, 5}, {2, 6}, {3, 7}}, append(left, right...))
	case n == 4:
		quads := [][]int{{0, 1, 4, 5}, {2, 3, 6, 7}, {0, 2, 4, 6}, {1, 3, 5, 7}, {0, 3, 4, 7}, {1, 2, 5, 6}}
		return linkedSets(quads, append(left, right...))
	}
	return nil
}

func oneWing(left, right []int, n int) []int {
	for _, filling := range map[int][]int{1: {1, 3, 2, 4}, 2: {2, 3, 4}, 4: {4}}[n] {
		switch filling {
		case len(left):
			return left[:n]
		case len(right):
			return right[:n]
		}
	}
	return nil
}

// linkedSets returns the first of some sets that are usable; of six usable cards, the first that leaves a linked pair, or else
// the last.
func linkedSets(sets [][]int, usable []int) []int {
	var last []int
	for _, set := range sets {
		if slices.ContainsFunc(set, func(i int) bool { return !slices.Contains(usable, i) }) {
			continue
		}
		rest := slices.DeleteFunc(slices.Clone(usable), func(i int) bool { return slices.Contains(set, i) })
		slices.Sort(rest)
		if len(usable) != 6 || len(rest) == 2 && (rest[0]/4 == rest[1]/4 || rest[1]-rest[0] == 4) {
			return set
		}
		last = set
	}
	return last
}
