package usage

import (
	"errors"
	"slices"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/accelfit/accelfit/device"
	"github.com/accelfit/accelfit/vendors"
)

// Holding is what one pod holds on a node.
type Holding struct {
	Namespace, Name string
	UID             types.UID
	Node            string

	// Allocation is what counts: once the init containers have succeeded, without theirs.
	Allocation *device.Allocation

	// Reservations are the MIG instances of the allocation.
	Reservations []device.MIGReservation

	// Blocked are devices whose entry in the pod's annotations cannot be read: they take no new work while the pod is there.
	Blocked []DeviceRef

	// Released says that the init containers have succeeded and no longer count.
	Released bool
}

// DeviceRef names a device of a node.
type DeviceRef struct {
	Vendor device.Vendor
	ID     string
}

// Key identifies the pod of a holding: its UID, or namespace/name where it has none.
func (h *Holding) Key() string { return key(h.Namespace, h.Name, h.UID) }

func key(namespace, name string, uid types.UID) string {
	if uid != "" {
		return string(uid)
	}
	return namespace + "/" + name
}

// Of returns what a pod holds that was just placed on a node.
func Of(r *vendors.Request, node string, a *device.Allocation) Holding {
	h := Holding{Namespace: r.Namespace, Name: r.Name, UID: r.UID, Node: node, Allocation: a}
	if !slices.ContainsFunc(a.Devices, func(d device.ContainerDevice) bool { return !d.MIG.IsZero() }) {
		return h
	}
	for _, v := range a.Vendors() {
		h.Reservations = append(h.Reservations, a.Reservations(v)...)
	}
	return h
}

// Read tells what a pod holds by its annotations; ok is false for a pod that holds nothing: one that was never given a
// node, has ended, or could not be bound. A pod that is being deleted still holds its devices. Entries that cannot be read
// are problems; the readable ones count all the same (deviation D15).
func Read(set *vendors.Set, pod *corev1.Pod) (h Holding, ok bool, problems []device.Problem) {
	node := pod.Annotations[device.AnnotationNode]
	if node == "" || ended(pod) {
		return Holding{}, false, nil
	}
	h = Holding{Namespace: pod.Namespace, Name: pod.Name, UID: pod.UID, Node: node}
	h.Allocation = &device.Allocation{Classes: set.Classes(pod)}
	note := func(key string, err error) {
		problems = append(problems, device.Problem{Object: "pod " + pod.Namespace + "/" + pod.Name, Err: device.In(key, err)})
	}
	for _, b := range set.Backends() {
		key := b.Names().Allocated
		text, found := pod.Annotations[key]
		if key == "" || !found {
			continue
		}
		devices, _, blocked, err := device.DecodeAllocation(text, b.Vendor())
		if err != nil {
			note(key, err)
		}
		if t, ok := b.(device.Tagger); ok {
			for i := range devices {
				devices[i].Tag = t.Tag(pod.Annotations, &devices[i])
			}
		}
		h.Allocation.Devices = append(h.Allocation.Devices, devices...)
		for _, id := range blocked {
			h.Blocked = append(h.Blocked, DeviceRef{b.Vendor(), id})
		}
	}
	var err error
	if h.Reservations, err = device.DecodeMIGReservations(pod.Annotations[device.AnnotationMIGReservation]); err != nil {
		note(device.AnnotationMIGReservation, err)
	}
	if initsDone(h.Allocation.Classes, pod) {
		h = h.release()
	}
	return h, true, problems
}

// ended says whether nothing of the pod runs or will run on the node it was given.
func ended(pod *corev1.Pod) bool {
	switch pod.Status.Phase {
	case corev1.PodSucceeded, corev1.PodFailed:
		return true
	}
	return pod.Spec.NodeName == "" && pod.Annotations[device.AnnotationBindPhase] == device.BindFailed // deviation D26
}

// initsDone says whether every plain init container has succeeded (spec core §5, deviation D14).
func initsDone(classes []device.ContainerClass, pod *corev1.Pod) bool {
	any := false
	for i := range pod.Spec.InitContainers {
		if classes[i] != device.Init {
			continue
		}
		any = true
		if !succeeded(pod, pod.Spec.InitContainers[i].Name) {
			return false
		}
	}
	return any
}

func succeeded(pod *corev1.Pod, container string) bool {
	return slices.ContainsFunc(pod.Status.InitContainerStatuses, func(s corev1.ContainerStatus) bool {
		return s.Name == container && s.State.Terminated != nil && s.State.Terminated.ExitCode == 0
	})
}

// release drops what only init containers held, their reservations too (deviation D17).
func (h Holding) release() Holding {
	all := h.Allocation
	h.Released = true
	h.Allocation = all.Released()
	h.Reservations = slices.DeleteFunc(slices.Clone(h.Reservations), func(r device.MIGReservation) bool {
		return r.ContainerIndex < len(all.Classes) && all.Classes[r.ContainerIndex] == device.Init
	})
	return h
}

// DeepCopy returns a copy that shares nothing with h.
func (h Holding) DeepCopy() Holding {
	h.Allocation = h.Allocation.DeepCopy()
	h.Blocked = slices.Clone(h.Blocked)
	h.Reservations = slices.Clone(h.Reservations)
	for i := range h.Reservations {
		r := &h.Reservations[i]
		r.GPUInstanceID, r.ComputeInstanceID = clone(r.GPUInstanceID), clone(r.ComputeInstanceID)
	}
	return h
}

func clone[T any](p *T) *T {
	if p == nil {
		return nil
	}
	v := *p
	return &v
}

// ErrHeld is wrapped by [Ledger.Reserve] for a pod that holds devices already.
var ErrHeld = errors.New("pod holds devices already")
