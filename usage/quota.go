package usage

import (
	"maps"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"

	"github.com/accelfit/accelfit/device"
	"github.com/accelfit/accelfit/internal/ordered"
	"github.com/accelfit/accelfit/vendors"
)

// Quotas are the limits that ResourceQuota objects put on namespaces and what their pods have taken (spec core §12). The
// zero value limits nothing. Quotas is an immutable value: every change returns a new one; any number of goroutines may
// read any of them.
type Quotas struct {
	managed map[string]managed               // by resource name; never written after NewQuotas
	charges map[device.Vendor]device.Charger // never written after NewQuotas
	spaces  ordered.Map[*space]
}

type managed struct {
	vendor device.Vendor
	memory bool
	limit  func(resource.Quantity) (int64, bool) // in the vendor's own unit
}

// space is immutable.
type space struct {
	limits map[string]map[string]int64 // object name → resource name → limit, MiB or cores
	used   []amounts                   // of few vendors
}

type amounts struct {
	vendor        device.Vendor
	memory, cores int64
}

// usedOf is what is taken of a vendor.
func (s *space) usedOf(v device.Vendor) amounts {
	for _, u := range s.used {
		if u.vendor == v {
			return u
		}
	}
	return amounts{vendor: v}
}

// NewQuotas returns quotas without any limit on the memory and core resources of a set's vendors.
func NewQuotas(set *vendors.Set) Quotas {
	q := Quotas{managed: map[string]managed{}, charges: map[device.Vendor]device.Charger{}}
	for _, b := range set.Backends() {
		n := b.Names()
		if n.Memory != "" {
			q.managed[n.Memory] = managed{b.Vendor(), true, memoryLimit(b)}
		}
		if n.Cores != "" {
			q.managed[n.Cores] = managed{b.Vendor(), false, inUnitsOf(1)}
		}
		if c, ok := b.(device.Charger); ok {
			q.charges[b.Vendor()] = c
		}
	}
	return q
}

func memoryLimit(b device.Backend) func(resource.Quantity) (int64, bool) {
	if r, ok := b.(device.LimitReader); ok {
		return r.MemoryLimit
	}
	return inUnitsOf(max(1, b.Names().MemoryFactor))
}

// inUnitsOf reads limits that are whole numbers of a unit. A negative limit allows nothing at all.
func inUnitsOf(factor int64) func(resource.Quantity) (int64, bool) {
	return func(q resource.Quantity) (int64, bool) {
		n, whole := q.AsInt64()
		if n < 0 {
			return -1, whole
		}
		return device.Product(n, factor), whole
	}
}

// Managed says whether quotas on a resource are heeded: the memory and core resources of the set's vendors.
func (q Quotas) Managed(resource string) bool {
	_, ok := q.managed[resource]
	return ok
}

// Set puts a ResourceQuota in force, in place of an earlier one of the same name. Of spec.hard the keys limits.<resource>
// of managed resources count; values that the vendor cannot read, such as fractions, are ignored.
func (q Quotas) Set(rq *corev1.ResourceQuota) Quotas {
	limits := map[string]int64{}
	for name, value := range rq.Spec.Hard {
		resource, isLimit := strings.CutPrefix(string(name), "limits.")
		if m, ok := q.managed[resource]; isLimit && ok {
			if n, readable := m.limit(value); readable {
				limits[resource] = n
			}
		}
	}
	old := q.space(rq.Namespace)
	all := maps.Clone(old.limits)
	if all == nil {
		all = map[string]map[string]int64{}
	}
	all[rq.Name] = limits
	return q.with(rq.Namespace, &space{limits: all, used: old.used})
}

// Delete takes a ResourceQuota out of force; what was taken stays taken.
func (q Quotas) Delete(namespace, name string) Quotas {
	old := q.space(namespace)
	all := maps.Clone(old.limits)
	delete(all, name)
	return q.with(namespace, &space{limits: all, used: old.used})
}

// Take counts an allocation on a node against its namespace, with its effective amounts. node may be nil where it is not
// known; vendors whose quotas depend on the device then assume whole devices.
func (q Quotas) Take(namespace string, a *device.Allocation, node *device.NodeInfo) Quotas {
	return q.count(namespace, q.charged(a, node), 1)
}

// TakeTimes is Take of n equal allocations at once.
func (q Quotas) TakeTimes(namespace string, a *device.Allocation, node *device.NodeInfo, n int64) Quotas {
	return q.count(namespace, q.charged(a, node), n)
}

// Give takes an allocation off its namespace again; nothing falls below 0.
func (q Quotas) Give(namespace string, a *device.Allocation, node *device.NodeInfo) Quotas {
	return q.count(namespace, q.charged(a, node), -1)
}

// charged returns an allocation with the amounts that quotas count.
func (q Quotas) charged(a *device.Allocation, node *device.NodeInfo) *device.Allocation {
	if !slices.ContainsFunc(a.Devices, func(d device.ContainerDevice) bool { return q.charges[d.Vendor] != nil }) {
		return a
	}
	a = a.DeepCopy()
	for i := range a.Devices {
		d := &a.Devices[i]
		c := q.charges[d.Vendor]
		if c == nil {
			continue
		}
		var info *device.DeviceInfo
		if node != nil {
			if at := node.Find(d.Vendor, d.ID); at >= 0 {
				info = node.Device(at)
			}
		}
		d.Memory, d.Cores = c.Charge(info, d.Memory, d.Cores)
	}
	return a
}

// count counts an allocation a number of times, which may be negative.
func (q Quotas) count(namespace string, a *device.Allocation, times int64) Quotas {
	var few [8]device.Hold // no memory for the usual number
	holds := a.AppendHolds(few[:0])
	if len(holds) == 0 {
		return q
	}
	old := q.space(namespace)
	s := &space{limits: old.limits, used: make([]amounts, len(old.used), len(old.used)+1)}
	copy(s.used, old.used)
	for i := range holds {
		h := &holds[i]
		at := slices.IndexFunc(s.used, func(u amounts) bool { return u.vendor == h.Vendor })
		if at < 0 {
			at = len(s.used)
			s.used = append(s.used, amounts{vendor: h.Vendor})
		}
		u := &s.used[at]
		u.memory = max(0, u.memory+times*h.Memory)
		u.cores = max(0, u.cores+times*h.Cores)
	}
	return q.with(namespace, s)
}

// space is a namespace's state.
func (q Quotas) space(namespace string) *space {
	if s, ok := q.spaces.Get(namespace); ok {
		return s
	}
	return &space{}
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
			taken := s.usedOf(m.vendor)
			l, used := &h.Cores, taken.cores
			if m.memory {
				l, used = &h.Memory, taken.memory
			}
			if left := limit - used; !l.Set || left < l.Left {
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
