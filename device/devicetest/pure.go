package devicetest

import (
	"errors"
	"fmt"
	"reflect"
	"slices"
	"sync"
	"time"

	"github.com/accelfit/accelfit/device"
	"github.com/accelfit/accelfit/vendors"
)

// sometime is a time for time stamps; nothing depends on which.
var sometime = time.Unix(1767225600, 0)

const callers = 4 // goroutines that ask at the same time

// answer is what a backend says to one question.
type answer struct {
	to string
	is any
}

// answers are everything that a backend says in a situation.
func (x *exam) answers(s *scene) []answer {
	b := x.Backend
	admitted, refused := x.set.Admit(s.Pod, vendors.AdmitOptions{SchedulerName: "s"})
	described := s.Node.DeepCopy()
	undescribed := b.Describe(described, s.devices)
	out := []answer{
		{"Vendor", b.Vendor()}, {"Names", b.Names()}, {"Inventory", b.Inventory(s.Node)},
		{"Health", b.Health(device.HealthInput{Node: s.Node})},
		{"Health", b.Health(device.HealthInput{Node: s.Node, Now: sometime})},
		{"Admit", admitted}, {"Admit", fmt.Sprint(refused)}, {"Describe", described}, {"Describe", fmt.Sprint(undescribed)},
	}
	r, err := x.set.Request(s.Pod)
	if err != nil {
		return append(out, answer{"Request", err.Error()})
	}
	out = append(out, answer{"Request", r.Containers()}, answer{"Fit", x.set.Fit(s.request, s.usage)})
	out = append(out, answer{"Explain", x.set.Explain(s.request, s.usage)}, answer{"Score", x.set.Score(s.request, s.usage, s.fit)})
	if s.fit.OK() {
		out = append(out, answer{"Annotate", x.set.Annotations(s.Pod, s.usage.Info(), s.fit.Allocation, sometime)})
	}
	return out
}

// otherwise names the first question to which two lists have different answers; empty: there is none.
func otherwise(a, b []answer) string {
	for i := range min(len(a), len(b)) {
		if !reflect.DeepEqual(a[i], b[i]) {
			return a[i].to
		}
	}
	if len(a) != len(b) {
		return "Request"
	}
	return ""
}

// together asks from several goroutines at the same time, half of which ask about other pods. It returns the answers of the
// others; nil: one panicked.
func (x *exam) together(s *scene) (out [callers / 2][]answer) {
	var all sync.WaitGroup
	for i := range out {
		all.Go(func() { _ = caught(func() error { out[i] = x.answers(s); return nil }) })
		all.Go(func() { _ = caught(func() error { x.aboutOthers(s); return nil }) })
	}
	all.Wait()
	return out
}

// aboutOthers asks about each pod of the harness on the node.
func (x *exam) aboutOthers(s *scene) {
	for _, pod := range x.Pods {
		placed(x.set, pod, s.usage)
	}
}

// kept is something that must stay as it is.
type kept struct {
	what   string
	now    func() any
	before any
}

func keep(what string, before any, now func() any) kept { return kept{what, now, before} }

func changed(all []kept) error {
	for _, k := range all {
		if !reflect.DeepEqual(k.now(), k.before) {
			return fmt.Errorf("a call changed %s", k.what)
		}
	}
	return nil
}

// pure asks once before it asks at the same time: a call that writes is found without a data race.
func pure(x *exam, c *Case) error {
	all := []kept{
		keep("the node", c.Node.DeepCopy(), func() any { return c.Node }),
		keep("the pod", c.Pod.DeepCopy(), func() any { return c.Pod }),
		keep("the devices that Describe was handed", deepCopies(c.devices), func() any { return deepCopies(c.devices) }),
	}
	for _, pod := range c.Before {
		all = append(all, keep("a pod that was placed before", pod.DeepCopy(), func() any { return pod }))
	}
	handed := x.Backend.Inventory(c.Node)
	all = append(all, keep("an inventory that was handed out", deepCopies(handed.Devices), func() any { return deepCopies(handed.Devices) }))
	s := c.prepared(x.set)
	all = append(all,
		keep("the usage of the node", s.usage.DeepCopy().Devices(), func() any { return s.usage.Devices() }),
		keep("what was read of the node's devices", s.usage.Info().Inventory(x.Backend.Vendor()), func() any { return s.usage.Info().Inventory(x.Backend.Vendor()) }),
	)
	s.try(x.set)
	all = append(all, keep("an allocation that was handed out", s.fit.Allocation.DeepCopy(), func() any { return s.fit.Allocation }))
	x.answers(s)
	x.aboutOthers(s)
	if err := changed(all); err != nil {
		return err
	}
	x.together(s)
	return changed(all)
}

