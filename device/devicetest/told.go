package devicetest

import (
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/accelfit/accelfit/device"
	"github.com/accelfit/accelfit/internal/testkit"
	"github.com/accelfit/accelfit/usage"
	"github.com/accelfit/accelfit/vendors"
)

func reasons(x *exam, c *Case) error {
	if _, err := x.set.Admit(c.Pod, vendors.AdmitOptions{SchedulerName: "s"}); err != nil {
		if err := testkit.Typed(err); err != nil {
			return err
		}
	}
	s := c.play(x.set)
	switch {
	case s.err != nil:
		return testkit.Typed(s.err)
	case s.fit.OK() || s.fit.Reasons.Node != device.Fits:
		return nil
	}
	if err := told(s.fit); err != nil {
		return err
	}
	return x.complete(s)
}

// answered is the law reasons where the input is hostile. Errors are with the law hostile.
func answered(_ *exam, s *struck) error {
	if s.err != nil || s.fit.OK() {
		return nil
	}
	return told(s.fit)
}

// told checks that a refusal has a reason.
func told(fit vendors.Fit) error {
	if why := fit.Reasons; why.String() == "" || why.Node == device.Fits && !why.Counted() {
		return errors.New("the pod does not fit, and there is no reason")
	}
	return nil
}

// complete compares the counts of a refusal with what is found of each device.
func (x *exam) complete(s *scene) error {
	why := s.fit.Reasons
	seen, counts := map[string]bool{}, map[device.Code]int{}
	for _, v := range x.set.Explain(s.request, s.usage).Verdicts {
		if v.Container != why.Container || v.Vendor != why.Vendor {
			continue
		}
		if !v.Granted && !slices.Contains(device.Codes(), v.Code) {
			return fmt.Errorf("device %s is refused with code %d, which is no reason", v.Device, v.Code)
		}
		if seen[v.Device] = true; !v.Granted {
			counts[v.Code]++
		}
	}
	if len(seen) == 0 {
		return nil // the node was refused as a whole
	}
	from, to := s.usage.Info().Range(why.Vendor)
	for i := from; i < to; i++ {
		if id := s.usage.Info().Device(i).ID; !seen[id] {
			return fmt.Errorf("the pod does not fit (%s), and nothing is said of device %s", why, id)
		}
	}
	return x.asCounted(why, counts)
}

// asCounted compares the counts of a refusal with how often each reason was found.
func (x *exam) asCounted(why device.Reasons, found map[device.Code]int) error {
	told := slices.DeleteFunc(device.Codes(), func(code device.Code) bool { return !why.Has(code) })
	for _, code := range told {
		instead := found[code] == 0 || len(told) == 1 && slices.Contains(x.Claims.Codes, code)
		if instead && code != device.AllocatedCardsInsufficientRequest {
			return nil // who chooses devices as a set, answers in place of the rules
		}
	}
	for _, code := range device.Codes() {
		if why.Count(code) < found[code] {
			return fmt.Errorf("%d devices break %s, but the pod does not fit because of %s", found[code], code, why)
		}
	}
	return nil
}

func roundTrip(x *exam, c *Case) error {
	if err := x.Backend.Describe(c.Node.DeepCopy(), deepCopies(c.devices)); err != nil {
		return fmt.Errorf("what is read of the node cannot be described: %w", err)
	}
	for _, devices := range [][]device.DeviceInfo{c.devices, c.wanted} {
		if err := x.readAgain(c.Node, devices); err != nil {
			return err
		}
	}
	if err := x.announced(c.Node); err != nil {
		return err
	}
	s := c.play(x.set)
	if !s.fits() {
		return nil
	}
	return x.heldAgain(s)
}

// announced checks that devices are trusted as before once their agent was asked for a sign of life.
func (x *exam) announced(node *corev1.Node) error {
	before := x.Backend.Health(device.HealthInput{Node: node, Now: sometime})
	if before.Announce == "" || x.names.Handshake == "" || !before.Healthy {
		return nil
	}
	node = node.DeepCopy()
	device.Annotate(node, x.names.Handshake, before.Announce)
	if after := x.Backend.Health(device.HealthInput{Node: node, Now: sometime, Known: before.Remember}); !after.Healthy {
		return fmt.Errorf("the devices are taken for gone as soon as the handshake %q is announced", before.Announce)
	}
	return nil
}

