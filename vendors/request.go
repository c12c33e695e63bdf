package vendors

import (
	"cmp"
	"errors"
	"slices"
	"strconv"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/accelfit/accelfit/device"
	"github.com/accelfit/accelfit/internal/engine"
	"github.com/accelfit/accelfit/score"
)

// Request is everything that fitting reads from a pod, parsed once. It is immutable and safe for concurrent use.
type Request struct {
	Namespace, Name string
	UID             types.UID
	NodePolicy      string // of the pod, or the set's

	shape string
	named bool // see ByName
	pod   engine.Pod
	asks  [][]device.ContainerRequest // of every container, init containers first
	plans [][]device.Plan             // of pod.Containers, with their quota rules

	scorers []scorer

	room *single
}

// single is the memory of a request of one container, as most pods have, in one piece.
type single struct {
	asks       [1][]device.ContainerRequest
	ask        [1]device.ContainerRequest
	plans      [1][]device.Plan
	plan       [1]device.Plan
	containers [1]engine.Container
}

// makeRoom makes the slices that have an element for each container.
func (r *Request) makeRoom() {
	if n := len(r.pod.Classes); n != 1 {
		r.asks = make([][]device.ContainerRequest, 0, n)
		r.plans = make([][]device.Plan, 0, n)
		r.pod.Containers = make([]engine.Container, 0, n)
		return
	}
	r.room = new(single)
	r.asks, r.plans, r.pod.Containers = r.room.asks[:0], r.room.plans[:0], r.room.containers[:0]
}

// roomToAsk is where to append what a container asks of each vendor.
func (r *Request) roomToAsk() []device.ContainerRequest {
	if r.room == nil {
		return nil
	}
	return r.room.ask[:0]
}

// roomToPlan is where the plans of a container go.
func (r *Request) roomToPlan(n int) []device.Plan {
	if r.room == nil || n != 1 {
		return make([]device.Plan, n)
	}
	return r.room.plan[:]
}

// scorer is what a vendor adds to the score of a node.
type scorer struct {
	vendor device.Vendor
	score  func(node *device.NodeUsage, a *device.Allocation) float32
}

// Request parses a pod. The error is, or wraps, a [*device.RequestError]: for a quantity no request can be made of, or for a
// weights annotation that cannot be read; such a pod fits nowhere. A pod that asks for no device has an Empty request. The
// pod is not changed and not kept.
func (s *Set) Request(pod *corev1.Pod) (*Request, error) {
	r := &Request{Namespace: pod.Namespace, Name: pod.Name, UID: pod.UID, NodePolicy: s.nodePolicy(pod)}
	r.pod.Classes = s.classes(&pod.Spec)
	if err := s.ask(r, pod); err != nil {
		return nil, err
	}
	if r.Empty() {
		return r, nil
	}
	numaBind := false
	if text, ok := pod.Annotations[device.AnnotationNUMABind]; ok {
		numaBind, _ = strconv.ParseBool(text)
	}
	r.pod.Policy = score.ParsePolicy(s.devicePolicy(pod), numaBind)
	r.pod.Weights = score.DefaultWeights()
	if text, ok := pod.Annotations[device.AnnotationWeights]; ok {
		var err error
		if r.pod.Weights, err = score.ParseWeights(text); err != nil {
			return nil, &weightsError{pod.Name, text, err}
		}
	}
	s.plan(r, pod)
	r.shape = s.shapeOf(r, pod)
	return r, nil
}

// weightsError is a weights annotation that cannot be read, in the reference's words; it unwraps to a [device.RequestError].
type weightsError struct {
	pod, text string
	cause     error
}

// Error is the reference's message.
func (e *weightsError) Error() string {
	return "calcScore failed " + e.cause.Error() + " for pod " + e.pod
}

