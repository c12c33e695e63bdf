package vectors

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/accelfit/accelfit/device"
	"github.com/accelfit/accelfit/score"
	"github.com/accelfit/accelfit/usage"
	"github.com/accelfit/accelfit/vendors"
)

// Runner replays one sequence.
type Runner struct {
	seq        *Sequence
	set        *vendors.Set
	deviations []Deviation

	nodes    map[string]*corev1.Node
	registry usage.Registry
	infos    map[string]*device.NodeInfo // in force
	placed   map[string]placed
	quotas   usage.Quotas
	limited  map[string]map[string]bool               // namespace → quota objects
	several  map[string]bool                          // namespaces that have had more than one at a time
	recorded map[string]map[string][]RegisteredDevice // what the reference has read of each node
	before   map[string]map[string][]RegisteredDevice // the same, one reading ago
	emptied  map[string]bool                          // node/vendor whose last readable registration was an empty list

	totals Totals
	found  []Difference
	claims map[string]bool // of the step at hand
	first  int             // of the step's differences in found
}

// placed is what a pod holds, and its node as it was when the pod came.
type placed struct {
	usage.Holding
	info *device.NodeInfo
}

// Run replays a sequence and returns what it compared and every difference; a difference with other than exactly one
// claim is the caller's to report.
func Run(h Header, seq *Sequence, quirks device.Quirks, deviations []Deviation) (Totals, []Difference, error) {
	set, err := vendors.Load([]byte(h.Configs[seq.Config]))
	if err != nil {
		return Totals{}, nil, fmt.Errorf("%s: %w", seq.ID, err)
	}
	r := &Runner{
		seq: seq, deviations: deviations,
		set:    set.With(vendors.Options{NodePolicy: seq.NodePolicy, DevicePolicy: seq.GPUPolicy, Quirks: quirks}),
		nodes:  map[string]*corev1.Node{},
		infos:  map[string]*device.NodeInfo{},
		placed: map[string]placed{}, emptied: map[string]bool{}, limited: map[string]map[string]bool{},
		several: map[string]bool{}, recorded: map[string]map[string][]RegisteredDevice{},
		before: map[string]map[string][]RegisteredDevice{},
		totals: Totals{Sequences: 1, ByDeviation: map[string]int{}},
	}
	r.quotas = usage.NewQuotas(r.set)
	for i := range seq.Nodes {
		r.observe(&seq.Nodes[i], seq.Registered[seq.Nodes[i].Name], -1)
	}
	for i := range seq.Steps {
		r.step(i, &seq.Steps[i])
	}
	r.end(len(seq.Steps))
	return r.totals, r.found, nil
}

var now = time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)

func (r *Runner) step(i int, s *Step) {
	r.totals.Steps++
	r.claims, r.first = map[string]bool{}, len(r.found)
	before := len(r.found)
	switch s.Op {
	case "pod":
		r.pod(i, s)
	case "delete":
		r.release(string(s.Pod.UID))
	case "quota":
		r.quota(s)
	case "node":
		r.observe(s.Node, s.Registered, i)
	}
	if s.Op == "pod" && s.Exact {
		r.totals.Exact++
		if len(r.found) > before {
			r.totals.DeviatingExact++
		}
	}
	for id := range r.claims {
		r.totals.ByDeviation[id]++
	}
}

// observe reads a node anew and compares what was registered; the recorded inventory is put in force.
func (r *Runner) observe(node *corev1.Node, want map[string][]RegisteredDevice, step int) {
	r.nodes[node.Name] = node
	r.before[node.Name], r.recorded[node.Name] = r.recorded[node.Name], want
	before := r.infos[node.Name]
	r.registry, _, _ = r.registry.Observe(r.set, node, now)
	info, _ := r.registry.Node(node.Name)
	r.infos[node.Name] = info
	got := registered(info)
	r.noteEmpty(node, got)
	for _, v := range slices.Sorted(maps.Keys(union(want, got))) {
		r.compare(&Situation{Sequence: r.seq, Set: r.set, run: r}, Difference{
			Step: step, Field: "registered." + node.Name + "." + v, Kind: "registered", Node: node.Name, Vendor: device.Vendor(v),
			Want: jsonText(want[v]), Got: jsonText(got[v]),
		})
	}
	r.infos[node.Name] = inForce(r.infos[node.Name], before, want)
}

// noteEmpty remembers which vendors have registered an empty list.
func (r *Runner) noteEmpty(node *corev1.Node, got map[string][]RegisteredDevice) {
	for _, b := range r.set.Backends() {
		key := node.Name + "/" + string(b.Vendor())
		switch text := node.Annotations[b.Names().Register]; {
		case text == "[]" || text == "null":
			r.emptied[key] = true
		case len(got[string(b.Vendor())]) > 0:
			delete(r.emptied, key)
		}
	}
}

