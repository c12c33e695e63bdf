package simulate

import (
	"fmt"
	"math"
	"slices"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"

	"github.com/accelfit/accelfit/device"
	"github.com/accelfit/accelfit/vendors"
)

// FragmentOptions narrow the question for the largest request. The zero value asks about devices only.
type FragmentOptions struct {
	Fit   vendors.FitOptions
	Allow AllowFunc // nil: only devices matter
}

// Fragments is how large a request still fits on each node.
type Fragments struct {
	// Container and Vendor are whose request was varied: the first app container that asks for devices, or else the first
	// other one; and the first vendor it asks.
	Container int // position, init containers first
	Vendor    device.Vendor

	HasMemory bool // requests of the vendor can name an amount of memory; otherwise every Memory is 0
	Nodes     []NodeFragments
}

// NodeFragments is how large a request still fits on one node.
type NodeFragments struct {
	Node string

	// Free is the memory, in MiB, that is left of the vendor's devices that take new work: what would be one piece if
	// nothing were fragmented. A negative rest of one device counts 0.
	Free int64

	// Memory is the most MiB of each device that the container can get by asking for memory, with the pod's other amounts; 0:
	// none fits.
	Memory int64

	// Devices is the most devices that the container can ask for, with the pod's other amounts; 0: not one.
	Devices int64

	Refused error // why the caller's predicate refuses the node; Memory and Devices are then 0
}

// Fragments tells how large a request like the given pod's still fits on each node: the pod with another amount of memory,
// and with another number of devices. An amount that the vendor's request does not follow beside the others (a number of slices
// settles the memory) does not vary. Every amount told does fit; where a model serves a request though it refuses a smaller
// one, a larger one may fit that is not found. The error is an invalid request, or [ErrNoDevices]. Cost: for each node about 20
// fits and one for each device and instance.
func (s *Snapshot) Fragments(pod *corev1.Pod, o FragmentOptions) (Fragments, error) {
	r, err := s.read(pod)
	if err != nil {
		return Fragments{}, err
	}
	v := varied{
		snapshot: s, pod: pod, options: o, limited: s.quotas.Headroom(pod.Namespace) != nil,
		memory: map[int64]*vendors.Request{}, nums: map[int64]*vendors.Request{},
	}
	if !v.choose(r) {
		return Fragments{}, fmt.Errorf("pod %s/%s: %w", pod.Namespace, pod.Name, ErrNoDevices)
	}
	out := Fragments{Container: v.container, Vendor: v.vendor, HasMemory: v.names.Memory != ""}
	for name, n := range s.nodes.All() {
		x := NodeFragments{Node: name, Free: free(n.usage, v.vendor)}
		if o.Allow != nil {
			x.Refused = o.Allow(pod, n.object, Change{})
		}
		if x.Refused == nil {
			x.Memory, x.Devices = v.mostMemory(n.usage), v.mostDevices(n.usage)
		}
		out.Nodes = append(out.Nodes, x)
	}
	return out, nil
}

// free adds up what is left of the memory of a vendor's devices that take new work.
func free(u *device.NodeUsage, v device.Vendor) int64 {
	sum := int64(0)
	from, to := u.Range(v)
	for i := from; i < to; i++ {
		if d, use := u.Info().Device(i), u.Device(i); use.Healthy && !d.Cordoned && use.Slots < d.Slots {
			sum = device.Sum(sum, max(0, d.Memory-use.Memory))
		}
	}
	return sum
}

// manyRequests is how many varied requests are kept, and manyAmounts how many amounts are tried before the search.
const (
	manyRequests = 1024
	manyAmounts  = 64
)

// varied is a pod of which one amount varies.
type varied struct {
	snapshot  *Snapshot
	pod       *corev1.Pod
	options   FragmentOptions
	container int
	vendor    device.Vendor
	names     device.Names

	limited      bool                       // the pod's namespace has a quota
	memory, nums map[int64]*vendors.Request // by the amount in place of the pod's, in units of the resource; nil: invalid
}

// choose settles whose request varies; false: nobody asks for devices.
func (v *varied) choose(r *vendors.Request) bool {
	for _, apps := range []bool{true, false} {
		for i, asks := range r.Containers() {
			if len(asks) > 0 && (r.Classes()[i] == device.App) == apps {
				v.container, v.vendor = i, asks[0].Vendor
				v.names = v.snapshot.set.Backend(v.vendor).Names()
				return true
			}
		}
	}
	return false
}

