package devicetest

import (
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"

	"github.com/accelfit/accelfit/device"
	"github.com/accelfit/accelfit/usage"
	"github.com/accelfit/accelfit/vendors"
)

func monotone(x *exam, c *Case) error {
	s := single(c).play(x.set)
	if !s.refused() {
		return nil
	}
	for _, pod := range x.Pods {
		fuller := placed(x.set, pod, s.usage)
		if fit := x.set.Fit(s.request, fuller); fit.OK() {
			return fmt.Errorf("the pod %s, but with one more pod on the node (%s) it fits", verdict(s), podText(pod))
		}
	}
	return nil
}

func largerRequest(x *exam, c *Case) error {
	c = single(c)
	s := c.play(x.set)
	if !s.refused() {
		return nil
	}
	for i, list := range resourceLists(c.Pod) {
		for _, name := range x.amounts() {
			q := list[name]
			n, whole := q.AsInt64()
			if !whole || n < 1 || n > 1<<61 {
				continue
			}
			larger := *c
			larger.Pod = c.Pod.DeepCopy()
			resourceLists(larger.Pod)[i][name] = *resource.NewQuantity(2*n, q.Format)
			if larger.play(x.set).fits() {
				return fmt.Errorf("the pod %s, but with twice as much of %s it does", verdict(s), name)
			}
		}
	}
	return nil
}

// single is the situation with one container in the pod and without quota: what serves one container better may be the loss of
// the next, and a quota is used up in the order of trying.
func single(c *Case) *Case {
	return &Case{Node: c.Node, Before: c.Before, Blocked: c.Blocked, Pod: plain(c).Pod, devices: c.devices}
}

func conserve(x *exam, c *Case) error {
	s := c.play(x.set)
	if !s.fits() {
		return nil
	}
	with := s.usage.With(s.fit.Allocation)
	if err := same(s, with.Without(s.fit.Allocation), "removed"); err != nil {
		return err
	}
	held, err := x.readBack(s)
	if err != nil || heldText(held) != heldText(usage.Of(s.request, "", s.fit.Allocation)) {
		return nil // the law round trip tells
	}
	if slices.ContainsFunc(s.fit.Allocation.Devices, func(d device.ContainerDevice) bool { return !d.MIG.IsZero() }) {
		return nil // instances are taken off by their reservations
	}
	return same(s, with.Without(held.Allocation), "removed by what its annotations say")
}

// comesAndGoes is conserve where the input is hostile.
func comesAndGoes(_ *exam, s *struck) error {
	if !s.fits() {
		return nil
	}
	return same(s.scene, s.usage.With(s.fit.Allocation).Without(s.fit.Allocation), "removed")
}

// same compares the usage of the node with that after the pod came and went.
func same(s *scene, back *device.NodeUsage, how string) error {
	for i, use := range back.Devices() {
		if before := s.usage.Devices()[i]; !reflect.DeepEqual(use, before) {
			return fmt.Errorf("after the pod was placed, and %s, device %s has %s taken; before it was %s",
				how, s.usage.Info().Device(i).ID, usageText(use), usageText(before))
		}
	}
	return nil
}

func nodes(x *exam, c *Case) error {
	s := c.play(x.set)
	for i := range x.bases {
		other := &Case{Node: x.bases[i].node.DeepCopy(), Before: c.Before, Pod: c.Pod, devices: x.bases[i].devices}
		other.play(x.set)
	}
	again := *s
	again.try(x.set)
	for _, after := range []*scene{&again, c.play(x.set)} {
		if verdict(after) != verdict(s) {
			return fmt.Errorf("the pod %s, and after other nodes were asked about it %s", verdict(s), verdict(after))
		}
	}
	if renamed := x.renamed(c, "another-"+c.Node.Name).play(x.set); verdict(renamed) != verdict(s) {
		return fmt.Errorf("the pod %s, and on the same node by another name it %s", verdict(s), verdict(renamed))
	}
	return nil
}

