package vectors

import (
	"encoding/json"
	"errors"
	"math"
	"slices"
	"strings"

	"github.com/accelfit/accelfit/device"
	"github.com/accelfit/accelfit/score"
	"github.com/accelfit/accelfit/vendors"
)

// deviations lists every way in which accelfit decides otherwise than the reference, each with what it looks like in the
// recorded decisions. docs/deviations.md says why.
func deviations() []Deviation {
	all := []Deviation{
		{"D1", lostPositions},
		{"D5", foreignType},
		{"D6", unstableSort},
		{"D8", quotaPositions},
		{"D9", severalQuotas},
		{"D10", func(s *Situation, d *Difference) bool {
			return hasSidecar(s) && (d.Kind == "read" || explainedBy(device.SidecarIsInit)(s, d))
		}},
		{"D11", func(s *Situation, d *Difference) bool { return refused(s) && s.memoryRefused() }},
		{"D12", func(s *Situation, d *Difference) bool {
			return refused(s) && !s.memoryRefused() || wrapped(s, d) || negative(s, d)
		}},
		{"D13", foreignVendors},
		{"D21", duplicateIDs},
		{"D22", bonusUnderSpread},
		{"D24", emptyList},
		{"D30", explainedBy(device.QuotaAtAdmission)},
		{"M2", staleDevices},
		{"M3", badEntries},
	}
	for _, more := range [][]Deviation{
		nvidiaDeviations(), ascendDeviations(), cambriconDeviations(), hygonDeviations(), metaxDeviations(),
		mthreadsDeviations(), iluvatarDeviations(), kunlunDeviations(), awsneuronDeviations(), amdDeviations(),
		vastaiDeviations(), enflameDeviations(), birenDeviations(),
	} {
		all = append(all, more...)
	}
	return all
}

// lostPositions: containers that ask for nothing are missing from the recorded lists, the rest is the same (D1).
func lostPositions(s *Situation, d *Difference) bool {
	if s.Request == nil || s.everyContainerAsksTheSame() {
		return false
	}
	switch d.Kind {
	case "alloc":
		return jsonText(compact(parseAlloc(d.Want))) == jsonText(compact(parseAlloc(d.Got))) && !foreignVendors(s, d)
	case "annotations":
		if strings.HasSuffix(d.Field, device.AnnotationMIGReservation) {
			return sameInstances(d.Want, d.Got)
		}
		return squeeze(d.Want) == squeeze(d.Got)
	}
	return false
}

// foreignVendors: a vendor that has devices on the node but none in the pod is in the record, without any device (D13).
func foreignVendors(s *Situation, d *Difference) bool {
	if s.Request == nil || s.Node == nil {
		return false
	}
	switch d.Kind {
	case "alloc":
		want := parseAlloc(d.Want)
		for v, lists := range want {
			if !slices.ContainsFunc(lists, func(l []Device) bool { return len(l) > 0 }) {
				delete(want, v)
			}
		}
		return jsonText(want) == d.Got
	case "annotations":
		return d.Got == "(absent)" && !slices.Contains(s.keysOfAsked(), strings.TrimPrefix(d.Field, "annotations."))
	}
	return false
}

// keysOfAsked lists the annotations that the vendors may write which the pod asks for.
func (s *Situation) keysOfAsked() []string {
	var out []string
	for _, asks := range s.Request.Containers() {
		for _, a := range asks {
			n := s.Set.Backend(a.Vendor).Names()
			out = append(append(out, n.Allocated, n.ToAllocate), n.Writes...)
		}
	}
	return out
}

// bonusUnderSpread: what a vendor adds to a node's score because more of it is better is added under spread too, where the
// lowest score wins; accelfit subtracts it (D22).
func bonusUnderSpread(s *Situation, d *Difference) bool {
	if d.Kind != "score" || s.Request == nil || s.Node == nil || s.Request.NodePolicy != score.Spread {
		return false
	}
	var want, got float64
	if json.Unmarshal([]byte(d.Want), &want) != nil || json.Unmarshal([]byte(d.Got), &got) != nil {
		return false
	}
	base := float64(score.Node(s.Node))
	return want > base && got < base && math.Abs(want-base-(base-got)) <= 1e-6*math.Abs(want)
}

// staleDevices: devices stay known to the reference, as they were, when their description is gone or cannot be read (M2).
func staleDevices(s *Situation, d *Difference) bool {
	b := s.Set.Backend(d.Vendor)
	return d.Kind == "registered" && b != nil && !b.Names().Keeps && d.Got == jsonText([]RegisteredDevice(nil)) &&
		d.Want == jsonText(s.run.before[d.Node][string(d.Vendor)]) &&
		!s.run.emptied[d.Node+"/"+string(d.Vendor)] && !s.run.dropped(d.Node, d.Vendor)
}