// readsAgain is the law round trip where the input is hostile.
func readsAgain(x *exam, s *struck) error {
	if err := x.readAgain(&corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: s.Node.Name}}, s.read.Devices); err != nil {
		return err
	}
	if !s.fits() {
		return nil
	}
	return x.heldAgain(s.scene)
}

// readAgain describes devices on a copy of a node and compares what is read of it. What cannot be described is no concern of it.
func (x *exam) readAgain(node *corev1.Node, devices []device.DeviceInfo) error {
	devices, node = linkedHere(devices), node.DeepCopy()
	if len(devices) == 0 || x.Backend.Describe(node, deepCopies(devices)) != nil {
		return nil
	}
	inv := x.Backend.Inventory(node)
	switch {
	case inv.Err != nil:
		return fmt.Errorf("a node that was described without an error cannot be read: %w", inv.Err)
	case len(inv.Problems) > 0:
		return fmt.Errorf("a node that was described without an error cannot be read: %w", inv.Problems[0])
	case len(inv.Devices) != len(devices):
		return fmt.Errorf("%d devices are described, and read as %d", len(devices), len(inv.Devices))
	}
	was, is := ordered(devices), ordered(inv.Devices)
	for i := range was {
		if field := differs(&was[i], &is[i]); field != "" {
			return fmt.Errorf("a device is described, and read with another %s\nas described: %s\nas read:      %s", field, deviceText(&was[i]), deviceText(&is[i]))
		}
	}
	return nil
}

// differs names the first field that is not the same; empty: there is none.
func differs(a, b *device.DeviceInfo) string {
	x, y := reflect.ValueOf(a).Elem(), reflect.ValueOf(b).Elem()
	for i := range x.NumField() {
		if !reflect.DeepEqual(x.Field(i).Interface(), y.Field(i).Interface()) {
			return x.Type().Field(i).Name
		}
	}
	return ""
}

// ordered leaves out what does not tell devices apart: an empty map or list is none, and so is a link score of 0.
func ordered(devices []device.DeviceInfo) []device.DeviceInfo {
	out := deepCopies(devices)
	for i := range out {
		d := &out[i]
		d.Vendor, d.ScoredAs = "", "" // said by the backend, whatever it is asked to describe
		maps.DeleteFunc(d.LinkScores, func(_ string, score int64) bool { return score == 0 })
		if len(d.LinkScores) == 0 {
			d.LinkScores = nil
		}
		if len(d.CustomInfo) == 0 {
			d.CustomInfo = nil
		}
		if len(d.MIGProfiles) == 0 {
			d.MIGProfiles = nil
		}
	}
	return out
}

// heldAgain compares what a pod was given with what is read of its annotations.
func (x *exam) heldAgain(s *scene) error {
	held, err := x.readBack(s)
	if err != nil {
		return err
	}
	if was, is := heldText(usage.Of(s.request, "", s.fit.Allocation)), heldText(held); was != is {
		return fmt.Errorf("the annotations of a placed pod say something else than it was given\ngiven:   %s\nwritten: %s", was, is)
	}
	return nil
}

// readBack writes an allocation on the pod and reads it.
func (x *exam) readBack(s *scene) (usage.Holding, error) {
	placed := &corev1.Pod{Spec: s.Pod.Spec, ObjectMeta: metav1.ObjectMeta{Annotations: maps.Clone(s.Pod.Annotations)}}
	if placed.Annotations == nil {
		placed.Annotations = map[string]string{}
	}
	written := x.set.Annotations(s.Pod, s.usage.Info(), s.fit.Allocation, sometime)
	for _, key := range x.set.Stale(s.Pod, written) {
		delete(placed.Annotations, key)
	}
	maps.Copy(placed.Annotations, written)
	held, ok, problems := usage.Read(x.set, placed)
	switch {
	case !ok:
		return held, errors.New("the annotations of a placed pod do not say that it is placed")
	case len(problems) > 0:
		return held, fmt.Errorf("the annotations of a placed pod cannot be read: %w", problems[0])
	}
	return held, nil
}

// heldText is what annotations say of an allocation.
func heldText(h usage.Holding) string {
	var out []string
	for _, d := range h.Allocation.Devices {
		out = append(out, fmt.Sprintf("container %d: %s %s, %d MiB, %d cores", d.Container, d.Vendor, d.ID, d.Memory, d.Cores))
	}
	for _, r := range h.Reservations {
		out = append(out, fmt.Sprintf("container %d: instance %s of %s at %v", r.ContainerIndex, r.Profile, r.GPUUUID, r.Placement))
	}
	return strings.Join(out, "; ")
}
