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
	"github.com/accelfit/accelfit/usage"
	"github.com/accelfit/accelfit/vendors"
)

// Errors of snapshot operations, wrapped with the name they are about.
var (
	ErrNoNode    = errors.New("node is not in the snapshot")
	ErrNodeTaken = errors.New("node is in the snapshot already")
	ErrPlaced    = errors.New("pod is placed already")
	ErrNotPlaced = errors.New("pod is not placed")
	ErrNoName    = errors.New("node has no name")
	ErrNil       = errors.New("is nil")
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
// be read, nodes without a name, nodes whose name occurs twice, and entries that are nil are reported and left out. The objects
// are shared, not copied: they must not change while a snapshot uses them.
func New(set *vendors.Set, nodes []*corev1.Node, pods []*corev1.Pod) (*Snapshot, []device.Problem) {
	s := &Snapshot{set: set, quotas: usage.NewQuotas(set), memo: newMemo()}
	byNode, problems := holdingsByNode(set, pods)
	sorted, bad := named(nodes)
	problems = append(problems, bad...)
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

// named returns the nodes that can be told by a name, and what is wrong with the others.
func named(nodes []*corev1.Node) (out []*corev1.Node, problems []device.Problem) {
	out = make([]*corev1.Node, 0, len(nodes))
	for i, n := range nodes {
		switch {
		case n == nil:
			problems = append(problems, device.Problem{Object: fmt.Sprintf("nodes[%d]", i), Err: ErrNil})
		case n.Name == "":
			problems = append(problems, device.Problem{Object: fmt.Sprintf("nodes[%d]", i), Err: ErrNoName})
		default:
			out = append(out, n)
		}
	}
	return out, problems
}

func holdingsByNode(set *vendors.Set, pods []*corev1.Pod) (map[string][]usage.Holding, []device.Problem) {
	var problems []device.Problem
	byNode := map[string][]usage.Holding{}
	seen := map[string]bool{}
	for i, pod := range pods {
		if pod == nil {
			problems = append(problems, device.Problem{Object: fmt.Sprintf("pods[%d]", i), Err: ErrNil})
			continue
		}
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
// snapshot already, are left out. The error wraps [ErrNodeTaken], [ErrNoName] or [ErrNil].
func (s *Snapshot) AddNode(object *corev1.Node, pods []*corev1.Pod) ([]device.Problem, error) {
	switch {
	case object == nil:
		return nil, fmt.Errorf("node %w", ErrNil)
	case object.Name == "":
		return nil, ErrNoName
	}
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