// inForce is the inventory that the reference has: of each vendor what was read now, or before, whichever it recorded.
func inForce(now, before *device.NodeInfo, want map[string][]RegisteredDevice) *device.NodeInfo {
	if before == nil {
		return now
	}
	got, had := registered(now), registered(before)
	var inventories []device.Inventory
	for _, v := range append(now.Described(), before.Described()...) {
		word := string(v)
		if jsonText(want[word]) != jsonText(got[word]) && jsonText(want[word]) == jsonText(had[word]) {
			inventories = append(inventories, before.Inventory(v))
		} else {
			inventories = append(inventories, now.Inventory(v))
		}
	}
	return device.NewNodeInfo(now.Name(), inventories...)
}

func registered(info *device.NodeInfo) map[string][]RegisteredDevice {
	out := map[string][]RegisteredDevice{}
	for i := range info.Len() {
		d := info.Device(i)
		out[string(d.Vendor)] = append(out[string(d.Vendor)], RegisteredDevice{
			d.ID, uint64(d.Index), d.Slots, d.Memory, d.Cores, d.Type, d.NUMA, d.Mode, d.Healthy,
		})
	}
	return out
}

func (r *Runner) quota(s *Step) {
	ns, name := s.Quota.Namespace, s.Quota.Name
	if r.limited[ns] == nil {
		r.limited[ns] = map[string]bool{}
	}
	if s.Delete {
		r.quotas = r.quotas.Delete(ns, name)
		delete(r.limited[ns], name)
		return
	}
	r.quotas = r.quotas.Set(s.Quota)
	r.limited[ns][name] = true
	r.several[ns] = r.several[ns] || len(r.limited[ns]) > 1
}

func (r *Runner) release(uid string) {
	if h, ok := r.placed[uid]; ok {
		r.quotas = r.quotas.Give(h.Namespace, h.Allocation, h.info)
		delete(r.placed, uid)
	}
}

// usageOf is the usage of a node with the recorded placements in force.
func (r *Runner) usageOf(node string) *device.NodeUsage { return r.usageWith(node, r.infos[node]) }

// usageWith is usageOf for another description of the node.
func (r *Runner) usageWith(node string, info *device.NodeInfo) *device.NodeUsage {
	var on []usage.Holding
	for _, uid := range slices.Sorted(maps.Keys(r.placed)) {
		if h := r.placed[uid]; h.Node == node {
			on = append(on, h.Holding)
		}
	}
	return usage.Apply(info, on)
}

func (r *Runner) pod(i int, s *Step) {
	r.release(string(s.Pod.UID))
	sit := &Situation{
		Sequence: r.seq, Step: s, Set: r.set, Pod: s.Pod, run: r, Quota: len(r.limited[s.Pod.Namespace]) > 0,
	}
	req, err := r.set.Request(s.Pod)
	asked := req
	if err != nil { // requests are recorded whatever the weights say
		plain := s.Pod.DeepCopy()
		delete(plain.Annotations, device.AnnotationWeights)
		asked, _ = r.set.Request(plain)
	}
	if err == nil {
		req = req.WithQuota(r.quotas.Headroom(s.Pod.Namespace))
		sit.Request = req
	}
	sit.asked = asked
	note := func(kind string, want, got any) {
		if !slices.Contains(s.Unstable, kind) {
			r.compare(sit, Difference{Step: i, Field: kind, Kind: kind, Want: jsonText(want), Got: jsonText(got)})
		}
	}
	note("error", s.Error, refusal(err))
	note("requests", s.Requests, requests(asked, s))
	note("passthrough", s.Pass, err == nil && req.Empty())
	if s.Error != "" || s.Pass {
		return
	}
	best := r.verdicts(i, s, sit, req)
	chosen := ""
	if best != nil {
		chosen = best.Name
	}
	if s.Chosen != nil {
		sit.chosen = []string{*s.Chosen, chosen}
		note("chosen", *s.Chosen, chosen)
	}
	r.annotations(i, s, sit, req)
	r.force(i, s, sit)
}

// refusal is the text of the one refusal that the reference knows too; the others are told by the field requests.
func refusal(err error) string {
	if err == nil || !strings.HasPrefix(err.Error(), "calcScore failed") {
		return ""
	}
	return err.Error()
}

func requests(req *vendors.Request, s *Step) any {
	if s.Requests == nil {
		return s.Requests
	}
	if req == nil {
		return "refused"
	}
	out := make([]map[string]Request, 0)
	for _, asks := range req.Containers() {
		m := map[string]Request{}
		for _, a := range asks {
			m[string(a.Vendor)] = Request{a.Nums, string(a.Vendor), a.Memory, a.MemoryPercent, a.Cores}
		}
		out = append(out, m)
	}
	return out
}