// Unwrap returns the same as a [*device.RequestError].
func (e *weightsError) Unwrap() error {
	why := e.cause
	if inner := errors.Unwrap(why); inner != nil {
		why = inner
	}
	return &device.RequestError{Key: device.AnnotationWeights, Value: e.text, Why: why.Error()}
}

// shapeOf writes down everything that Fit and Score read of a pod.
func (s *Set) shapeOf(r *Request, pod *corev1.Pod) string {
	b := make([]byte, 0, 256)
	for i, asks := range r.asks {
		b = append(b, byte(r.pod.Classes[i]), byte(len(asks)))
		for k := range asks {
			a := &asks[k]
			b = strconv.AppendQuote(b, string(a.Vendor))
			for _, n := range [...]int64{a.Nums, a.Memory, a.MemoryPercent, a.Cores, a.CoresInAll} {
				b = append(strconv.AppendInt(b, n, 36), ' ')
			}
		}
	}
	b = strconv.AppendQuote(b, r.NodePolicy)
	b = strconv.AppendQuote(b, s.devicePolicy(pod))
	if len(pod.Annotations) == 0 {
		return string(b)
	}
	note := func(key string) {
		if v, ok := pod.Annotations[key]; ok {
			b = strconv.AppendQuote(append(strconv.AppendQuote(b, key), '='), v)
		}
	}
	note(device.AnnotationWeights)
	note(device.AnnotationNUMABind)
	for i := range s.names {
		for _, key := range s.names[i].PodKeys {
			note(key)
		}
	}
	return string(b)
}

// Shape is equal for two requests of one set exactly when they read the same from their pods: they fit the same nodes with
// the same devices, quotas aside. It is empty for a request that asks for nothing, and for one under options that nobody
// can tell apart ([FitOptions.Key]): never keep an answer under an empty shape. It is a key, not a text for people.
func (r *Request) Shape() string { return r.shape }

func (s *Set) nodePolicy(pod *corev1.Pod) string {
	if p, ok := pod.Annotations[device.AnnotationNodePolicy]; ok {
		return p
	}
	return cmp.Or(s.options.NodePolicy, score.Binpack)
}

func (s *Set) devicePolicy(pod *corev1.Pod) string {
	if p, ok := pod.Annotations[device.AnnotationDevicePolicy]; ok {
		return p
	}
	return cmp.Or(s.options.DevicePolicy, score.Spread)
}

// ask collects what every container asks of every vendor.
func (s *Set) ask(r *Request, pod *corev1.Pod) error {
	r.makeRoom()
	for _, containers := range [][]corev1.Container{pod.Spec.InitContainers, pod.Spec.Containers} {
		for i := range containers {
			asks := r.roomToAsk()
			for _, b := range s.backends {
				ask, err := device.RequestOf(b, pod.Annotations, &containers[i])
				if err != nil {
					return err
				}
				if ask.Nums > 0 {
					ask.Vendor = b.Vendor()
					asks = append(asks, ask)
				}
			}
			r.asks = append(r.asks, asks)
		}
	}
	return nil
}

// plan makes the requests ready, in the order in which containers are fitted: sidecars, init containers, app containers
// (spec core §5, D10).
func (s *Set) plan(r *Request, pod *corev1.Pod) {
	contexts := s.contexts(r, pod)
	for _, class := range []device.ContainerClass{device.Sidecar, device.Init, device.App} {
		for position, asks := range r.asks {
			if r.pod.Classes[position] != class || len(asks) == 0 {
				continue
			}
			plans := r.roomToPlan(len(asks))
			for i, ask := range asks {
				context := contexts.of(ask.Vendor)
				context.Container = position
				plans[i] = s.Backend(ask.Vendor).Plan(context, ask)
			}
			r.plans = append(r.plans, plans)
			r.pod.Containers = append(r.pod.Containers, engine.Container{Position: position, Asks: counted(asks, plans)})
		}
	}
	r.ready(nil)
	for i := range contexts {
		c := &contexts[i]
		if scores, ok := s.Backend(c.vendor).(device.NodeScorer); ok {
			if add := scores.ScoreNodes(c.PodContext); add != nil {
				r.scorers = append(r.scorers, scorer{c.vendor, add})
			}
		}
	}
}

