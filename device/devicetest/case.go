package devicetest

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"

	"github.com/accelfit/accelfit/device"
	"github.com/accelfit/accelfit/vendors"
)

// Case is a situation that a law is tried in.
type Case struct {
	Node *corev1.Node

	// Before are pods that are placed on the node one after the other, those that fit.
	Before []*corev1.Pod

	// Blocked are positions of devices that take no new work, because what some pod holds of them cannot be read.
	Blocked []int

	// Pod is the pod in question, Quota what its namespace may still take.
	Pod   *corev1.Pod
	Quota device.Headroom

	devices []device.DeviceInfo // as read of Node
	wanted  []device.DeviceInfo // that were to be described on it, if that can be described
}

// copied is the situation on its own, so that it stays as it is whatever a backend writes to.
func (c *Case) copied() *Case {
	out := *c
	out.Node, out.Pod, out.Before = c.Node.DeepCopy(), c.Pod.DeepCopy(), nil
	for i, pod := range c.Before {
		if i > 0 && pod == c.Before[i-1] {
			out.Before = append(out.Before, out.Before[i-1])
			continue
		}
		out.Before = append(out.Before, pod.DeepCopy())
	}
	out.devices, out.wanted = deepCopies(c.devices), deepCopies(c.wanted)
	return &out
}

// String describes the situation to people: what the node has, and what the pods ask for.
func (c *Case) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "node %s:", c.Node.Name)
	for i := range c.devices {
		fmt.Fprintf(&b, "\n  %s", deviceText(&c.devices[i]))
		if slices.Contains(c.Blocked, i) {
			b.WriteString(", blocked")
		}
	}
	if len(c.devices) == 0 {
		b.WriteString(" no devices")
	}
	for i := 0; i < len(c.Before); {
		text, n := podText(c.Before[i]), 1
		for i+n < len(c.Before) && podText(c.Before[i+n]) == text {
			n++
		}
		b.WriteString("\npod before: ")
		if n > 1 {
			fmt.Fprintf(&b, "%d times ", n)
		}
		b.WriteString(text)
		i += n
	}
	fmt.Fprintf(&b, "\npod: %s", podText(c.Pod))
	if c.Quota.Limited() {
		fmt.Fprintf(&b, "\nquota left: %s", strings.Join(quotaTexts(&c.Quota), ", "))
	}
	return b.String()
}

func quotaTexts(q *device.Headroom) (out []string) {
	if q.Memory.Set {
		out = append(out, fmt.Sprintf("%d MiB", q.Memory.Left))
	}
	if q.Cores.Set {
		out = append(out, fmt.Sprintf("%d cores", q.Cores.Left))
	}
	return out
}

func deviceText(d *device.DeviceInfo) string {
	text := fmt.Sprintf("%s: %s, index %d, %d slots, %d MiB, %d cores, NUMA node %d", d.ID, d.Type, d.Index, d.Slots, d.Memory, d.Cores, d.NUMA)
	for _, more := range []struct {
		is   bool
		text string
	}{
		{d.Mode != "", "mode " + d.Mode},
		{!d.Healthy, "unhealthy"},
		{d.Cordoned, "cordoned"},
		{len(d.LinkScores) > 0, fmt.Sprint("linked ", d.LinkScores)},
		{len(d.CustomInfo) > 0, fmt.Sprintf("%s", d.CustomInfo)},
	} {
		if more.is {
			text += ", " + more.text
		}
	}
	return text
}

func podText(pod *corev1.Pod) string {
	var parts []string
	for _, key := range slices.Sorted(maps.Keys(pod.Annotations)) {
		parts = append(parts, fmt.Sprintf("%s: %q", key, pod.Annotations[key]))
	}
	for i := range pod.Spec.InitContainers {
		c := &pod.Spec.InitContainers[i]
		kind := "init container"
		if c.RestartPolicy != nil {
			kind = "sidecar"
		}
		parts = append(parts, kind+" "+containerText(c))
	}
	for i := range pod.Spec.Containers {
		parts = append(parts, "container "+containerText(&pod.Spec.Containers[i]))
	}
	return strings.Join(parts, ", ")
}

func containerText(c *corev1.Container) string {
	var parts []string
	for kind, list := range [2]corev1.ResourceList{c.Resources.Limits, c.Resources.Requests} {
		for _, name := range slices.Sorted(maps.Keys(list)) {
			parts = append(parts, [2]string{"", "requests "}[kind]+string(name)+"="+amountText(list[name]))
		}
	}
	return "[" + strings.Join(parts, ", ") + "]"
}

// amountText is a quantity in digits, where it is a whole number.
func amountText(q resource.Quantity) string {
	if n, whole := q.AsInt64(); whole {
		return strconv.FormatInt(n, 10)
	}
	return q.String()
}

// usageText is what is taken of a device.
func usageText(u device.DeviceUsage) string {
	text := fmt.Sprintf("%d slots, %d MiB, %d cores", u.Slots, u.Memory, u.Cores)
	if u.State != nil {
		text += fmt.Sprintf(" and %+v", u.State)
	}
	if !u.Healthy {
		text += ", not healthy"
	}
	return text
}

// scene is a case played.
type scene struct {
	*Case
	usage   *device.NodeUsage // with the pods before
	request *vendors.Request
	err     error // why there is no request
	fit     vendors.Fit
}

// fits says whether there is an allocation with devices.
func (s *scene) fits() bool { return s.fit.OK() && len(s.fit.Allocation.Devices) > 0 }

// refused says whether the pod is understood, and not served.
func (s *scene) refused() bool { return s.err == nil && !s.fit.OK() }

// play places the pods before and asks about the pod.
func (c *Case) play(set *vendors.Set) *scene {
	s := c.prepared(set)
	s.try(set)
	return s
}

// prepared places the pods before and reads the pod.
func (c *Case) prepared(set *vendors.Set) *scene {
	s := &scene{Case: c, usage: device.NewNodeUsage(set.Inventory(c.Node))}
	for _, pod := range c.Before {
		s.usage = placed(set, pod, s.usage)
	}
	s.usage = c.blocked(s.usage)
	if s.request, s.err = set.Request(c.Pod); s.err == nil && c.Quota.Limited() {
		quota := map[device.Vendor]device.Headroom{}
		for _, b := range set.Backends() {
			quota[b.Vendor()] = c.Quota
		}
		s.request = s.request.WithQuota(quota)
	}
	return s
}

// try asks whether the pod fits.
func (s *scene) try(set *vendors.Set) {
	if s.err == nil {
		s.fit = set.Fit(s.request, s.usage)
	}
}

// blocked returns the usage without the blocked devices for new work.
func (c *Case) blocked(u *device.NodeUsage) *device.NodeUsage {
	if len(c.Blocked) == 0 {
		return u
	}
	return u.Update(func(devices []device.DeviceUsage) {
		for _, i := range c.Blocked {
			if i >= 0 && i < len(devices) {
				devices[i].Healthy = false
			}
		}
	})
}

// placed returns the usage with a pod on it, if it fits.
func placed(set *vendors.Set, pod *corev1.Pod, u *device.NodeUsage) *device.NodeUsage {
	r, err := set.Request(pod)
	if err != nil {
		return u
	}
	if fit := set.Fit(r, u); fit.OK() {
		return u.With(fit.Allocation)
	}
	return u
}
