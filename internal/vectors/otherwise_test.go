package vectors

import (
	"github.com/accelfit/accelfit/device"
	"github.com/accelfit/accelfit/vendors"
)

// decidesWith says whether another backend, on a node that may be described otherwise, makes us decide as recorded, if need be
// with all quirks on, where neither our own nor all quirks do.
func (s *Situation) decidesWith(d *Difference, b device.Backend, node *device.NodeUsage) bool {
	switch d.Kind {
	case "fit", "reason", "score", "alloc", "annotations":
	default:
		return false
	}
	if s.Request == nil || s.Node == nil {
		return false
	}
	quirky := s.Set.Options()
	quirky.Quirks = device.AllQuirks
	if s.decidedBy(d, s.Set) || s.decidedBy(d, s.Set.With(quirky)) {
		return false
	}
	at, other := *s, s.withBackend(b)
	at.Node = node
	return at.decidedBy(d, other) || at.decidedBy(d, other.With(quirky))
}

// decidedBy says whether a set decides about the pod as recorded.
func (s *Situation) decidedBy(d *Difference, set *vendors.Set) bool {
	req, err := set.Request(s.Pod)
	return err == nil && s.recordedBy(d, set, req.WithQuota(s.run.quotas.Headroom(s.Pod.Namespace)))
}

// recordedBy says whether a set's decision about a request is what is recorded, lost positions aside.
func (s *Situation) recordedBy(d *Difference, set *vendors.Set, req *vendors.Request) bool {
	return s.recordedAs(d, set, req, compact)
}

// recordedExactly says whether a set's decision about a request is what is recorded.
func (s *Situation) recordedExactly(d *Difference, set *vendors.Set, req *vendors.Request) bool {
	return s.recordedAs(d, set, req, func(a Alloc) Alloc { return a })
}

func (s *Situation) recordedAs(d *Difference, set *vendors.Set, req *vendors.Request, form func(Alloc) Alloc) bool {
	got := verdict(set, req, s.Node, set.Fit(req, s.Node))
	switch d.Kind {
	case "fit":
		return jsonText(got.Fit) == d.Want
	case "reason":
		return jsonText(got.Reason) == d.Want
	case "score":
		return got.Fit == s.Verdict.Fit && jsonText(float(got.Score)) == d.Want
	case "alloc", "annotations":
		return jsonText(form(got.Alloc)) == jsonText(form(s.Verdict.Alloc))
	}
	return false
}

// withBackend is the set with another backend for a vendor word.
func (s *Situation) withBackend(b device.Backend) *vendors.Set {
	backends := []device.Backend{b}
	for _, other := range s.Set.Backends() {
		if other.Vendor() != b.Vendor() {
			backends = append(backends, other)
		}
	}
	set, err := vendors.New(backends...)
	if err != nil {
		panic(err)
	}
	return set.With(s.Set.Options())
}
