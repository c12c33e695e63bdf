package vendors

import (
	"fmt"

	corev1 "k8s.io/api/core/v1"

	"github.com/accelfit/accelfit/device"
)

// AdmitOptions are what an admission depends on besides the pod. The zero value completes the pod and changes nothing else.
type AdmitOptions struct {
	// SchedulerName is set on pods that ask for devices; empty: none is.
	SchedulerName string

	// KeepDefaultScheduler leaves pods alone that name default-scheduler; otherwise they count as naming none.
	KeepDefaultScheduler bool

	// Quota is what the pod's namespace may still take, by vendor word.
	Quota map[device.Vendor]device.Headroom
}

// Admission is a pod as it leaves admission.
type Admission struct {
	Pod     *corev1.Pod // a copy, completed; equal to the pod that came in where nothing was to be done
	Devices bool        // some container asks for devices in a way that admission knows
	Note    string      // why the pod was left alone, or empty

	// Warnings are for whoever made the pod: amounts of theirs that were replaced.
	Warnings []string
}

// DeniedError is a pod that admission turns away for a reason that is no malformed request.
type DeniedError struct{ Why string }

// Error is the reference's message.
func (e *DeniedError) Error() string { return e.Why }

const otherScheduler = "pod already has different scheduler assigned"

// Admit completes a pod as the admission webhook does (spec core §14.1): every vendor's defaults for every container, init
// containers first, vendors by ascending word. The pod that comes in is not changed. The error is a [*DeniedError], or a
// [*device.RequestError] for a quantity no request can be made of.
func (s *Set) Admit(pod *corev1.Pod, o AdmitOptions) (Admission, error) {
	out := Admission{Pod: pod.DeepCopy()}
	if len(pod.Spec.Containers) == 0 {
		return Admission{}, &DeniedError{"pod has no containers"}
	}
	if !o.concerns(pod.Spec.SchedulerName) {
		out.Note = otherScheduler
		return out, nil
	}
	spec := &out.Pod.Spec
	for _, containers := range [][]corev1.Container{spec.InitContainers, spec.Containers} {
		for i := range containers {
			for _, b := range s.backends {
				a, err := b.Admit(out.Pod, &containers[i])
				if err != nil {
					return Admission{}, err
				}
				out.Devices = out.Devices || a.Mine
				out.Warnings = append(out.Warnings, a.Warnings...)
			}
		}
	}
	if err := o.accept(&out); err != nil {
		return Admission{}, err
	}
	if err := s.checkQuota(out.Pod, o.Quota); err != nil {
		return Admission{}, err
	}
	return out, nil
}

// concerns says whether a pod with the given scheduler name is this scheduler's.
func (o *AdmitOptions) concerns(name string) bool {
	switch name {
	case "", o.SchedulerName:
		return true
	case corev1.DefaultSchedulerName:
		return !o.KeepDefaultScheduler
	}
	return false
}

// accept checks and marks a pod whose containers are completed.
func (o *AdmitOptions) accept(a *Admission) error {
	if !a.Devices {
		return nil
	}
	if name, found := privileged(&a.Pod.Spec); found {
		return &DeniedError{fmt.Sprintf("container %s is privileged", name)}
	}
	if o.SchedulerName == "" {
		return nil
	}
	a.Pod.Spec.SchedulerName = o.SchedulerName
	if a.Pod.Spec.NodeName != "" {
		return &DeniedError{"pod has node assigned"}
	}
	return nil
}

func privileged(spec *corev1.PodSpec) (name string, found bool) {
	for _, containers := range [][]corev1.Container{spec.InitContainers, spec.Containers} {
		for i := range containers {
			if c := containers[i].SecurityContext; c != nil && c.Privileged != nil && *c.Privileged {
				return containers[i].Name, true
			}
		}
	}
	return "", false
}

// checkQuota checks what the pod names in numbers; percentages count only in the fit, which knows the cards.
func (s *Set) checkQuota(pod *corev1.Pod, quota map[device.Vendor]device.Headroom) error {
	if len(quota) == 0 {
		return nil
	}
	r := Request{}
	r.pod.Classes = s.classes(&pod.Spec)
	if err := s.ask(&r, pod); err != nil {
		return err
	}
	for _, b := range s.backends {
		h, limited := quota[b.Vendor()]
		if !limited {
			continue
		}
		if memory, cores := r.charge(b, pod.Annotations); !h.Allows(memory, cores) {
			return &DeniedError{"exceeding resource quota"}
		}
	}
	return nil
}

// Charge returns the MiB and cores of a vendor's devices that admission holds against the quotas of a pod's namespace (spec core
// §12): what the largest init container or all others together name in numbers. Shares of a device's memory are 0, as they are
// known once the devices are. r is the pod's request. A vendor without a backend charges nothing.
func (s *Set) Charge(pod *corev1.Pod, r *Request, v device.Vendor) (memory, cores int64) {
	b := s.Backend(v)
	if b == nil {
		return 0, 0
	}
	return r.charge(b, pod.Annotations)
}

func (r *Request) charge(b device.Backend, annotations map[string]string) (memory, cores int64) {
	var sum device.Tally
	for class, d := range r.perClass(b, annotations) {
		sum.Add(device.ContainerClass(class), d.memory, d.cores)
	}
	_, memory, cores = sum.Effective()
	return memory, cores
}

type amounts struct{ memory, cores int64 }

// perClass returns the largest init container, and the sums of the sidecars and of the app containers.
func (r *Request) perClass(b device.Backend, annotations map[string]string) [3]amounts {
	var out [3]amounts
	for i, asks := range r.asks {
		class := r.pod.Classes[i]
		for _, a := range asks {
			if a.Vendor != b.Vendor() {
				continue
			}
			d := amounts{device.Product(a.Memory, a.Nums), device.Product(min(a.Cores, 100), a.Nums)}
			if c, ok := b.(device.AdmissionCharger); ok {
				d.memory, d.cores = c.AdmissionCharge(annotations, a)
			}
			if class == device.Init {
				out[class] = amounts{max(out[class].memory, d.memory), max(out[class].cores, d.cores)}
			} else {
				out[class] = amounts{device.Sum(out[class].memory, d.memory), device.Sum(out[class].cores, d.cores)}
			}
		}
	}
	return out
}

// classes returns the class of every container, as the quirks have it.
func (s *Set) classes(spec *corev1.PodSpec) []device.ContainerClass {
	out := device.Classes(spec)
	if s.options.Quirks.Has(device.SidecarIsInit) {
		for i, c := range out {
			if c == device.Sidecar {
				out[i] = device.Init
			}
		}
	}
	return out
}

// Classes returns the class of every container of a pod, init containers first: with the quirk SidecarIsInit, sidecars
// count as init containers.
func (s *Set) Classes(pod *corev1.Pod) []device.ContainerClass { return s.classes(&pod.Spec) }
