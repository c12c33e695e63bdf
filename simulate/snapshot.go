package simulate

import (
	"cmp"
	"errors"
	"fmt"
	"iter"
	"slices"
	"sync/atomic"

	corev1 "k8s.io/api/core/v1"

	"github.com/accelfit/accelfit/device"
	"github.com/accelfit/accelfit/internal/ordered"
	"github.com/accelfit/accelfit/score"
	"github.com/accelfit/accelfit/usage"
	"github.com/accelfit/accelfit/vendors"
)

// Errors of snapshot operations, wrapped with the name they are about.
var (
	ErrNoNode    = errors.New("node is not in the snapshot")
	ErrNodeTaken = errors.New("node is in the snapshot already")
	ErrPlaced    = errors.New("pod is placed already")
	ErrNotPlaced = errors.New("pod is not placed")
)

// Snapshot is the state of many nodes. See the package documentation for cost and concurrency.
type Snapshot struct {
	set    *vendors.Set
	nodes  ordered.Map[*node]
	pods   ordered.Map[string] // key of the pod → name of its node
	quotas usage.Quotas
	memo   *memo
}

// node is immutable; a change makes a new one.
type node struct {
	object   *corev1.Node
	usage    *device.NodeUsage
	holdings []usage.Holding // in the order they came

	described *description // shared by all that the node becomes; nil: not kept
	state     atomic.Pointer[nodeState]
}

func newNode(object *corev1.Node, info *device.NodeInfo, holdings []usage.Holding) *node {
	return &node{object: object, usage: usage.Apply(info, holdings), holdings: holdings, described: new(description)}
}

// with returns the node with other holdings and usage.
func (n *node) with(u *device.NodeUsage, holdings []usage.Holding) *node {
	return &node{object: n.object, usage: u, holdings: holdings, described: n.described}
}

// New reads nodes and what running pods hold on them, by the pods' annotations. Pods without such annotations hold
// nothing: use Place for them. Pods on nodes that are not given are not known, and do not count against quotas. What cannot
// be read, and nodes whose name occurs twice, is reported and left out. The objects are shared, not copied: they must not
// change while a snapshot uses them.
func New(set *vendors.Set, nodes []*corev1.Node, pods []*corev1.Pod) (*Snapshot, []device.Problem) {
	s := &Snapshot{set: set, quotas: usage.NewQuotas(set), memo: newMemo()}
	byNode, problems := holdingsByNode(set, pods)
	sorted := slices.Clone(nodes)
	slices.SortStableFunc(sorted, func(a, b *corev1.Node) int { return cmp.Compare(a.Name, b.Name) })
	s.nodes = ordered.Collect(func(yield func(string, *node) bool) {
		for i, n := range sorted {
			if i > 0 && sorted[i-1].Name == n.Name {
				problems = append(problems, device.Problem{Object: "node " + n.Name, Err: ErrNodeTaken})
				continue
			}
			info := set.Inventory(n)
			problems = append(problems, info.Problems()...)
			if !yield(n.Name, newNode(n, info, byNode[n.Name])) {
				return
			}
		}
	})
	for _, n := range s.nodes.All() {
		s.record(n)
	}
	return s, problems
}

func holdingsByNode(set *vendors.Set, pods []*corev1.Pod) (map[string][]usage.Holding, []device.Problem) {
	var problems []device.Problem
	byNode := map[string][]usage.Holding{}
	seen := map[string]bool{}
	for _, pod := range pods {
		h, ok, bad := usage.Read(set, pod)
		problems = append(problems, bad...)
		if !ok || pod.Spec.NodeName != "" && pod.Spec.NodeName != h.Node {
			continue
		}
		if seen[h.Key()] {
			problems = append(problems, device.Problem{Object: "pod " + h.Namespace + "/" + h.Name, Err: ErrPlaced})
			continue
		}
		seen[h.Key()] = true
		byNode[h.Node] = append(byNode[h.Node], h)
	}
	return byNode, problems
}

// record enters what running pods hold on a node in the list of pods and in the quotas.
func (s *Snapshot) record(n *node) {
	for i := range n.holdings {
		h := &n.holdings[i]
		s.pods = s.pods.Set(h.Key(), h.Node)
		s.quotas = s.quotas.Take(h.Namespace, h.Allocation, n.usage.Info())
	}
}