// readOnly is pure where the node is hostile.
func readOnly(_ *exam, s *struck) error {
	if !reflect.DeepEqual(s.Node, s.untouched) {
		return errors.New("a call changed the node")
	}
	return nil
}

func deterministic(x *exam, c *Case) error {
	s := c.play(x.set)
	first := x.answers(s)
	if s.err == nil && !reflect.DeepEqual(x.set.Fit(s.request, s.usage), s.fit) {
		return errors.New("asked twice, Fit gives two answers")
	}
	if q := otherwise(first, x.answers(s)); q != "" {
		return fmt.Errorf("asked twice, %s gives two answers", q)
	}
	for _, pod := range x.Pods {
		placed(x.set, pod, s.usage)
		if s.err == nil && !reflect.DeepEqual(x.set.Fit(s.request, s.usage), s.fit) {
			return fmt.Errorf("asked again after another pod was asked about (%s), Fit gives another answer", podText(pod))
		}
	}
	for _, other := range x.together(s) {
		if q := otherwise(first, other); q != "" {
			return fmt.Errorf("asked from several goroutines at the same time, %s gives another answer", q)
		}
	}
	return x.inAnyOrder(c)
}

// sameAgain is deterministic where the input is hostile.
func sameAgain(_ *exam, s *struck) error {
	if s.err != nil {
		return nil
	}
	if again := s.set.Fit(s.request, s.usage); !reflect.DeepEqual(s.fit, again) {
		return fmt.Errorf("asked twice, the pod first %s, and then %s", fitText(s.fit), fitText(again))
	}
	if why := s.set.Explain(s.request, s.usage); !reflect.DeepEqual(why.Fit, s.fit) {
		return fmt.Errorf("the pod %s by Explain, and %s by Fit", fitText(why.Fit), fitText(s.fit))
	}
	return nil
}

// inAnyOrder compares the verdict with that where the devices are listed the other way round, also where the first takes no new work.
func (x *exam) inAnyOrder(c *Case) error {
	devices := slices.Clone(c.devices)
	slices.Reverse(devices)
	turned := x.described(c.Node, devices)
	if turned == nil {
		return nil
	}
	alone := plain(c)
	turned.Pod = alone.Pod
	for _, blocked := range [][]int{c.Blocked, {0}} {
		alone.Blocked, turned.Blocked = blocked, nil
		for _, i := range blocked {
			turned.Blocked = append(turned.Blocked, len(devices)-1-i)
		}
		a, b := alone.play(x.set), turned.play(x.set)
		if a.fit.OK() != b.fit.OK() || a.fit.Reasons != b.fit.Reasons {
			return fmt.Errorf("the first container, alone on the node%s, %s; where the devices are listed the other way round, it %s",
				blockedText(alone), verdict(a), verdict(b))
		}
	}
	return nil
}

func blockedText(c *Case) (text string) {
	for _, i := range c.Blocked {
		if i < len(c.devices) {
			text += ", where " + c.devices[i].ID + " is blocked"
		}
	}
	return text
}

// plain is a situation with one container and nothing else, where no choice for one can be the loss of another.
func plain(c *Case) *Case {
	pod := c.Pod.DeepCopy()
	if len(pod.Spec.Containers) > 0 {
		pod.Spec.InitContainers, pod.Spec.Containers = nil, pod.Spec.Containers[:1]
	}
	return &Case{Node: c.Node, Pod: pod, devices: c.devices}
}

// verdict says whether the pod fits, or why not.
func verdict(s *scene) string {
	if s.err != nil {
		return "cannot be asked for: " + s.err.Error()
	}
	return fitText(s.fit)
}

func fitText(fit vendors.Fit) string {
	if fit.OK() {
		return "fits"
	}
	return "does not fit (" + fit.Reasons.Detail() + ")"
}
