package vendors

import (
	"maps"
	"slices"
	"strconv"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/validation"

	"github.com/accelfit/accelfit/device"
	"github.com/accelfit/accelfit/internal/engine"
	"github.com/accelfit/accelfit/score"
)

// Fit is the answer to whether a pod fits on a node: an allocation, or reasons.
type Fit struct {
	Allocation *device.Allocation // nil: the pod does not fit
	Reasons    device.Reasons     // why not; zero when it fits
}

// OK says whether the pod fits.
func (f Fit) OK() bool { return f.Allocation != nil }

// Fit tries a pod on a node. A request that is Empty fits everywhere, with an allocation without devices. Neither argument
// is changed. Cost: one pass over the node's devices of the vendors asked for, per container. Refusing a node allocates
// nothing, but for MIG instances booked for earlier containers of the pod and for the choice of sets by link scores.
func (s *Set) Fit(r *Request, node *device.NodeUsage) Fit {
	scratch := s.scratch.Get().(*engine.Scratch)
	defer s.scratch.Put(scratch)
	if a := scratch.Fit(&r.pod, node, nil); a != nil {
		return Fit{Allocation: a}
	}
	return Fit{Reasons: scratch.Why}
}

// Verdict is what was found of one device for one container.
type Verdict struct {
	Container     int // position, init containers first
	Granted       bool
	device.Reason // where it was not granted
}

// String reads "<device>: serves", or as [device.Reason.String].
func (v Verdict) String() string {
	if v.Granted {
		return v.Device + ": serves"
	}
	return v.Reason.String()
}

// Explanation is a fit with what was found of each device. Devices are listed for every container up to the one that was
// refused, in the order in which they were tried; a device can be listed more than once (MIG instances).
type Explanation struct {
	Fit
	Verdicts []Verdict
}

// Explain is Fit that also tells of every device the first rule it broke, what the rule wanted and what there was.
func (s *Set) Explain(r *Request, node *device.NodeUsage) Explanation {
	scratch := s.scratch.Get().(*engine.Scratch)
	defer s.scratch.Put(scratch)
	var out Explanation
	out.Allocation = scratch.Fit(&r.pod, node, func(container int, rule *device.Rule, c *device.Candidate) {
		v := Verdict{Container: container, Granted: rule == nil}
		v.Vendor, v.Device = c.Info().Vendor, c.Info().ID
		if rule != nil {
			v.Code = rule.Code
			v.Want, v.Have = s.amounts(rule, c)
		}
		out.Verdicts = append(out.Verdicts, v)
	})
	if out.Allocation == nil {
		out.Reasons = scratch.Why
	}
	return out
}

// amounts are a rule's, cores in the vendor's own unit.
func (s *Set) amounts(rule *device.Rule, c *device.Candidate) (want, have device.Amount) {
	want, have = rule.Amounts(c)
	unit := s.Backend(c.Info().Vendor).Names().CoreUnit
	for _, a := range []*device.Amount{&want, &have} {
		if a.Unit == device.Cores && unit != "" {
			*a = device.Amount{Text: strconv.FormatInt(a.N, 10) + " " + unit}
		}
	}
	return want, have
}

// Score ranks a node for a pod that fits on it, from the usage before the pod is placed (spec core §10).
func (s *Set) Score(r *Request, node *device.NodeUsage, fit Fit) float32 {
	var extra float32
	if fit.OK() {
		for i := range r.scorers {
			if s := &r.scorers[i]; len(fit.Allocation.Of(s.vendor)) > 0 {
				extra += s.score(node, fit.Allocation)
			}
		}
	}
	return score.Node(node, extra)
}

// Annotations returns what a live scheduler writes on a pod that it places on a node: the node, the allocation of each
// vendor with a device in the pod, and what vendors add (spec core §14.2 step 9). now fills the time stamps; a zero time
// leaves them out. The map is the caller's.
func (s *Set) Annotations(pod *corev1.Pod, node *device.NodeInfo, a *device.Allocation, now time.Time) map[string]string {
	out := map[string]string{device.AnnotationNode: node.Name()}
	if !now.IsZero() {
		out[device.AnnotationTime] = strconv.FormatInt(now.Unix(), 10)
	}
	for _, v := range a.Vendors() {
		b := s.Backend(v)
		if b == nil {
			continue
		}
		names := b.Names()
		text := device.EncodeAllocation(a, v, typeOf(names, node, v))
		for _, key := range []string{names.ToAllocate, names.Allocated} {
			if key != "" {
				out[key] = text
			}
		}
		if more, ok := b.(device.Annotator); ok {
			maps.Copy(out, more.Annotate(pod, node, a, now))
		}
	}
	return out
}

// typeOf returns what the allocation text of a vendor calls its devices; nil: the vendor word.
func typeOf(names device.Names, node *device.NodeInfo, v device.Vendor) func(id string) string {
	if !names.WritesType {
		return nil
	}
	return func(id string) string {
		if i := node.Find(v, id); i >= 0 {
			return node.Device(i).Type
		}
		return string(v)
	}
}

// Stale lists annotations of a pod that tell of an earlier placement and that written, the result of Annotations, does not
// replace: whoever applies written must remove them. Otherwise devices that the pod no longer holds stay booked.
func (s *Set) Stale(pod *corev1.Pod, written map[string]string) []string {
	var out []string
	check := func(key string) {
		_, have := pod.Annotations[key]
		_, replaced := written[key]
		if key != "" && have && !replaced && !slices.Contains(out, key) { // several chips share predicate-time
			out = append(out, key)
		}
	}
	for _, b := range s.backends {
		n := b.Names()
		for _, key := range append([]string{n.ToAllocate, n.Allocated}, n.Writes...) {
			check(key)
		}
	}
	if pod.Annotations[device.AnnotationBindPhase] == device.BindFailed {
		check(device.AnnotationBindPhase)
	}
	return out
}

// NodeLabel returns the label that goes with the annotation of the chosen node, or false where the node's name is no label
// value; the annotation is what counts (deviation D28).
func NodeLabel(node string) (key, value string, ok bool) {
	return device.AnnotationNode, node, len(validation.IsValidLabelValue(node)) == 0
}