// everyContainerAsksTheSame says whether every container asks of all the vendors that some container asks of.
func (s *Situation) everyContainerAsksTheSame() bool {
	vendors := map[device.Vendor]int{}
	for _, asks := range s.Request.Containers() {
		for _, a := range asks {
			vendors[a.Vendor]++
		}
	}
	for _, n := range vendors {
		if n < len(s.Request.Containers()) {
			return false
		}
	}
	return true
}

func parseAlloc(text string) Alloc {
	var a Alloc
	_ = json.Unmarshal([]byte(text), &a)
	return a
}

// compact drops the empty lists of an allocation.
func compact(a Alloc) Alloc {
	out := Alloc{}
	for v, lists := range a {
		for _, l := range lists {
			if len(l) > 0 {
				out[v] = append(out[v], l)
			}
		}
	}
	return out
}

// squeeze drops the empty entries of an allocation annotation.
func squeeze(text string) string {
	var parts []string
	for p := range strings.SplitSeq(text, ";") {
		if p != "" {
			parts = append(parts, p)
		}
	}
	return strings.Join(parts, ";")
}

func sameInstances(want, got string) bool {
	w, err := device.DecodeMIGReservations(want)
	g, err2 := device.DecodeMIGReservations(got)
	if err != nil || err2 != nil || len(w) != len(g) {
		return false
	}
	for i := range w {
		w[i].ContainerIndex, g[i].ContainerIndex = 0, 0
	}
	return jsonText(w) == jsonText(g)
}

// foreignType: the candidates of the reference are the cards whose type contains the vendor word, whoever registered them, and
// what it gave of them counts as taken (D5).
func foreignType(s *Situation, d *Difference) bool {
	if lostPositions(s, d) || foreignVendors(s, d) || bonusUnderSpread(s, d) { // one of these alone explains it
		return false
	}
	switch d.Kind {
	case "fit", "reason", "score", "alloc", "annotations":
		return s.Request != nil && s.Node != nil && (s.hasForeignType(s.Node.Info()) || s.run.foreignHeld(d.Node))
	case "end":
		return s.run.foreignHeld(d.Node)
	}
	return false
}

// foreignHeld says whether some pod holds a card of a node under another vendor's word than the one that registered it.
func (r *Runner) foreignHeld(node string) bool {
	info := r.infos[node]
	for _, p := range r.placed {
		if p.Node != node {
			continue
		}
		for _, d := range p.Allocation.Devices {
			other := func(v device.Vendor) bool { return v != d.Vendor && info.Find(v, d.ID) >= 0 }
			if info.Find(d.Vendor, d.ID) < 0 && slices.ContainsFunc(info.Vendors(), other) {
				return true
			}
		}
	}
	return false
}

func (s *Situation) hasForeignType(info *device.NodeInfo) bool {
	for _, asks := range s.Request.Containers() {
		for _, a := range asks {
			for i := range info.Len() {
				if info.TypeContains(i, strings.ToLower(string(a.Vendor))) != (info.Device(i).Vendor == a.Vendor) {
					return true
				}
			}
		}
	}
	return false
}

// unstableSort: the first device that differs ranks like the recorded one, on a node with more than 12 devices (D6).
func unstableSort(s *Situation, d *Difference) bool {
	if !s.Step.isPod() || !s.Step.Ties || s.Request == nil || s.Node == nil || s.Node.Info().Len() <= 12 || neuronDefect(s, d) != "" ||
		foreignTopology(s, d) || foreignVendors(s, d) || bonusUnderSpread(s, d) {
		return false
	}
	asking := slices.DeleteFunc(slices.Clone(s.Request.Containers()), func(a []device.ContainerRequest) bool { return len(a) == 0 })
	several := len(asking) > 1 // what the first container gets decides about the next
	switch d.Kind {
	case "fit", "reason", "score":
		return several
	case "alloc":
		return jsonText(compact(parseAlloc(d.Want))) != jsonText(compact(parseAlloc(d.Got))) &&
			(several || sameRank(s, ids(parseAlloc(d.Want)), ids(parseAlloc(d.Got))))
	case "annotations":
		return squeeze(d.Want) != squeeze(d.Got) && (several || sameRank(s, annotationIDs(d.Want), annotationIDs(d.Got)))
	}
	return false
}

func (s *Step) isPod() bool { return s != nil && s.Op == "pod" }

func ids(a Alloc) []string {
	var out []string
	for _, lists := range a {
		for _, l := range lists {
			for _, d := range l {
				out = append(out, d.UUID)
			}
		}
	}
	return out
}

