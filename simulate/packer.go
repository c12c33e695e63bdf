package simulate

import (
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
	next *level           // of the node once the pod is on it; nil: not known yet
}

// What a packer remembers between two questions at most.
const (
	maxLevels = 1024
	maxKinds  = 256
)

func newPacker(set *vendors.Set, template *Template, pods *pendings, first int) *packer {
	p := &packer{
		set: set, pods: pods, mould: newMould(set, template, newName(template.Node.Name, first)),
		have: map[device.Vendor]demand{},
	}
	info := p.mould.info()
	_, p.alike = writeInfo(nil, info)
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
	most := 0.0
	for _, d := range p.demands[k.number] {
		most = max(most, d.all.share(p.have[d.vendor]))
	}
	return most
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
		o.next = p.level(l.usage.With(translated(o.Allocation, o.info, l.usage.Info())))
	}
	return o.next
}

// translated is an allocation on one node for another in an equal state: the devices at the same positions.
func translated(a *device.Allocation, from, to *device.NodeInfo) *device.Allocation {
	if from == to || len(a.Devices) == 0 {
		return a
	}
	out := &device.Allocation{Classes: a.Classes, Devices: make([]device.ContainerDevice, len(a.Devices))}
	copy(out.Devices, a.Devices)
	for i := range out.Devices {
		d := &out.Devices[i]
		d.ID = to.Device(from.Find(d.Vendor, d.ID)).ID
	}
	return out
}

// question is what a pod asks, under what its namespace may still take.
type question struct {
	key     string
	request *vendors.Request
	kind    *kind
	limited bool // the namespace limits a vendor asked for
	byName  bool // the answer is for one node only
}

func (p *packer) question(w *pending, headroom map[device.Vendor]device.Headroom) question {
	q := question{request: w.request, kind: w.kind, byName: w.kind.byName || !p.alike}
	if q.key, q.limited = w.kind.question(headroom); q.limited {
		q.request = w.request.WithQuota(headroom)
	}
	return q
}