// verdicts compares the answers for every node and returns the best.
func (r *Runner) verdicts(i int, s *Step, sit *Situation, req *vendors.Request) *score.Ranked {
	var best *score.Ranked
	for _, name := range slices.Sorted(maps.Keys(s.Nodes)) {
		want := s.Nodes[name]
		at := *sit
		at.Verdict = want
		got := Verdict{Reason: "pod refused"}
		if req != nil {
			at.Node = r.usageOf(name)
			fit := r.set.Fit(req, at.Node)
			got = verdict(r.set, req, at.Node, fit)
			if fit.OK() {
				ranked := score.Ranked{Name: name, Score: r.set.Score(req, at.Node, fit)}
				if best == nil || score.Compare(req.NodePolicy, ranked, *best) < 0 {
					best = &ranked
				}
			}
		}
		for _, f := range []struct {
			kind      string
			want, got any
		}{
			{"fit", want.Fit, got.Fit}, {"reason", want.Reason, got.Reason},
			{"score", float(want.Score), float(got.Score)}, {"alloc", want.Alloc, got.Alloc},
		} {
			field := "nodes." + name + "." + f.kind
			if !slices.Contains(s.Unstable, field) {
				r.compare(&at, Difference{Step: i, Field: field, Kind: f.kind, Node: name, Want: jsonText(f.want), Got: jsonText(f.got)})
			}
		}
	}
	return best
}

func float(n json.Number) float32 {
	f, _ := strconv.ParseFloat(string(n), 32)
	return float32(f)
}

func verdict(set *vendors.Set, req *vendors.Request, node *device.NodeUsage, fit vendors.Fit) Verdict {
	if !fit.OK() {
		return Verdict{Reason: fit.Reasons.String()}
	}
	s := set.Score(req, node, fit)
	return Verdict{Fit: true, Score: json.Number(strconv.FormatFloat(float64(s), 'g', -1, 32)), Alloc: allocOf(set, node.Info(), fit.Allocation)}
}

// allocOf renders an allocation as the record does.
func allocOf(set *vendors.Set, node *device.NodeInfo, a *device.Allocation) Alloc {
	out := Alloc{}
	for _, v := range a.Vendors() {
		names := set.Backend(v).Names()
		lists := make([][]Device, len(a.Classes))
		for i := range lists {
			lists[i] = []Device{}
		}
		for _, d := range a.Of(v) {
			e := Device{UUID: d.ID, Type: string(v), UsedMem: d.Memory, UsedCores: d.Cores, MIGProfile: d.MIG.Profile}
			if names.WritesType {
				e.Type = node.Device(node.Find(v, d.ID)).Type
			}
			if !d.MIG.IsZero() {
				e.MIGPlace = &Placement{d.MIG.Placement.Start, d.MIG.Placement.Size}
			}
			lists[d.Container] = append(lists[d.Container], e)
		}
		out[string(v)] = lists
	}
	return out
}

// annotations compares what is written for the recorded node.
func (r *Runner) annotations(i int, s *Step, sit *Situation, req *vendors.Request) {
	if s.Chosen == nil || *s.Chosen == "" || req == nil || slices.Contains(s.Unstable, "annotations") {
		return
	}
	node := r.usageOf(*s.Chosen)
	fit := r.set.Fit(req, node)
	if !fit.OK() {
		return // the verdict tells
	}
	at := *sit
	at.Node, at.Verdict = node, s.Nodes[*s.Chosen]
	got := r.set.Annotations(s.Pod, node.Info(), fit.Allocation, time.Time{})
	for _, key := range slices.Sorted(maps.Keys(union(s.Notes, got))) {
		r.compare(&at, Difference{
			Step: i, Field: "annotations." + key, Kind: "annotations", Node: *s.Chosen,
			Want: optional(s.Notes, key), Got: optional(got, key),
		})
	}
}

func union[V any](a, b map[string]V) map[string]V {
	out := maps.Clone(a)
	if out == nil {
		out = map[string]V{}
	}
	maps.Copy(out, b)
	return out
}

func optional(m map[string]string, key string) string {
	if v, ok := m[key]; ok {
		return v
	}
	return "(absent)"
}

// compare counts a field and, where it differs, looks for the deviations that claim it.
func (r *Runner) compare(s *Situation, d Difference) {
	r.totals.Fields++
	if d.Want == d.Got {
		return
	}
	d.Sequence = r.seq.ID
	for _, v := range r.deviations {
		if v.Claims(s, &d) {
			d.Claims = append(d.Claims, v.ID)
			if r.claims != nil {
				r.claims[v.ID] = true
			}
		}
	}
	if len(d.Claims) == 0 && d.Kind == "chosen" {
		d.Claims = r.consequence(s.chosen)
	}
	r.found = append(r.found, d)
}

// consequence returns the deviation that explains why one of two nodes was chosen: the one that claims a verdict on the first
// of them that has a claimed one.
func (r *Runner) consequence(nodes []string) []string {
	for _, node := range nodes {
		for _, d := range r.found[r.first:] {
			if d.Node == node && len(d.Claims) == 1 && (d.Kind == "fit" || d.Kind == "score") {
				return d.Claims
			}
		}
	}
	return nil
}