func annotationIDs(text string) []string {
	var out []string
	for piece := range strings.FieldsFuncSeq(text, func(r rune) bool { return r == ';' || r == ':' }) {
		id, _, _ := strings.Cut(piece, ",")
		out = append(out, id)
	}
	return out
}

func sameRank(s *Situation, want, got []string) bool {
	if len(want) != len(got) {
		return false
	}
	bind := s.Pod.Annotations[device.AnnotationNUMABind] == "true"
	p := score.ParsePolicy(devicePolicy(s), bind)
	for i := range want {
		if want[i] == got[i] {
			continue
		}
		a, b := rank(s, want[i]), rank(s, got[i])
		return p.Compare(&a, &b) == 0
	}
	return false
}

func rank(s *Situation, id string) score.Rank {
	i := -1
	for _, v := range s.Node.Info().Vendors() {
		i = max(i, s.Node.Info().Find(v, id))
	}
	if i < 0 {
		return score.Rank{}
	}
	weights := score.DefaultWeights()
	if text, ok := s.Pod.Annotations[device.AnnotationWeights]; ok {
		weights, _ = score.ParseWeights(text)
	}
	return score.RankOf(s.Node.Info().Device(i), s.Node.Device(i), nil, weights)
}

// quotaPositions: with init containers the reference checks quotas with some app containers counted as init containers, and
// the init containers left out (D8): it accepts what we refuse for the quota.
func quotaPositions(s *Situation, d *Difference) bool {
	if !s.Quota || s.Request == nil || len(s.Pod.Spec.InitContainers) == 0 {
		return false
	}
	if d.Kind == "chosen" {
		return s.anyNode(quotaPositions)
	}
	if s.Node == nil || explainedBy(device.QuotaByRequest)(s, d) || explainedBy(device.QuotaAtAdmission)(s, d) { // N4 or D30 alone explains it
		return false
	}
	switch fit := s.Set.Fit(s.Request, s.Node); d.Kind {
	case "fit", "reason", "score":
		return fit.Reasons.Has(device.ResourceQuotaNotFit)
	case "alloc", "annotations":
		free := s.Set.Fit(s.Request.WithQuota(nil), s.Node)
		return fit.Reasons.Has(device.ResourceQuotaNotFit) || !s.recordedAlloc(fit) && s.recordedAlloc(free)
	}
	return false
}

// recordedAlloc says whether a fit has the recorded devices, lost positions aside.
func (s *Situation) recordedAlloc(fit vendors.Fit) bool {
	return fit.OK() && jsonText(compact(allocOf(s.Set, s.Node.Info(), fit.Allocation))) == jsonText(compact(s.Verdict.Alloc))
}

// anyNode says whether a deviation explains another verdict on some node of the step.
func (s *Situation) anyNode(claims func(*Situation, *Difference) bool) bool {
	for name, v := range s.Step.Nodes {
		at := *s
		at.Verdict, at.Node = v, s.run.usageOf(name)
		got := s.Set.Fit(s.Request, at.Node)
		if got.OK() != v.Fit && claims(&at, &Difference{Kind: "fit", Node: name, Want: jsonText(v.Fit)}) {
			return true
		}
	}
	return false
}

func devicePolicy(s *Situation) string {
	if p, ok := s.Pod.Annotations[device.AnnotationDevicePolicy]; ok {
		return p
	}
	return s.Set.Options().DevicePolicy
}

// refused: we refuse the pod because of a quantity that the reference takes for something else, or for nothing (D11 where it
// is about memory, D12 otherwise).
func refused(s *Situation) bool { return s.Step.isPod() && s.Request == nil && s.refusedKey() != "" }

func (s *Situation) refusedKey() string {
	_, err := s.Set.Request(s.Pod)
	var e *device.RequestError
	if errors.As(err, &e) && e.Key != device.AnnotationWeights {
		return e.Key
	}
	return ""
}

func (s *Situation) memoryRefused() bool {
	key := s.refusedKey()
	return slices.ContainsFunc(s.Set.Backends(), func(b device.Backend) bool { return b.Names().Memory == key })
}

// wrapped: an amount beyond 32 bits wraps around in the reference: the percentage of a huge card, or cores (D12).
func wrapped(s *Situation, d *Difference) bool {
	return s.Step.isPod() && s.Request != nil && (hugeCard(s) || hugeCores(s))
}

func hugeCard(s *Situation) bool {
	for _, info := range s.run.infos {
		for i := range info.Len() {
			if info.Device(i).Memory > (1<<31)/100 {
				return true
			}
		}
	}
	return false
}

