package simulate

import (
	"slices"

	corev1 "k8s.io/api/core/v1"

	"github.com/accelfit/accelfit/device"
	"github.com/accelfit/accelfit/vendors"
)

// packer puts pods on new nodes of one template. It can be asked several times, and remembers what it has found out about
// states of nodes.
type packer struct {
	set   *vendors.Set
	mould *mould
	pods  *pendings
	order []int32 // of pods

	demands [][]vendorDemand         // of each kind of pod, on a new node
	have    map[device.Vendor]demand // of a new node

	alike  bool // equal states of new nodes are known to be equal
	empty  *level
	levels map[string]*level
	known  map[string]answers // by key of the kind of pod; none for those under quotas
	text   []byte
}

// level is a state that a new node can be in.
type level struct {
	usage *device.NodeUsage // of any node in this state
}

// answers are what came of trying one kind of pod on nodes in a state.
type answers map[*level]*outcome

// outcome is what came of trying a pod on a node.
type outcome struct {
	vendors.Fit
	info *device.NodeInfo // of the node that was tried; the devices of the allocation are its
	at   []int            // their positions on it
	next *level           // of the node once the pod is on it; nil: not known yet
}

// What a packer remembers between two questions at most.
const (
	maxLevels = 1024
	maxKinds  = 256
)

func newPacker(set *vendors.Set, template *Template, pods *pendings, first int) *packer {
	p := &packer{
		set: set, pods: pods, mould: newMould(set, template, newName(template.sample().Name, first)),
		have: map[device.Vendor]demand{},
	}
	info := p.mould.info()
	_, p.alike = writeInfo(nil, info)
	p.alike = p.alike && !template.byName(set)
	p.forget()
	for _, v := range info.Vendors() {
		p.have[v] = capacity(info, v)
	}
	p.demands = make([][]vendorDemand, len(pods.kinds))
	for i, k := range pods.kinds {
		p.demands[i] = byVendor(k.request, info)
	}
	p.order = pods.order(p.share)
	return p
}

// share is the part of a new node that a kind of pod takes.
func (p *packer) share(k *kind) float64 {
	return share(p.demands[k.number], func(v device.Vendor) demand { return p.have[v] })
}

// forget drops what is known of states.
func (p *packer) forget() {
	p.levels, p.known = map[string]*level{}, map[string]answers{}
	p.empty = p.level(p.mould.first.usage)
}

// trim bounds what is remembered.
func (p *packer) trim() {
	if len(p.levels) > maxLevels || len(p.known) > maxKinds {
		p.forget()
	}
}

// level returns the state of a usage.
func (p *packer) level(u *device.NodeUsage) *level {
	var ok bool
	if p.text, ok = writeUsage(p.text[:0], u); !ok || !p.alike {
		return &level{u}
	}
	l := p.levels[string(p.text)]
	if l == nil {
		l = &level{u}
		p.levels[string(p.text)] = l
	}
	return l
}

// after returns the state of a node that was in state l, once an outcome was entered.
func (p *packer) after(l *level, o *outcome) *level {
	if o.next == nil {
		o.next = p.level(l.usage.With(o.on(l.usage.Info())))
	}
	return o.next
}

// on is the allocation on another node in an equal state: the devices at the same positions.
func (o *outcome) on(info *device.NodeInfo) *device.Allocation {
	return o.in(info, new(room))
}

// in is on, with the memory taken from a room.
func (o *outcome) in(info *device.NodeInfo, r *room) *device.Allocation {
	if info == o.info || len(o.Allocation.Devices) == 0 {
		return o.Allocation
	}
	if o.at == nil {
		o.at = make([]int, len(o.Allocation.Devices))
		for i := range o.at {
			d := &o.Allocation.Devices[i]
			o.at[i] = o.info.Find(d.Vendor, d.ID)
		}
	}
	out := r.copy(o.Allocation)
	for i, at := range o.at {
		out.Devices[i].ID = info.Device(at).ID
	}
	return out
}

// room is memory for allocations, in two pieces: those of a node live as long as each other.
type room struct {
	allocations []device.Allocation
	devices     []device.ContainerDevice
}

func roomFor(outcomes []*outcome) room {
	devices := 0
	for _, o := range outcomes {
		devices += len(o.Allocation.Devices)
	}
	return room{make([]device.Allocation, 0, len(outcomes)), make([]device.ContainerDevice, 0, devices)}
}

func (r *room) copy(a *device.Allocation) *device.Allocation {
	from := len(r.devices)
	r.devices = append(r.devices, a.Devices...)
	r.allocations = append(r.allocations, device.Allocation{Classes: a.Classes, Devices: slices.Clip(r.devices[from:])})
	return &r.allocations[len(r.allocations)-1]
}

// question is what a pod asks, under what its namespace may still take.
type question struct {
	key       string
	request   *vendors.Request
	kind      *kind
	namespace string
	limited   bool // the namespace limits a vendor asked for
	byName    bool // the answer is for one node only
	known     answers
	taken     map[*outcome]int64 // see packing.taken
}

func (p *packer) question(w *pending, headroom map[device.Vendor]device.Headroom) question {
	q := question{request: w.kind.request, kind: w.kind, namespace: w.pod.Namespace, byName: w.kind.byName || !p.alike}
	if q.key, q.limited = w.kind.question(headroom); q.limited {
		q.request = w.kind.request.WithQuota(headroom)
	}
	return q
}

// byName says whether what the template's pods hold may depend on the name of the new node.
func (t *Template) byName(set *vendors.Set) bool {
	return slices.ContainsFunc(t.Pods, func(pod *corev1.Pod) bool {
		if pod == nil {
			return false
		}
		r, err := set.Request(pod)
		return err == nil && r.ByName()
	})
}
