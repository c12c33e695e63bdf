package testkit

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"

	"github.com/accelfit/accelfit/device"
	"github.com/accelfit/accelfit/vendors"
)

// Typed checks that an error of a request or admission says what it is about; the error says what is missing.
func Typed(err error) error {
	if denied := (*vendors.DeniedError)(nil); errors.As(err, &denied) && denied.Why != "" {
		return nil
	}
	if r := (*device.RequestError)(nil); !errors.As(err, &r) || r.Key == "" || r.Why == "" || err.Error() == "" {
		return fmt.Errorf("error %q of type %T names no resource or annotation", err, err)
	}
	return nil
}

// AdmittedOnce checks an admission: it changes a copy or refuses with a typed error; a pod it lets pass can be made a request
// of, and is not changed by being admitted again.
func AdmittedOnce(set *vendors.Set, pod *corev1.Pod) error {
	before := pod.DeepCopy()
	a, err := set.Admit(pod, vendors.AdmitOptions{SchedulerName: "s"})
	if !reflect.DeepEqual(before, pod) {
		return errors.New("admission changed the pod")
	}
	if err != nil {
		return Typed(err)
	}
	if _, err := set.Request(a.Pod); err != nil {
		return fmt.Errorf("admitted, and then: %w", err)
	}
	if asksBeyondLimits(pod) {
		return nil // no API server lets such a pod pass
	}
	again, err := set.Admit(a.Pod, vendors.AdmitOptions{SchedulerName: "s"})
	if err != nil {
		return fmt.Errorf("admitted once, not twice: %w", err)
	}
	if got, want := podText(again.Pod), podText(a.Pod); got != want {
		return fmt.Errorf("admitted twice: %s\nonce: %s", got, want)
	}
	return nil
}

func asksBeyondLimits(pod *corev1.Pod) bool {
	return slices.ContainsFunc(slices.Concat(pod.Spec.InitContainers, pod.Spec.Containers), func(c corev1.Container) bool {
		for name := range c.Resources.Requests {
			if _, limited := c.Resources.Limits[name]; !limited {
				return true
			}
		}
		return false
	})
}

// podText is what admissions write into a pod.
func podText(pod *corev1.Pod) string {
	spec := &pod.Spec
	out := []string{fmt.Sprint(spec.SchedulerName, spec.NodeName, len(spec.Containers), pod.Annotations, pod.Labels)}
	if spec.RuntimeClassName != nil {
		out = append(out, "runtime class "+*spec.RuntimeClassName)
	}
	for _, c := range slices.Concat(spec.InitContainers, spec.Containers) {
		out = append(out, fmt.Sprint("container ", c.Name, " ", c.Env))
		for i, list := range []corev1.ResourceList{c.Resources.Limits, c.Resources.Requests} {
			for _, name := range slices.Sorted(maps.Keys(list)) {
				q := list[name]
				out = append(out, fmt.Sprint(i, " ", name, "=", q.String()))
			}
		}
	}
	return strings.Join(out, "\n")
}

// AllocationText is what is read back of an allocation.
func AllocationText(a *device.Allocation) string {
	var out []string
	for _, d := range a.Devices {
		out = append(out, fmt.Sprintf("%d:%s %s %d/%d %q", d.Container, d.Vendor, d.ID, d.Memory, d.Cores, d.Tag))
	}
	return fmt.Sprint(out, a.Classes)
}

func jsonValue(text json.RawMessage) any {
	var v any
	if json.Unmarshal(text, &v) != nil {
		return string(text)
	}
	return v
}
