package devicetest

import (
	"maps"
	"slices"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/accelfit/accelfit/device"
)

// smaller lists the situations that are simpler than c: much simpler ones, and those that are by one step.
func (x *exam) smaller(c *Case) (out []*Case) {
	out = x.few(c)
	for i := range c.Before {
		s := *c
		s.Before = slices.Delete(slices.Clone(c.Before), i, i+1)
		out = append(out, &s)
	}
	if c.Quota.Limited() {
		s := *c
		s.Quota = device.Headroom{}
		out = append(out, &s)
	}
	if len(c.Blocked) > 0 {
		s := *c
		s.Blocked = nil
		out = append(out, &s)
	}
	out = append(out, x.plainer(c)...)
	for _, pod := range x.simpler(c.Pod) {
		s := *c
		s.Pod = pod
		out = append(out, &s)
	}
	for i, before := range c.Before {
		for _, pod := range x.simpler(before) {
			s := *c
			s.Before = slices.Clone(c.Before)
			s.Before[i] = pod
			out = append(out, &s)
		}
	}
	return out
}

// few lists the situations with up to three of several devices and up to two of the pods before, these as they are or plain.
func (x *exam) few(c *Case) (out []*Case) {
	for n := 1; n <= 3 && n < len(c.devices); n++ {
		fewer := x.instead(c, func(d []device.DeviceInfo) []device.DeviceInfo { return d[:n] })
		for k := 0; fewer != nil && k <= min(2, len(c.Before)); k++ {
			as, simple := *fewer, *fewer
			as.Before, simple.Before = c.Before[:k], nil
			for range k {
				simple.Before = append(simple.Before, x.one())
			}
			out = append(out, &as, &simple)
		}
	}
	return out
}

// one is a pod that asks for a device, and for nothing else.
func (x *exam) one() *corev1.Pod {
	return asking(corev1.ResourceList{corev1.ResourceName(x.names.Count): *resource.NewQuantity(1, resource.DecimalSI)})
}

// asking is a pod of one container with limits.
func asking(limits corev1.ResourceList) *corev1.Pod {
	pod := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Name: "p", Namespace: "default", UID: "p"}}
	pod.Spec.Containers = []corev1.Container{{Name: "c", Resources: corev1.ResourceRequirements{Limits: limits}}}
	return pod
}

// plainer lists the situations with a device less, and with one that takes new work.
func (x *exam) plainer(c *Case) (out []*Case) {
	for i := range c.devices {
		less := func(d []device.DeviceInfo) []device.DeviceInfo { return slices.Delete(slices.Clone(d), i, i+1) }
		var blocked []int
		for _, k := range c.Blocked {
			if k < i {
				blocked = append(blocked, k)
			} else if k > i {
				blocked = append(blocked, k-1)
			}
		}
		if s := x.instead(c, less); s != nil {
			s.Blocked = blocked
			out = append(out, s)
		}
	}
	for i := range c.devices {
		if d := &c.devices[i]; d.Healthy && !d.Cordoned {
			continue
		}
		well := func(d []device.DeviceInfo) []device.DeviceInfo {
			d = slices.Clone(d)
			d[i].Healthy, d[i].Cordoned = true, false
			return d
		}
		if s := x.instead(c, well); s != nil && s.devices[i].Healthy && !s.devices[i].Cordoned {
			out = append(out, s)
		}
	}
	return out
}

// instead is the situation with other devices; nil: they cannot be described. Devices that were to be described go before those that
// were read.
func (x *exam) instead(c *Case, change func([]device.DeviceInfo) []device.DeviceInfo) (s *Case) {
	if len(c.wanted) == len(c.devices) {
		s = x.described(c.Node, change(c.wanted))
	}
	if s == nil {
		s = x.described(c.Node, change(c.devices))
	}
	if s != nil {
		s.Before, s.Blocked, s.Pod, s.Quota = c.Before, c.Blocked, c.Pod, c.Quota
	}
	return s
}

// simpler lists the pods that have one container, one annotation, one amount or a part of an amount less.
func (x *exam) simpler(pod *corev1.Pod) (out []*corev1.Pod) {
	for i := range pod.Spec.InitContainers {
		p := pod.DeepCopy()
		p.Spec.InitContainers = slices.Delete(p.Spec.InitContainers, i, i+1)
		out = append(out, p)
	}
	for i := range pod.Spec.Containers {
		if p := pod.DeepCopy(); len(p.Spec.Containers) > 1 {
			p.Spec.Containers = slices.Delete(p.Spec.Containers, i, i+1)
			out = append(out, p)
		}
	}
	for _, key := range slices.Sorted(maps.Keys(pod.Annotations)) {
		p := pod.DeepCopy()
		delete(p.Annotations, key)
		out = append(out, p)
	}
	for i, list := range resourceLists(pod) {
		for _, name := range x.amounts() {
			q, given := list[name]
			if given && string(name) != x.names.Count {
				p := pod.DeepCopy()
				delete(resourceLists(p)[i], name)
				out = append(out, p)
			}
			n, whole := q.AsInt64()
			for part := n - n/2; whole && n > 1 && part > 0; part /= 2 {
				p := pod.DeepCopy()
				resourceLists(p)[i][name] = *resource.NewQuantity(n-part, q.Format)
				out = append(out, p)
			}
		}
	}
	return out
}
