package simulate

import (
	"fmt"
	"slices"

	corev1 "k8s.io/api/core/v1"

	"github.com/accelfit/accelfit/device"
	"github.com/accelfit/accelfit/score"
	"github.com/accelfit/accelfit/usage"
	"github.com/accelfit/accelfit/vendors"
)

// Fit tries a request on a node under the quotas in force, without placing it. The error wraps [ErrNoNode].
func (s *Snapshot) Fit(r *vendors.Request, name string) (vendors.Fit, error) {
	n, ok := s.nodes.Get(name)
	if !ok {
		return vendors.Fit{}, fmt.Errorf("node %s: %w", name, ErrNoNode)
	}
	return s.set.Fit(s.limited(r), n.usage), nil
}

// limited is the request under what its namespace may still take; itself where that is anything.
func (s *Snapshot) limited(r *vendors.Request) *vendors.Request {
	headroom := s.quotas.Headroom(r.Namespace)
	for _, asks := range r.Containers() {
		for i := range asks {
			if h := headroom[asks[i].Vendor]; h.Limited() {
				return r.WithQuota(headroom)
			}
		}
	}
	return r
}

// Result is what came of placing a pod.
type Result struct {
	Node       string             // where the pod was placed; empty: nowhere
	Allocation *device.Allocation // nil: nowhere; shared with the snapshot and its forks: read-only
	Score      float32            // of the node before, for this pod; see [vendors.Set.Score]
	Refused    []Refusal          // nodes that were tried and do not serve, by name
}

// OK says whether the pod was placed.
func (r *Result) OK() bool { return r.Node != "" }

// Refusal is why one node does not serve a pod.
type Refusal struct {
	Node    string
	Reasons device.Reasons // why its devices do not; zero if they would
	Err     error          // why the caller's predicate refuses the node, or nil
}

// String reads "<node>: <why>".
func (r Refusal) String() string {
	if r.Err != nil {
		return r.Node + ": " + r.Err.Error()
	}
	return r.Node + ": " + r.Reasons.Detail()
}

// Place places a pod on a node: all of it, or nothing. That the pod does not fit is a Result, not an error; errors are an
// invalid request, an unknown node ([ErrNoNode]), a pod that is placed already ([ErrPlaced]), and none ([ErrNil]). The pod is
// not kept.
func (s *Snapshot) Place(pod *corev1.Pod, name string) (Result, error) {
	return s.PlaceWith(pod, name, vendors.FitOptions{})
}

// PlaceWith is Place under what the caller asks of the fit beside the pod: only these devices, memory that is reserved.
func (s *Snapshot) PlaceWith(pod *corev1.Pod, name string, o vendors.FitOptions) (Result, error) {
	r, err := s.request(pod)
	if err != nil {
		return Result{}, err
	}
	r = r.With(o)
	fit, err := s.Fit(r, name)
	if err != nil {
		return Result{}, err
	}
	if !fit.OK() {
		return Result{Refused: []Refusal{{Node: name, Reasons: fit.Reasons}}}, nil
	}
	return s.commit(r, name, fit), nil
}

// read parses a pod.
func (s *Snapshot) read(pod *corev1.Pod) (*vendors.Request, error) {
	if pod == nil {
		return nil, fmt.Errorf("pod %w", ErrNil)
	}
	r, err := s.set.Request(pod)
	if err != nil {
		return nil, requestError(pod, err)
	}
	return r, nil
}

// request parses a pod that is to be placed.
func (s *Snapshot) request(pod *corev1.Pod) (*vendors.Request, error) {
	r, err := s.read(pod)
	if err != nil {
		return nil, err
	}
	if err := s.placedAlready(pod); err != nil {
		return nil, err
	}
	return r, nil
}

// commit enters a placement that fits.
func (s *Snapshot) commit(r *vendors.Request, name string, fit vendors.Fit) Result {
	old, _ := s.nodes.Get(name)
	result := Result{Node: name, Allocation: fit.Allocation, Score: s.set.Score(r, old.usage, fit)}
	h := usage.Of(r, name, fit.Allocation)
	holdings := make([]usage.Holding, len(old.holdings), len(old.holdings)+1)
	copy(holdings, old.holdings)
	s.nodes = s.nodes.Set(name, old.with(old.usage.With(fit.Allocation), append(holdings, h)))
	s.pods = s.pods.Set(h.Key(), name)
	s.quotas = s.quotas.Take(r.Namespace, fit.Allocation, old.usage.Info())
	return result
}

