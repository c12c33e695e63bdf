package testkit

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/accelfit/accelfit/device"
	"github.com/accelfit/accelfit/usage"
	"github.com/accelfit/accelfit/vendors"
)

func mustBeProblems(t *testing.T, problems []device.Problem) {
	t.Helper()
	for _, p := range problems {
		if d := (*device.DecodeError)(nil); !errors.As(p, &d) || d.Key == "" || p.Object == "" {
			t.Fatalf("problem %v is of type %T", p, p.Err)
		}
	}
}

// MustBeTyped fails the test where an error of a request or admission says not what it is about.
func MustBeTyped(t *testing.T, err error) {
	t.Helper()
	if denied := (*vendors.DeniedError)(nil); errors.As(err, &denied) && denied.Why != "" {
		return
	}
	if r := (*device.RequestError)(nil); !errors.As(err, &r) || r.Key == "" || r.Why == "" || err.Error() == "" {
		t.Fatalf("error %v is of type %T", err, err)
	}
}

// MustAdmitOnce checks an admission: it changes a copy or refuses with a typed error; a pod it lets pass can be made a request
// of, and is not changed by being admitted again.
func MustAdmitOnce(t *testing.T, set *vendors.Set, pod *corev1.Pod) {
	t.Helper()
	before := pod.DeepCopy()
	a, err := set.Admit(pod, vendors.AdmitOptions{SchedulerName: "s"})
	if !reflect.DeepEqual(before, pod) {
		t.Fatal("admission changed the pod")
	}
	if err != nil {
		MustBeTyped(t, err)
		return
	}
	if _, err := set.Request(a.Pod); err != nil {
		t.Fatalf("admitted, and then: %v", err)
	}
	if asksBeyondLimits(pod) {
		return // no API server lets such a pod pass
	}
	again, err := set.Admit(a.Pod, vendors.AdmitOptions{SchedulerName: "s"})
	if err != nil {
		t.Fatalf("admitted once, not twice: %v", err)
	}
	if got, want := podText(again.Pod), podText(a.Pod); got != want {
		t.Fatalf("admitted twice: %s\nonce: %s", got, want)
	}
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

// MustBeSound checks an allocation against the node it was made for: every device is there and takes new work, none is taken
// further than it goes, the annotations tell of it, and giving it back leaves the node as it was.
func MustBeSound(t *testing.T, set *vendors.Set, pod *corev1.Pod, u *device.NodeUsage, a *device.Allocation, relaxed ...Option) {
	t.Helper()
	all := Option(0)
	for _, o := range relaxed {
		all |= o
	}
	after := u.With(a)
	for _, d := range a.Devices {
		i := u.Info().Find(d.Vendor, d.ID)
		if i < 0 || d.Memory < 0 || d.Cores < 0 {
			t.Fatalf("granted %+v", d)
		}
		info, had, use := u.Info().Device(i), u.Device(i), after.Device(i)
		if !had.Healthy || info.Cordoned || d.Index != info.Index {
			t.Fatalf("granted %+v of %+v", d, info)
		}
		mig := info.Mode == device.ModeMIG
		uncountedSlots := mig && set.Options().Quirks.Has(device.MIGSlotsUnchecked)
		if use.Slots > info.Slots && !uncountedSlots && all&SlotsUnchecked == 0 ||
			use.Memory > max(info.Memory, had.Memory) && !mig && all&MemoryUnchecked == 0 ||
			use.Cores > max(info.Cores, had.Cores) && !mig && all&CoresUnchecked == 0 {
			t.Fatalf("granted %+v of %+v, used %+v, before %+v", d, info, use, had)
		}
		if mig && !had.MIG().Free(d.MIG.Placement) {
			t.Fatalf("granted %+v beside %+v", d, had.MIG())
		}
	}
	if back := after.Without(a); all == 0 && !reflect.DeepEqual(back.Devices(), u.Devices()) {
		t.Fatalf("given back: %+v, before: %+v", back.Devices(), u.Devices())
	}
	mustBeWritten(t, set, pod, u.Info(), a)
}

// mustBeWritten checks that an allocation reads back from the annotations that tell of it.
func mustBeWritten(t *testing.T, set *vendors.Set, pod *corev1.Pod, node *device.NodeInfo, a *device.Allocation) {
	t.Helper()
	placed := &corev1.Pod{Spec: pod.Spec, ObjectMeta: metav1.ObjectMeta{Annotations: maps.Clone(pod.Annotations)}}
	written := set.Annotations(pod, node, a, time.Unix(1767225600, 0))
	for _, key := range set.Stale(pod, written) {
		delete(placed.Annotations, key)
	}
	maps.Copy(placed.Annotations, written)
	held, ok, problems := usage.Read(set, placed)
	if !ok || len(problems) > 0 || AllocationText(held.Allocation) != AllocationText(a) {
		t.Fatalf("%v reads back as %v, %v", a, held.Allocation, problems)
	}
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