// counted is what is asked as the plans count it: the asks themselves where no plan changes any.
func counted(asks []device.ContainerRequest, plans []device.Plan) []device.ContainerRequest {
	out := asks
	for i := range plans {
		if plans[i].Ask == asks[i] {
			continue
		}
		if &out[0] == &asks[0] {
			out = slices.Clone(asks)
		}
		out[i] = plans[i].Ask
	}
	return out
}

// contexts are what the plans of each vendor asked for depend on.
type contexts []vendorContext

type vendorContext struct {
	vendor device.Vendor
	*device.PodContext
}

// of is the context of a vendor; nil: it is not asked for.
func (c contexts) of(v device.Vendor) *device.PodContext {
	for i := range c {
		if c[i].vendor == v {
			return c[i].PodContext
		}
	}
	return nil
}

// contexts returns what the plans of each vendor asked for depend on, ascending by vendor word.
func (s *Set) contexts(r *Request, pod *corev1.Pod) (out contexts) {
	for position, asks := range r.asks {
		for _, ask := range asks {
			c := out.of(ask.Vendor)
			if c == nil {
				c = &device.PodContext{
					Annotations: pod.Annotations, Policy: r.pod.Policy.DevicePolicy, NodePolicy: r.NodePolicy,
					Quirks: s.options.Quirks, Classes: r.pod.Classes, Asks: make([]device.ContainerRequest, len(r.asks)),
				}
				out = append(out, vendorContext{ask.Vendor, c})
			}
			c.Asks[position] = ask
		}
	}
	slices.SortFunc(out, func(a, b vendorContext) int { return cmp.Compare(a.vendor, b.vendor) })
	return out
}

// ready fills the plans that are tried: without their quota rule where the namespace has no limit for the vendor.
func (r *Request) ready(quota map[device.Vendor]device.Headroom) {
	for i, plans := range r.plans {
		ready := make([]engine.Plan, len(plans))
		for k, p := range plans {
			var limit *device.Headroom
			if h := quota[p.Ask.Vendor]; h.Limited() {
				own := h
				limit = &own
			}
			ready[k] = readyPlan(p, limit)
		}
		r.pod.Containers[i].Plans = ready
	}
}

// readyPlan is a plan under what the namespace may still take of its vendor; nil: anything.
func readyPlan(p device.Plan, quota *device.Headroom) engine.Plan {
	if quota == nil {
		p = withoutQuota(p)
	}
	return engine.Plan{Plan: p, Quota: quota}
}

func withoutQuota(p device.Plan) device.Plan {
	rules := slices.DeleteFunc(slices.Clone(p.Rules.Rules()), func(r device.Rule) bool { return r.Check == device.InQuota })
	p.Rules = device.NewTable(rules)
	return p
}

// WithQuota returns the request under what its namespace may still take, by vendor word (usage.Quotas.Headroom). A nil map
// lifts every limit. r is unchanged.
func (r *Request) WithQuota(headroom map[device.Vendor]device.Headroom) *Request {
	c := *r
	c.pod.Containers = slices.Clone(r.pod.Containers)
	c.ready(headroom)
	return &c
}

// Empty says whether the pod asks for no device at all; it then fits everywhere.
func (r *Request) Empty() bool {
	return !slices.ContainsFunc(r.asks, func(asks []device.ContainerRequest) bool { return len(asks) > 0 })
}

// Containers returns what each container asks for, init containers first, by ascending vendor word. The slices are r's own:
// read-only.
func (r *Request) Containers() [][]device.ContainerRequest { return r.asks }

// Classes returns the class of each container. The slice is r's own: read-only.
func (r *Request) Classes() []device.ContainerClass { return r.pod.Classes }