// Remove takes a pod off its node and gives back exactly what it held. The error wraps [ErrNotPlaced].
func (s *Snapshot) Remove(key string) error {
	name, ok := s.pods.Get(key)
	if !ok {
		return fmt.Errorf("pod %s: %w", key, ErrNotPlaced)
	}
	old, _ := s.nodes.Get(name)
	at := slices.IndexFunc(old.holdings, func(h usage.Holding) bool { return h.Key() == key })
	gone := old.holdings[at]
	rest := slices.Delete(slices.Clone(old.holdings), at, at+1)
	s.nodes = s.nodes.Set(name, old.with(usage.Apply(old.usage.Info(), rest), rest))
	s.pods = s.pods.Delete(key)
	s.quotas = s.quotas.Give(gone.Namespace, gone.Allocation, old.usage.Info())
	return nil
}

// PlaceOptions narrow the choice of a node.
type PlaceOptions struct {
	// Fit is what the caller asks of the fit beside the pod; the zero value: nothing.
	Fit vendors.FitOptions

	// Allow says why a node must not be used, or nil: everything that is not a device. It must not change its arguments.
	Allow func(pod *corev1.Pod, node *corev1.Node) error

	// Placed is told about every pod that is placed, so that Allow can count what is not a device; nil: nobody.
	Placed func(pod *corev1.Pod, node *corev1.Node)

	// FirstFit takes the first node that serves, by name, instead of the best.
	FirstFit bool

	// Brief leaves Result.Refused empty: on thousands of nodes the reasons are most of the cost.
	Brief bool

	// Progress is told by PlaceAll, now and then, how many pods were tried; nil: nobody.
	Progress func(done, all int)
}

// PlaceAnywhere places a pod on the node with the best score under the pod's node policy, the first by name of equals. That
// no node serves is a Result with the reason of each; errors are as for Place.
func (s *Snapshot) PlaceAnywhere(pod *corev1.Pod, o PlaceOptions) (Result, error) {
	r, err := s.request(pod)
	if err != nil {
		return Result{}, err
	}
	r = r.With(o.Fit)
	limited := s.limited(r)
	w := search{
		memo: s.memo, set: s.set, pod: pod, asked: s.memo.ask(limited, limited != r), options: o, nodes: s.nodes.Len(), left: s.nodes.Len(),
	}
	for name, n := range s.nodes.All() {
		if w.try(name, n) && o.FirstFit {
			break
		}
	}
	if w.on == nil {
		return Result{Refused: w.refused}, nil
	}
	result := s.commit(r, w.best.Name, s.set.Fit(limited, w.on.usage))
	result.Refused = w.refused
	if o.Placed != nil {
		o.Placed(pod, s.Object(result.Node))
	}
	return result, nil
}

// search is the way through the nodes in search of the best.
type search struct {
	memo    *memo
	set     *vendors.Set
	pod     *corev1.Pod
	asked   asked
	options PlaceOptions
	nodes   int
	left    int // nodes to come

	best    score.Ranked
	on      *node // the best; nil: none yet
	refused []Refusal
}

// try says whether a node serves.
func (w *search) try(name string, n *node) bool {
	w.left--
	if w.options.Allow != nil {
		if err := w.options.Allow(w.pod, n.object); err != nil {
			w.refuse(Refusal{Node: name, Err: err})
			return false
		}
	}
	t := w.memo.try(w.set, &w.asked, n, w.nodes)
	if t.why != nil {
		w.refuse(Refusal{Node: name, Reasons: *t.why})
		return false
	}
	ranked := score.Ranked{Name: name, Score: t.score}
	if w.on == nil || score.Compare(w.asked.NodePolicy, ranked, w.best) < 0 {
		w.best, w.on = ranked, n
	}
	return true
}

// refuse adds a refusal. Where many nodes refuse, room is made once for all that may follow.
func (w *search) refuse(r Refusal) {
	const many = 64
	if w.options.Brief {
		return
	}
	if len(w.refused) == many {
		w.refused = slices.Grow(w.refused, w.left+1)
	}
	w.refused = append(w.refused, r)
}
