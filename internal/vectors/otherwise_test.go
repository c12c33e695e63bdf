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
