package devicetest

import (
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/accelfit/accelfit/device"
	"github.com/accelfit/accelfit/internal/testkit"
	"github.com/accelfit/accelfit/usage"
	"github.com/accelfit/accelfit/vendors"
)

// FuzzHostile lets the fuzzer write the texts and quantities of a node and a pod that a model reads. Whatever they are: nothing
// panics, errors are typed, and the laws that can be tried there hold, but for waived ones.
func FuzzHostile(f *testing.F, h Harness) {
	f.Helper()
	x, err := h.exam()
	if err != nil {
		f.Fatal(err)
	}
	for _, a := range x.attacks() {
		f.Add(a.base, a.description, a.offer.count, a.offer.memory, a.offer.cores, a.lists, a.ask.count, a.ask.memory, a.ask.cores,
			a.policy, a.allocated, a.reserved, a.shape)
	}
	f.Fuzz(func(t *testing.T, base uint8, description, hasCount, hasMemory, hasCores, lists, count, memory, cores, policy, allocated, reserved string, shape uint16) {
		a := attack{
			base, description, texts{hasCount, hasMemory, hasCores}, lists, texts{count, memory, cores}, policy, allocated, reserved, shape,
		}
		if err := x.survives("", &a); err != nil {
			t.Errorf("%v\n%s", err, x.attackText(&a))
		}
	})
}

// struck is what came of an attack.
type struck struct {
	*scene
	set       *vendors.Set
	untouched *corev1.Node // the node before it was read
	read      device.Inventory
	problems  []device.Problem // of the node and of the pod that runs there
	admission error            // what is wrong with the admission
	quirks    device.Quirks    // that the set has
}

// hostileLaw owns panics, and answers that take too long, whichever law is tried.
const hostileLaw = "hostile"

// late is that a backend takes too long.
type late struct{ limit time.Duration }

// Error says how long it took at least.
func (e *late) Error() string { return fmt.Sprintf("no answer within %v", e.limit) }

// hostility tries the attacks, and the same with large texts.
func hostility(x *exam) error {
	if v := x.attacked(hostileLaw, append(x.attacks(), x.largeAttacks()...)); v != nil {
		return v
	}
	return nil
}

// attacked tries attacks until one breaks a law, and then smaller ones.
func (x *exam) attacked(law string, all []attack) *Violation {
	for i := range all {
		err := x.survives(law, &all[i])
		if err == nil {
			continue
		}
		if l := (*late)(nil); errors.As(err, &l) && law != hostileLaw {
			return nil // the law hostile tells; here it would only take long
		}
		smallest, err := x.smallestAttack(law, all[i], err)
		return &Violation{Law: law, Err: fmt.Errorf("%w\n%s", err, x.attackText(&smallest))}
	}
	return nil
}

// smallestAttack goes on to attacks of which a part is missing, as long as the law is broken.
func (x *exam) smallestAttack(law string, a attack, err error) (attack, error) {
	for smaller := true; smaller; {
		smaller = false
		for _, s := range a.smaller() {
			if l := (*late)(nil); errors.As(err, &l) {
				return a, err // each try would take as long again
			}
			if e := x.survives(law, &s); e != nil {
				a, err, smaller = s, e, true
				break
			}
		}
	}
	return a, err
}

// survives tries an attack in a goroutine of its own, so that one that takes for ever is seen; that one is left behind.
func (x *exam) survives(law string, a *attack) error {
	done := make(chan error, 1)
	go func() { done <- x.broken(law, a) }()
	timer := time.NewTimer(x.limit())
	defer timer.Stop()
	select {
	case err := <-done:
		return err
	case <-timer.C:
		return &late{x.limit()}
	}
}

// broken tells how an attack breaks a law, or any law that is not waived if law is empty.
func (x *exam) broken(law string, a *attack) error {
	var s *struck
	if err := caught(func() error { s = x.strike(a); return nil }); err != nil {
		return x.ofLaw(law, hostileLaw, err)
	}
	for _, l := range Laws() {
		if l.hostile == nil || law != "" && law != hostileLaw && law != l.Name {
			continue
		}
		owner := l.Name
		err := caught(func() error { return l.hostile(x, s) })
		if p := (*panicked)(nil); errors.As(err, &p) {
			owner = hostileLaw
		}
		if err := x.ofLaw(law, owner, err); err != nil {
			return err
		}
	}
	return nil
}

// ofLaw passes errors on that belong to a law; of every law that is not waived, under its name, where that is empty.
func (x *exam) ofLaw(law, owner string, err error) error {
	switch {
	case err == nil || law == owner:
		return err
	case law == "" && !x.waived(owner):
		return fmt.Errorf("law %s: %w", owner, err)
	}
	return nil
}