func hugeCores(s *Situation) bool {
	return slices.ContainsFunc(s.Request.Containers(), func(asks []device.ContainerRequest) bool {
		return len(asks) > 0 && asks[0].Cores >= device.MaxAmount
	})
}

// negative: a registration with a negative amount is refused as a whole (D12).
func negative(s *Situation, d *Difference) bool {
	isNegative := func(r RegisteredDevice) bool { return r.Count < 0 || r.Mem < 0 || r.Core < 0 }
	registers := func(v device.Vendor) bool {
		b := s.Set.Backend(v)
		return b != nil && b.Names().Register != ""
	}
	switch d.Kind {
	case "registered":
		return registers(d.Vendor) && slices.ContainsFunc(parseRegistered(d.Want), isNegative)
	case "fit", "reason", "score", "alloc", "annotations":
		for v, devices := range s.run.recorded[d.Node] {
			if registers(device.Vendor(v)) && slices.ContainsFunc(devices, isNegative) {
				return true
			}
		}
	}
	return false
}

// duplicateIDs: of several registered devices with one id the first stands (D21).
func duplicateIDs(s *Situation, d *Difference) bool {
	seen := map[string]bool{}
	return d.Kind == "registered" && slices.ContainsFunc(parseRegistered(d.Want), func(r RegisteredDevice) bool {
		again := seen[r.ID]
		seen[r.ID] = true
		return again
	})
}

func parseRegistered(text string) []RegisteredDevice {
	var out []RegisteredDevice
	_ = json.Unmarshal([]byte(text), &out)
	return out
}

// severalQuotas: of several quota objects in a namespace the reference heeds the last (D9).
func severalQuotas(s *Situation, d *Difference) bool {
	if !s.Step.isPod() || s.Request == nil || !s.run.several[s.Pod.Namespace] {
		return false
	}
	switch d.Kind {
	case "chosen":
		return s.anyNode(severalQuotas)
	case "fit", "reason", "score", "alloc":
		return s.Set.Fit(s.Request, s.Node).Reasons.Has(device.ResourceQuotaNotFit)
	}
	return false
}

func hasSidecar(s *Situation) bool {
	return s.Step.isPod() && slices.Contains(device.Classes(&s.Pod.Spec), device.Sidecar)
}

// emptyList: a node that registers an empty list has no devices any more (D24).
func emptyList(s *Situation, d *Difference) bool {
	return d.Kind == "registered" && s.run.emptied[d.Node+"/"+string(d.Vendor)] && d.Got == jsonText([]RegisteredDevice(nil))
}

// badEntries: entries of a registration that no allocation could name are offered by the reference, and one that it cannot
// read voids the whole list; accelfit drops just the bad ones (M3).
func badEntries(s *Situation, d *Difference) bool {
	if negative(s, d) || duplicateIDs(s, d) {
		return false
	}
	switch d.Kind {
	case "registered":
		return s.run.dropped(d.Node, d.Vendor)
	case "fit", "reason", "score", "alloc", "annotations", "end":
		for _, b := range s.Set.Backends() {
			if !b.Names().Keeps && s.run.dropped(d.Node, b.Vendor()) {
				return true
			}
		}
	}
	return false
}

// dropped says whether entries of a vendor's registration were dropped on a node.
func (r *Runner) dropped(node string, v device.Vendor) bool {
	info, _ := r.registry.Node(node)
	return slices.ContainsFunc(info.Inventory(v).Problems, func(p device.Problem) bool {
		d := (*device.DecodeError)(nil)
		return errors.As(p, &d) && d.Key == r.set.Backend(v).Names().Register
	})
}

// explainedBy: with the quirk on we decide as recorded.
func explainedBy(quirk device.Quirks) func(*Situation, *Difference) bool {
	return func(s *Situation, d *Difference) bool {
		if !s.Step.isPod() || s.Request == nil {
			return false
		}
		if d.Kind == "chosen" {
			return s.anyNode(explainedBy(quirk))
		}
		if s.Node == nil {
			return false
		}
		options := s.Set.Options()
		options.Quirks |= quirk
		set := s.Set.With(options)
		req, err := set.Request(s.Pod)
		if err != nil {
			return false
		}
		req = req.WithQuota(s.run.quotas.Headroom(s.Pod.Namespace))
		got := verdict(set, req, s.Node, set.Fit(req, s.Node))
		plain := verdict(s.Set, s.Request, s.Node, s.Set.Fit(s.Request, s.Node))
		if got.Fit == plain.Fit && got.Reason == plain.Reason && jsonText(compact(got.Alloc)) == jsonText(compact(plain.Alloc)) {
			return false
		}
		return s.recordedBy(d, set, req)
	}
}