// with is the request of the pod with another amount of a resource and without those that would be beside it; nil: it is
// invalid.
func (v *varied) with(known map[int64]*vendors.Request, amount int64, resourceName string, without ...string) *vendors.Request {
	if r, found := known[amount]; found {
		return r
	}
	pod := v.pod.DeepCopy()
	at, containers := v.container, pod.Spec.InitContainers
	if n := len(containers); at >= n {
		at, containers = at-n, pod.Spec.Containers
	}
	limits, requests := &containers[at].Resources.Limits, containers[at].Resources.Requests
	if *limits == nil {
		*limits = corev1.ResourceList{}
	}
	for _, name := range append(without, resourceName) {
		delete(*limits, corev1.ResourceName(name))
		delete(requests, corev1.ResourceName(name))
	}
	(*limits)[corev1.ResourceName(resourceName)] = *resource.NewQuantity(amount, resource.DecimalSI)
	r, err := v.snapshot.set.Request(pod)
	if err == nil {
		r = v.snapshot.limited(r.With(v.options.Fit))
	} else {
		r = nil
	}
	if len(known) >= manyRequests {
		clear(known)
	}
	known[amount] = r
	return r
}

// fits says whether a request fits, and how much memory of each device the container then gets.
func (v *varied) fits(r *vendors.Request, u *device.NodeUsage) (mib int64, ok bool) {
	if r == nil {
		return 0, false
	}
	fit := v.snapshot.set.Fit(r, u)
	if !fit.OK() {
		return 0, false
	}
	mib = math.MaxInt64
	for _, d := range fit.Allocation.Of(v.vendor) {
		if d.Container == v.container {
			mib = min(mib, d.Memory)
		}
	}
	return mib, true
}

// asks says whether the container asks for so many devices: the count resource of some vendors counts parts of one.
func (v *varied) asks(r *vendors.Request, n int64) bool {
	return slices.ContainsFunc(r.Containers()[v.container], func(a device.ContainerRequest) bool { return a.Vendor == v.vendor && a.Nums == n })
}

// mostMemory is the most MiB of each device that the container can ask for on a node: first the largest of the amounts that
// devices have in all, have left or are divided into; then what lies above it.
func (v *varied) mostMemory(u *device.NodeUsage) int64 {
	if v.names.Memory == "" {
		return 0
	}
	unit := max(1, v.names.MemoryFactor)
	try := func(units int64) (int64, bool) {
		return v.fits(v.with(v.memory, units, v.names.Memory, v.names.Percent), u)
	}
	low, best, high := int64(0), int64(0), int64(0)
	amounts := v.likely(u)
	for _, mib := range amounts {
		high = max(high, mib/unit)
		if got, ok := try(mib / unit); ok && mib/unit > 0 {
			low, best = mib/unit, got
			break
		}
	}
	for low < high { // the answer lies between, both included
		middle := low + (high-low+1)/2
		if got, ok := try(middle); ok {
			low, best = middle, max(best, got)
		} else {
			high = middle - 1
		}
	}
	return best
}

// likely are amounts in MiB that the largest request may be for, descending.
func (v *varied) likely(u *device.NodeUsage) []int64 {
	var out []int64
	from, to := u.Range(v.vendor)
	for i := from; i < to; i++ {
		d, use := u.Info().Device(i), u.Device(i)
		out = append(out, d.Memory, d.Memory-use.Memory, use.Memory/max(1, use.Slots))
		for _, p := range d.MIGProfiles {
			out = append(out, p.Memory)
		}
	}
	slices.Sort(out)
	out = slices.Compact(out)
	slices.Reverse(out)
	out = slices.DeleteFunc(out, func(mib int64) bool { return mib <= 0 || mib > device.MaxAmount })
	return out[:min(len(out), manyAmounts)]
}

// mostDevices is the most devices that the container can ask for on a node. Numbers between one that fits and one that does not may
// or may not fit (linked pairs), so that all are tried, the largest first.
func (v *varied) mostDevices(u *device.NodeUsage) int64 {
	const manyInstances = 16 // of one card
	from, to := u.Range(v.vendor)
	most := int64(0)
	for i := from; i < to; i++ {
		instances := 1
		for _, p := range u.Info().Device(i).MIGProfiles {
			instances = max(instances, min(len(p.Placements), manyInstances))
		}
		most += int64(instances)
	}
	for n := min(most, device.MaxDevices); n > 0; n-- {
		r := v.with(v.nums, n, v.names.Count)
		if r == nil || !v.asks(r, n) {
			continue
		}
		fit := v.snapshot.set.Fit(r, u)
		if fit.OK() {
			return n
		}
		if passed := fit.Reasons.Count(device.AllocatedCardsInsufficientRequest); passed > 0 && !v.limited {
			n = min(n, int64(passed)+1) // no more than these pass for a smaller number either
		}
	}
	return 0
}