// strike does everything with the node and pod of an attack that is done with others.
func (x *exam) strike(a *attack) *struck {
	node, pod := x.attackedNode(a), x.attackingPod(a)
	out := &struck{untouched: node.DeepCopy(), read: x.Backend.Inventory(node), quirks: a.quirks()}
	out.set = x.set.With(vendors.Options{Quirks: out.quirks})
	for _, now := range []time.Time{{}, sometime} {
		x.Backend.Health(device.HealthInput{Node: node, Now: now})
	}
	out.admission = testkit.AdmittedOnce(out.set, pod)
	running := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Name: "r", Annotations: x.lists(a)}}
	running.Annotations[device.AnnotationNode], running.Annotations[x.names.Allocated] = node.Name, a.allocated
	running.Annotations[device.AnnotationMIGReservation] = a.reserved
	s := &scene{Case: &Case{Node: node, Pod: pod}}
	s.usage, out.problems = usage.Node(out.set, node, []*corev1.Pod{running})
	if s.request, s.err = out.set.Request(pod); s.err == nil && a.has(underQuota) && x.names.Memory != "" {
		s.Quota.Memory = device.Limit{Left: int64(a.shape) * 100, Set: true}
		s.request = s.request.WithQuota(map[device.Vendor]device.Headroom{x.Backend.Vendor(): s.Quota})
	}
	s.try(out.set)
	out.scene = s
	return out
}

// sane checks what belongs to no other law: errors, devices and scores.
func sane(x *exam, s *struck) error {
	inv := &s.read
	if d := (*device.DecodeError)(nil); inv.Err != nil && !errors.Is(inv.Err, device.ErrNoDescription) && (!errors.As(inv.Err, &d) || d.Key == "") {
		return fmt.Errorf("error %q of type %T, from Inventory, names no annotation", inv.Err, inv.Err)
	}
	for _, bad := range [][]device.Problem{inv.Problems, s.problems} {
		if err := problems(bad); err != nil {
			return err
		}
	}
	if err := x.distinct(inv, s.untouched); err != nil {
		return err
	}
	if s.admission != nil {
		return fmt.Errorf("in Admit: %w", s.admission)
	}
	if s.err != nil {
		return testkit.Typed(s.err)
	}
	if err := x.sensible(s.Pod, s.request); err != nil {
		return err
	}
	if score := s.set.Score(s.request, s.usage, s.fit); s.fits() && math.IsNaN(float64(score)) {
		return errors.New("the score is no number")
	}
	return nil
}

// sensible checks that a request that was understood has no amounts below 0, and is of no limit that is no whole number of devices;
// requests are not read by every vendor. A percentage of memory below 0 may be a mark of the vendor's.
func (x *exam) sensible(pod *corev1.Pod, r *vendors.Request) error {
	for _, containers := range [][]corev1.Container{pod.Spec.InitContainers, pod.Spec.Containers} {
		for i := range containers {
			q, ok := containers[i].Resources.Limits[corev1.ResourceName(x.names.Count)]
			if ok && (q.Sign() < 0 || q.MilliValue()%1000 != 0) {
				return fmt.Errorf("a count of %s is understood by Request", q.String())
			}
		}
	}
	for _, asks := range r.Containers() {
		for _, ask := range asks {
			if ask.Nums < 1 || ask.Memory < 0 || ask.Cores < 0 {
				return fmt.Errorf("hostile amounts are understood by Request as %+v", ask)
			}
		}
	}
	return nil
}

// distinct checks that devices can be told apart and given out, and that there are no more than the node has text for.
func (x *exam) distinct(inv *device.Inventory, node *corev1.Node) error {
	most := device.MaxDevices
	for _, text := range node.Annotations {
		most += len(text)
	}
	if len(inv.Devices) > most || inv.Vendor != x.Backend.Vendor() {
		return fmt.Errorf("%d devices of vendor %s are read by Inventory", len(inv.Devices), inv.Vendor)
	}
	seen := map[string]bool{}
	for i := range inv.Devices {
		d := &inv.Devices[i]
		switch {
		case seen[d.ID]:
			return fmt.Errorf("two devices with the id %q are read by Inventory", d.ID)
		case strings.ContainsAny(d.ID, ",:;"):
			return fmt.Errorf("a device with the id %q is read by Inventory, and no allocation can name it", d.ID)
		case d.Slots < 0 || d.Memory < 0 || d.Cores < 0 || d.Index < 0:
			return fmt.Errorf("a device with a negative amount is read by Inventory: %s", deviceText(d))
		}
		seen[d.ID] = true
	}
	return nil
}

func problems(of []device.Problem) error {
	for _, p := range of {
		if d := (*device.DecodeError)(nil); !errors.As(p, &d) || d.Key == "" || p.Object == "" {
			return fmt.Errorf("problem %q of type %T names no object or annotation", p, p.Err)
		}
	}
	return nil
}