// Fork returns a snapshot in the same state. From then on neither sees the other's changes. Cost: O(1).
func (s *Snapshot) Fork() *Snapshot {
	c := *s
	return &c
}

// Set is the vendors the snapshot decides with.
func (s *Snapshot) Set() *vendors.Set { return s.set }

// SetQuota puts a ResourceQuota in force, in place of one of the same name. What pods have taken before counts.
func (s *Snapshot) SetQuota(q *corev1.ResourceQuota) { s.quotas = s.quotas.Set(q) }

// Quotas returns the quotas in force, with what is taken of them.
func (s *Snapshot) Quotas() usage.Quotas { return s.quotas }

// Len is the number of nodes.
func (s *Snapshot) Len() int { return s.nodes.Len() }

// Nodes iterates over the nodes in ascending order of their names. The iteration sees the snapshot as it was when it began,
// whatever is placed meanwhile.
func (s *Snapshot) Nodes() iter.Seq2[string, *device.NodeUsage] {
	nodes := s.nodes
	return func(yield func(string, *device.NodeUsage) bool) {
		for name, n := range nodes.All() {
			if !yield(name, n.usage) {
				return
			}
		}
	}
}

// Node returns a node's usage; ok is false for an unknown one.
func (s *Snapshot) Node(name string) (u *device.NodeUsage, ok bool) {
	n, ok := s.nodes.Get(name)
	if !ok {
		return nil, false
	}
	return n.usage, true
}

// Object returns a node's Kubernetes object, or nil. It is shared: read it only.
func (s *Snapshot) Object(name string) *corev1.Node {
	if n, ok := s.nodes.Get(name); ok {
		return n.object
	}
	return nil
}

// Holdings returns what every pod on a node holds, in the order the pods came. The slice is the caller's; what its
// elements point to is shared.
func (s *Snapshot) Holdings(name string) []usage.Holding {
	n, ok := s.nodes.Get(name)
	if !ok {
		return nil
	}
	return slices.Clone(n.holdings)
}

// PlacedOn returns the node a pod is on, by its key (usage.Holding.Key).
func (s *Snapshot) PlacedOn(key string) (node string, ok bool) { return s.pods.Get(key) }

// AddNode adds a node, with what the given pods hold on it by their annotations. Pods that belong elsewhere, or are in the
// snapshot already, are left out. The error wraps [ErrNodeTaken].
func (s *Snapshot) AddNode(object *corev1.Node, pods []*corev1.Pod) ([]device.Problem, error) {
	if _, taken := s.nodes.Get(object.Name); taken {
		return nil, fmt.Errorf("node %s: %w", object.Name, ErrNodeTaken)
	}
	byNode, problems := holdingsByNode(s.set, pods)
	holdings := slices.DeleteFunc(byNode[object.Name], func(h usage.Holding) bool {
		_, placed := s.pods.Get(h.Key())
		return placed
	})
	info := s.set.Inventory(object)
	s.addNode(newNode(object, info, holdings))
	return append(problems, info.Problems()...), nil
}

func (s *Snapshot) addNode(n *node) {
	s.nodes = s.nodes.Set(n.object.Name, n)
	s.record(n)
}

// RemoveNode removes a node and the pods on it. The error wraps [ErrNoNode].
func (s *Snapshot) RemoveNode(name string) error {
	n, ok := s.nodes.Get(name)
	if !ok {
		return fmt.Errorf("node %s: %w", name, ErrNoNode)
	}
	for i := range n.holdings {
		h := &n.holdings[i]
		s.pods = s.pods.Delete(h.Key())
		s.quotas = s.quotas.Give(h.Namespace, h.Allocation, n.usage.Info())
	}
	s.nodes = s.nodes.Delete(name)
	return nil
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
	Node       string // where the pod was placed; empty: nowhere
	Allocation *device.Allocation
	Score      float32
	Refused    []Refusal // nodes that were tried and do not serve, by name
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
// invalid request, an unknown node ([ErrNoNode]), and a pod that is placed already ([ErrPlaced]). The pod is not kept.
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

func (s *Snapshot) request(pod *corev1.Pod) (*vendors.Request, error) {
	r, err := s.set.Request(pod)
	if err != nil {
		return nil, requestError(pod, err)
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