// renamed is the situation on a node of another name. Pods that list ids which follow from the name list those of the node.
func (x *exam) renamed(c *Case, name string) *Case {
	out := *c
	out.Node = c.Node.DeepCopy()
	out.Node.Name = name
	var ids []string // before and after
	if inv := x.Backend.Inventory(out.Node); len(inv.Devices) == len(c.devices) {
		for i := range c.devices {
			ids = append(ids, c.devices[i].ID, inv.Devices[i].ID)
		}
	}
	relist := func(pod *corev1.Pod) *corev1.Pod {
		pod = pod.DeepCopy()
		for _, key := range x.names.PodKeys {
			if text, ok := pod.Annotations[key]; ok {
				pod.Annotations[key] = strings.NewReplacer(ids...).Replace(text)
			}
		}
		return pod
	}
	out.Pod, out.Before = relist(c.Pod), nil
	for _, pod := range c.Before {
		out.Before = append(out.Before, relist(pod))
	}
	return &out
}

func claims(x *exam) error {
	missing := map[string]bool{}
	for _, mode := range x.Claims.Modes {
		missing["mode "+mode] = true
	}
	for _, policy := range x.Claims.Policies {
		missing["policy "+policy] = true
	}
	for _, code := range x.Claims.Codes {
		missing["reason "+code.String()] = true
	}
	for seed := 0; seed < x.searched() && len(missing) > 0; seed++ {
		c := x.random(seeded(uint64(seed)))
		for _, claim := range x.shown(c) {
			delete(missing, claim)
		}
	}
	if slices.Contains(x.Claims.Policies, "mutex") {
		for seed := range x.tries() {
			if v := x.smallest("claims", x.random(seeded(uint64(seed))), x.alone); v != nil {
				return v
			}
		}
	}
	if len(missing) > 0 {
		return fmt.Errorf("claimed, and seen in no situation: %s", strings.Join(sorted(missing), ", "))
	}
	return nil
}

// shown are claims that a situation shows.
func (x *exam) shown(c *Case) (out []string) {
	s := c.play(x.set)
	if s.err != nil {
		return nil
	}
	for _, v := range x.set.Explain(s.request, s.usage).Verdicts {
		i := s.usage.Info().Find(v.Vendor, v.Device)
		if v.Granted {
			out = append(out, "mode "+s.usage.Info().Device(i).Mode)
		}
	}
	for _, code := range device.Codes() {
		if s.fit.Reasons.Has(code) {
			out = append(out, "reason "+code.String())
		}
	}
	for _, policy := range x.Claims.Policies {
		if x.acts(c, policy) {
			out = append(out, "policy "+policy)
		}
	}
	return out
}

// alone checks that a plain pod that wants its devices for itself is given none in use.
func (x *exam) alone(c *Case) error {
	alone := &Case{Node: c.Node, Before: c.Before, Pod: withPolicy(plain(c).Pod, "mutex"), devices: c.devices}
	s := alone.play(x.set)
	if s.fits() && slices.ContainsFunc(s.fit.Allocation.Devices, func(d device.ContainerDevice) bool {
		return s.usage.Device(s.usage.Info().Find(d.Vendor, d.ID)).Slots > 0
	}) {
		return errors.New("under the policy mutex the first container is given a device that is in use")
	}
	return nil
}

// withPolicy is a copy of a pod with a device policy and nothing else about the order of devices.
func withPolicy(pod *corev1.Pod, policy string) *corev1.Pod {
	pod = pod.DeepCopy()
	delete(pod.Annotations, device.AnnotationNUMABind)
	if pod.Annotations == nil {
		pod.Annotations = map[string]string{}
	}
	pod.Annotations[device.AnnotationDevicePolicy] = policy
	return pod
}

// acts says whether a policy changes the answer.
func (x *exam) acts(c *Case, policy string) bool {
	answer := func(policy string) vendors.Fit {
		p := *c
		p.Pod = withPolicy(c.Pod, policy)
		return p.play(x.set).fit
	}
	return !reflect.DeepEqual(answer(policy), answer(""))
}
