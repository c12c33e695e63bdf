package device

import (
	"cmp"
	"slices"

	corev1 "k8s.io/api/core/v1"
)

// ContainerClass says when a container of a pod runs, which decides how its devices add up.
type ContainerClass uint8

// The classes, in the order in which their containers start.
const (
	// App containers run together once every init container has succeeded.
	App ContainerClass = iota
	// Init containers run one after the other and end before the app containers start.
	Init
	// Sidecar is an init container with restartPolicy Always: it runs for the life of the pod.
	Sidecar
)

// Classes returns the class of every container of a pod, init containers first.
func Classes(pod *corev1.PodSpec) []ContainerClass {
	out := make([]ContainerClass, 0, len(pod.InitContainers)+len(pod.Containers))
	for i := range pod.InitContainers {
		class := Init
		if p := pod.InitContainers[i].RestartPolicy; p != nil && *p == corev1.ContainerRestartPolicyAlways {
			class = Sidecar
		}
		out = append(out, class)
	}
	for range pod.Containers {
		out = append(out, App)
	}
	return out
}

// ContainerDevice is one device given to one container.
type ContainerDevice struct {
	Container int // position among the pod's containers, init containers first
	Vendor    Vendor
	ID        string
	Index     int   // the device's index on its node; 0 when read back from an annotation
	Memory    int64 // MiB booked
	Cores     int64 // percent booked

	// Tag is what the vendor remembers of the pod on the device ([Plan.Tag], [Tagger]); empty: nothing.
	Tag string

	// MIG is the instance cut for the container; zero for devices that are not in mode mig, and when read back from an
	// annotation (the reservations are an annotation of their own).
	MIG MIGInstance
}

// Allocation is the devices a pod was given. Classes has one entry for each container of the pod; Devices is ordered by
// vendor word, then container, then the order in which they were granted.
type Allocation struct {
	Classes []ContainerClass
	Devices []ContainerDevice
}

// DeepCopy returns a copy that shares nothing with a.
func (a *Allocation) DeepCopy() *Allocation {
	if a == nil {
		return nil
	}
	return &Allocation{Classes: slices.Clone(a.Classes), Devices: slices.Clone(a.Devices)}
}

// Of returns the devices of one vendor. The slice is a part of a.Devices.
func (a *Allocation) Of(v Vendor) []ContainerDevice {
	from := slices.IndexFunc(a.Devices, func(d ContainerDevice) bool { return d.Vendor == v })
	if from < 0 {
		return nil
	}
	to := from
	for to < len(a.Devices) && a.Devices[to].Vendor == v {
		to++
	}
	return a.Devices[from:to:to]
}

// Vendors lists the vendors that a holds devices of, ascending.
func (a *Allocation) Vendors() []Vendor {
	var out []Vendor
	for i := range a.Devices {
		if v := a.Devices[i].Vendor; len(out) == 0 || out[len(out)-1] != v {
			out = append(out, v)
		}
	}
	return out
}

// Released returns what a pod still holds once its init containers have ended: its sidecars and app containers.
func (a *Allocation) Released() *Allocation {
	out := &Allocation{Classes: slices.Clone(a.Classes)}
	for _, d := range a.Devices {
		if a.class(d.Container) != Init {
			out.Devices = append(out.Devices, d)
		}
	}
	return out
}

func (a *Allocation) class(container int) ContainerClass {
	if container < 0 || container >= len(a.Classes) {
		return App
	}
	return a.Classes[container]
}

// Hold is what a pod effectively takes of one device over its life.
type Hold struct {
	Vendor Vendor
	ID     string
	Slots  int64
	Memory int64
	Cores  int64
	Tag    string        // of the container that was served last
	MIG    []MIGInstance // every instance cut for the pod, also those of init containers
}

// Collapse returns the effective hold on each device, ordered by vendor word and id (spec core §5, D10): per device and
// resource, sidecars add up, and on top of them comes the larger of the init containers' peak and the app containers' sum.
// Several entries of one init container on one device are not added up either. A device that is held at all takes at
// least one slot. Cost: O(n log n) in the devices.
func (a *Allocation) Collapse() []Hold { return a.AppendHolds(nil) }

// AppendHolds appends what Collapse returns to into, so that a caller can bring the memory.
func (a *Allocation) AppendHolds(into []Hold) []Hold {
	if len(a.Devices) == 0 {
		return into
	}
	var few [16]int // no memory for the usual number
	order := few[:0]
	for i := range a.Devices {
		order = append(order, i)
	}
	slices.SortStableFunc(order, func(x, y int) int {
		return cmp.Or(cmp.Compare(a.Devices[x].Vendor, a.Devices[y].Vendor), cmp.Compare(a.Devices[x].ID, a.Devices[y].ID))
	})
	out, from := slices.Grow(into, len(order)), len(into)
	var sum Tally
	for _, i := range order {
		d := &a.Devices[i]
		if len(out) == from || !out[len(out)-1].on(d) {
			out = append(out, Hold{Vendor: d.Vendor, ID: d.ID})
			sum = Tally{}
		}
		h := &out[len(out)-1]
		sum.Add(a.class(d.Container), d.Memory, d.Cores)
		h.Slots, h.Memory, h.Cores = sum.Effective()
		if d.Tag != "" {
			h.Tag = d.Tag
		}
		if !d.MIG.IsZero() {
			h.MIG = append(h.MIG, d.MIG)
		}
	}
	return out
}

func (h *Hold) on(d *ContainerDevice) bool { return h.Vendor == d.Vendor && h.ID == d.ID }

// Tally adds up what the containers of one pod take of one device. The zero value is empty.
type Tally struct {
	sidecar, app, init struct{ slots, memory, cores int64 }
}

// Add counts one entry of a container of the given class.
func (t *Tally) Add(class ContainerClass, memory, cores int64) {
	switch class {
	case Init:
		t.init.slots = 1
		t.init.memory = max(t.init.memory, memory)
		t.init.cores = max(t.init.cores, cores)
	case Sidecar:
		t.sidecar.slots++
		t.sidecar.memory = Sum(t.sidecar.memory, memory)
		t.sidecar.cores = Sum(t.sidecar.cores, cores)
	default:
		t.app.slots++
		t.app.memory = Sum(t.app.memory, memory)
		t.app.cores = Sum(t.app.cores, cores)
	}
}

// Effective returns sidecar sum + max(init peak, app sum) of each amount; at least one slot.
func (t *Tally) Effective() (slots, memory, cores int64) {
	return max(1, t.sidecar.slots+max(t.init.slots, t.app.slots)),
		Sum(t.sidecar.memory, max(t.init.memory, t.app.memory)),
		Sum(t.sidecar.cores, max(t.init.cores, t.app.cores))
}
