package vectors

import (
	"encoding/json"
	"slices"

	"github.com/accelfit/accelfit/device"
	"github.com/accelfit/accelfit/score"
	"github.com/accelfit/accelfit/vendors/enflame"
	"github.com/accelfit/accelfit/vendors/kit"
)

func enflameDeviations() []Deviation {
	return []Deviation{
		{"eD1", addsPercentages},
		{"eD2", countsInstances},
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

// countsInstances: an instance of a running pod counts one slot of its card, whatever its slices (eD2). With usage counted so, and all
// quirks, we decide as recorded; where percentages alone explain it, it is eD1.
func countsInstances(s *Situation, d *Difference) bool {
	if d.Node == "" || !hasDRS(s.run.infos[d.Node]) {
		return false
	}
	switch d.Kind {
	case "end":
		return d.Want == jsonText(ends(byInstances(s.run, d.Node)))
	case "fit", "reason", "score", "alloc", "annotations":
	default:
		return false
	}
	if s.Request == nil || s.Node == nil || s.recordedBy(d, s.Set, s.Request) || explainedBy(device.EnflameByPercent)(s, d) ||
		explainedOtherwise(s, d) {
		return false
	}
	options := s.Set.Options()
	options.Quirks = device.AllQuirks
	set := s.withBackend(bySlots{s.Set.Backend(enflame.Vendor)}).With(options)
	req, err := set.Request(s.Pod)
	if err != nil {
		return false
	}
	at := *s
	at.Node = byInstances(s.run, d.Node)
	if d.Kind == "score" && s.Request.NodePolicy == score.Spread && bonusUnderSpread(&at, at.withoutBase(d, s.Node)) {
		return true // with what another vendor adds (D22)
	}
	return at.recordedBy(d, set, req.WithQuota(s.run.quotas.Headroom(s.Pod.Namespace)))
}

// withoutBase is a difference of scores as it were if our usage of the node were that of s.
func (s *Situation) withoutBase(d *Difference, ours *device.NodeUsage) *Difference {
	out := *d
	var got float32
	if json.Unmarshal([]byte(d.Got), &got) == nil {
		out.Got = jsonText(got - score.Node(ours) + score.Node(s.Node))
	}
	return &out
}

func hasDRS(info *device.NodeInfo) bool {
	from, to := info.Range(enflame.Vendor)
	return to > from
}

// byInstances is the usage of a node where every instance of a running pod counts one slot.
func byInstances(r *Runner, node string) *device.NodeUsage {
	info := r.infos[node]
	var inventories []device.Inventory
	for _, v := range info.Described() {
		inv := info.Inventory(v)
		inv.Extra = nil
		inventories = append(inventories, inv)
	}
	counted := r.usageWith(node, device.NewNodeInfo(node, inventories...))
	return device.NewNodeUsage(info).Update(func(devices []device.DeviceUsage) { copy(devices, counted.Devices()) })
}

// bySlots is the model that checks percentages, and slots as they are counted.
type bySlots struct{ device.Backend }

// Plan puts the usual check in the place of the one that guesses how many instances there are.
func (b bySlots) Plan(pod *device.PodContext, ask device.ContainerRequest) device.Plan {
	p := b.Backend.Plan(pod, ask)
	rules := slices.Clone(p.Rules.Rules())
	for i := range rules {
		if rules[i].Code == device.CardTimeSlicingExhausted {
			rules[i] = kit.Slot()
		}
	}
	p.Rules = device.NewTable(rules)
	return p
}
