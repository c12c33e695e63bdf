package vectors

import (
	"encoding/json"
	"slices"
	"strconv"
	"strings"

	"github.com/accelfit/accelfit/device"
	"github.com/accelfit/accelfit/vendors"
	"github.com/accelfit/accelfit/vendors/enflame"
)

func enflameDeviations() []Deviation {
	return []Deviation{
		{"eD1", addsPercentages},
		{"eD2", countsOwnSlices},
	}
}

// addsPercentages: the percentages of a card's instances, which are rounded up, are added up, so that the last slice is left (eD1).
func addsPercentages(s *Situation, d *Difference) bool {
	return explainedBy(device.EnflameByPercent)(s, d) && !explainedOtherwise(s, d)
}

// explainedOtherwise says whether a deviation of all vendors explains a difference alone.
func explainedOtherwise(s *Situation, d *Difference) bool {
	return lostPositions(s, d) || foreignVendors(s, d) || bonusUnderSpread(s, d) || unstableSort(s, d) || badEntries(s, d) ||
		explainedBy(device.QuotaAtAdmission)(s, d) || explainedBy(device.SidecarIsInit)(s, d)
}

// countsOwnSlices: while a pod is placed, the instances of its earlier containers take a slot for each slice (eD2). With all
// quirks and slots counted so, we decide as recorded; where percentages alone explain it, it is eD1.
func countsOwnSlices(s *Situation, d *Difference) bool {
	switch d.Kind {
	case "fit", "reason", "score", "alloc", "annotations":
	default:
		return false
	}
	if s.Request == nil || s.Node == nil || askingDRS(s) < 2 || explainedBy(device.EnflameByPercent)(s, d) || explainedOtherwise(s, d) {
		return false
	}
	options := s.Set.Options()
	options.Quirks = device.AllQuirks
	own := ownSlices{s.Set.Backend(enflame.Vendor), slicesOfCard(s.run.nodes[d.Node].Annotations[enflame.AnnotationCapacity])}
	set := s.withBackend(own).With(options)
	req, err := set.Request(s.Pod)
	if err != nil || s.recordedBy(d, s.Set, s.Request) {
		return false
	}
	if s.recordedBy(d, set, req.WithQuota(s.run.quotas.Headroom(s.Pod.Namespace))) {
		return true
	}
	// What earlier containers took also counts in the order of cards for the later ones.
	return (d.Kind == "alloc" || d.Kind == "annotations") && sameFirstCard(s, set.Fit(req, s.Node))
}

// askingDRS is how many containers ask for an instance.
func askingDRS(s *Situation) int {
	n := 0
	for _, asks := range s.Request.Containers() {
		if slices.ContainsFunc(asks, func(a device.ContainerRequest) bool { return a.Vendor == enflame.Vendor }) {
			n++
		}
	}
	return n
}

// sameFirstCard says whether the first container that got an instance has it of the recorded card.
func sameFirstCard(s *Situation, fit vendors.Fit) bool {
	if !fit.OK() {
		return false
	}
	recorded := compact(s.Verdict.Alloc)[string(enflame.Vendor)]
	ours := fit.Allocation.Of(enflame.Vendor)
	return len(recorded) > 1 && len(ours) == len(recorded) && recorded[0][0].UUID == ours[0].ID
}

// slicesOfCard is the size of the largest profile of a capacity annotation.
func slicesOfCard(text string) int64 {
	var read struct {
		Profiles map[string]string `json:"profiles"`
	}
	_ = json.Unmarshal([]byte(text), &read)
	most := int64(1)
	for name := range read.Profiles {
		first, _, _ := strings.Cut(strings.ToLower(name), ".")
		n, _ := strconv.ParseInt(strings.TrimSuffix(strings.TrimSpace(first), "g"), 10, 64)
		most = max(most, n)
	}
	return most
}

// ownSlices is the model where instances of the pod at hand take a slot for each slice.
type ownSlices struct {
	device.Backend
	ofCard int64
}

// Plan puts another check of slots in the place of the usual one.
func (b ownSlices) Plan(pod *device.PodContext, ask device.ContainerRequest) device.Plan {
	p := b.Backend.Plan(pod, ask)
	rules := slices.Clone(p.Rules.Rules())
	for i := range rules {
		if rules[i].Check == device.HasSlot {
			rules[i] = device.Rule{Code: device.CardTimeSlicingExhausted, Func: b.hasSlot}
		}
	}
	p.Rules = device.NewTable(rules)
	return p
}

func (b ownSlices) hasSlot(c *device.Candidate) bool {
	used := c.Usage.Slots
	for i := range c.Fit.Taken {
		d := &c.Fit.Taken[i]
		if d.Vendor == enflame.Vendor && d.ID == c.Info().ID && (c.Fit.Classes[d.Container] == device.Init) == (c.Fit.Class == device.Init) &&
			c.Fit.Class != device.Init {
			used += max(1, d.Cores*b.ofCard/100) - 1
		}
	}
	return used < c.Info().Slots
}
