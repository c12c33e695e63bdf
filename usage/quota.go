package usage

import (
	"maps"
	"strings"

	corev1 "k8s.io/api/core/v1"

	"github.com/accelfit/accelfit/device"
	"github.com/accelfit/accelfit/internal/ordered"
	"github.com/accelfit/accelfit/vendors"
)

// Quotas are the limits that ResourceQuota objects put on namespaces and what their pods have taken (spec core §12). The
// zero value limits nothing. Quotas is an immutable value: every change returns a new one; any number of goroutines may
// read any of them.
type Quotas struct {
	managed map[string]managed // by resource name; never written after NewQuotas
	spaces  ordered.Map[*space]
}

type managed struct {
	vendor device.Vendor
	memory bool
	factor int64
}

type space struct {
	limits map[string]map[string]int64 // object name → resource name → limit, in the unit the user writes
	used   map[device.Vendor]amounts
}

type amounts struct{ memory, cores int64 }

// NewQuotas returns quotas without any limit on the memory and core resources of a set's vendors.
func NewQuotas(set *vendors.Set) Quotas {
	q := Quotas{managed: map[string]managed{}}
	for _, b := range set.Backends() {
		n := b.Names()
		if n.Memory != "" {
			q.managed[n.Memory] = managed{b.Vendor(), true, max(1, n.MemoryFactor)}
		}
		if n.Cores != "" {
			q.managed[n.Cores] = managed{b.Vendor(), false, 1}
		}
	}
	return q
}

// Managed says whether quotas on a resource are heeded: the memory and core resources of the set's vendors.
func (q Quotas) Managed(resource string) bool {
	_, ok := q.managed[resource]
	return ok
}

// Set puts a ResourceQuota in force, in place of an earlier one of the same name. Of spec.hard the keys limits.<resource>
// of managed resources count; values that are not whole numbers are ignored.
func (q Quotas) Set(rq *corev1.ResourceQuota) Quotas {
	limits := map[string]int64{}
	for name, value := range rq.Spec.Hard {
		resource, isLimit := strings.CutPrefix(string(name), "limits.")
		if n, whole := value.AsInt64(); isLimit && whole && q.Managed(resource) {
			limits[resource] = n
		}
	}
	s := q.space(rq.Namespace)
	s.limits[rq.Name] = limits
	return q.with(rq.Namespace, s)
}

// Delete takes a ResourceQuota out of force; what was taken stays taken.
func (q Quotas) Delete(namespace, name string) Quotas {
	s := q.space(namespace)
	delete(s.limits, name)
	return q.with(namespace, s)
}

// Take counts an allocation against its namespace, with its effective amounts.
func (q Quotas) Take(namespace string, a *device.Allocation) Quotas { return q.count(namespace, a, 1) }

// Give takes an allocation off its namespace again; nothing falls below 0.
func (q Quotas) Give(namespace string, a *device.Allocation) Quotas { return q.count(namespace, a, -1) }

func (q Quotas) count(namespace string, a *device.Allocation, sign int64) Quotas {
	holds := a.Collapse()
	if len(holds) == 0 {
		return q
	}
	s := q.space(namespace)
	for _, h := range holds {
		u := s.used[h.Vendor]
		u.memory = max(0, u.memory+sign*h.Memory)
		u.cores = max(0, u.cores+sign*h.Cores)
		s.used[h.Vendor] = u
	}
	return q.with(namespace, s)
}

// space returns a copy of a namespace's state that may be written to.
func (q Quotas) space(namespace string) *space {
	s := &space{limits: map[string]map[string]int64{}, used: map[device.Vendor]amounts{}}
	if old, ok := q.spaces.Get(namespace); ok {
		maps.Copy(s.limits, old.limits)
		maps.Copy(s.used, old.used)
	}
	return s
}

func (q Quotas) with(namespace string, s *space) Quotas {
	q.spaces = q.spaces.Set(namespace, s)
	return q
}

// Headroom returns what a namespace may still take, for every vendor that is limited there; nil where none is. Of several
// objects that limit one resource the lowest limit counts (deviation D9). The map is the caller's.
func (q Quotas) Headroom(namespace string) map[device.Vendor]device.Headroom {
	s, ok := q.spaces.Get(namespace)
	if !ok {
		return nil
	}
	var out map[device.Vendor]device.Headroom
	for _, limits := range s.limits {
		for resource, limit := range limits {
			m := q.managed[resource]
			h := out[m.vendor]
			l, used := &h.Cores, s.used[m.vendor].cores
			if m.memory {
				l, used = &h.Memory, s.used[m.vendor].memory
			}
			if left := allowed(limit, m.factor) - used; !l.Set || left < l.Left {
				*l = device.Limit{Left: left, Set: true}
			}
			if out == nil {
				out = map[device.Vendor]device.Headroom{}
			}
			out[m.vendor] = h
		}
	}
	return out
}

// allowed is what a limit stands for in the vendor's own unit. A negative limit allows nothing at all.
func allowed(limit, factor int64) int64 {
	if limit < 0 {
		return -1
	}
	return device.Product(limit, factor)
}
