package simulate

import (
	"fmt"
	"math"

	corev1 "k8s.io/api/core/v1"
)

// Drained is the answer whether a node can be emptied.
type Drained struct {
	Node string
	OK   bool // every pod on devices of the node has another place

	// Moves are where pods go, in the order in which they have to. Where not every pod has a place, as many as are found by
	// placing the most demanding first.
	Moves []Move

	// Stuck are the pods without another place, in the order of their demand, and before them those that cannot be asked about.
	Stuck []Stuck

	// Stays are the pods that must not move and go with the node. They do not keep it from being emptied.
	Stays []*corev1.Pod

	// Complete says that the search was not cut short: if OK is false, there is no way.
	Complete bool
}

// Stuck is a pod that cannot be moved, and why.
type Stuck struct {
	Key     string      // of its holding
	Pod     *corev1.Pod // nil: see ErrUnknownPod
	Err     error       // it cannot be asked about: an invalid request, ErrUnknownPod, or ErrNoDevices
	Refused []Refusal   // why each other node does not serve, by name; read-only, as pods of one kind may share it
}

// Drain tells whether a node can be emptied: whether the pods that hold devices of it fit on the other nodes, all of them
// together, and where each goes. The way found was replayed. pods are the objects of the pods that run; those on other nodes
// do not matter, those without devices neither. s is not changed. The error wraps [ErrNoNode]. Cost: one fit for each
// kind of pod and node, and the search, which MaxTries bounds.
func (s *Snapshot) Drain(name string, pods []*corev1.Pod, o MoveOptions) (Drained, error) {
	n, ok := s.nodes.Get(name)
	if !ok {
		return Drained{}, fmt.Errorf("node %s: %w", name, ErrNoNode)
	}
	rest := s.Fork()
	if err := rest.RemoveNode(name); err != nil {
		return Drained{}, err
	}
	m := newMover(rest, o)
	out := Drained{Node: name, Complete: true}
	var going []*moving
	known := byKey(pods)
	for i := range n.holdings {
		key := n.holdings[i].Key()
		pod := known[key]
		switch {
		case pod == nil:
			out.Stuck = append(out.Stuck, Stuck{Key: key, Err: ErrUnknownPod})
		case !m.movable(pod):
			out.Stays = append(out.Stays, pod)
		default:
			x, err := m.from(n, pod)
			if err != nil {
				out.Stuck = append(out.Stuck, Stuck{Key: key, Pod: pod, Err: err})
				continue
			}
			going = append(going, x)
		}
	}
	mostDemanding(going)
	m.drain(draft{rest, map[string]Change{}}, going, &out)
	if !out.OK {
		m.best(draft{s.on(rest), map[string]Change{}}, n, going, &out)
	}
	return out, nil
}

// on is another snapshot with what namespaces have taken in this one.
func (s *Snapshot) on(other *Snapshot) *Snapshot {
	out := other.Fork()
	out.quotas = s.quotas
	return out
}

// drain finds places for all pods, if there are.
func (m *mover) drain(s draft, going []*moving, out *Drained) {
	if len(out.Stuck) > 0 {
		return
	}
	moves, ok := m.settle(s, going, "")
	if ok && m.replay(s, moves) == nil {
		out.OK, out.Moves = true, moves
		return
	}
	out.Complete = m.left >= 0
}

// best places what has a place, the most demanding first, and says of the others why not. In s the pods of node n still count
// against quotas, as those do that have no other place.
func (m *mover) best(s draft, n *node, pods []*moving, out *Drained) {
	m.left = math.MaxInt // linear in the nodes for each pod
	clear(m.hosts)
	var last *Stuck // with the shape shape, and nothing placed since
	shape := ""
	for _, x := range pods {
		free := draft{s.Fork(), s.since}
		free.quotas = s.quotas.Give(x.pod.Namespace, x.held, n.usage.Info())
		options := m.places(free, x, "")
		if len(options) > 0 {
			p := options[0]
			s = free.with(x.request, x.pod, p.node, p.fit)
			out.Moves = append(out.Moves, Move{Pod: x.pod, From: x.from, To: p.node, Allocation: p.fit.Allocation})
			last = nil
			continue
		}
		stuck := Stuck{Key: x.key, Pod: x.pod}
		same := last != nil && shape != "" && shape == x.request.Shape() && m.options.Allow == nil
		if same && last.Pod.Namespace == x.pod.Namespace && s.quotas.Headroom(x.pod.Namespace) == nil {
			stuck.Refused = last.Refused
		} else {
			stuck.Refused = m.refused(free, x)
		}
		out.Stuck = append(out.Stuck, stuck)
		last, shape = &stuck, x.request.Shape()
	}
}

// refused says of every node why it does not serve.
func (m *mover) refused(s draft, x *moving) []Refusal {
	out := make([]Refusal, 0, s.nodes.Len())
	for name := range s.nodes.All() {
		_, why := m.tryOn(s, x.request, x.pod, name)
		out = append(out, why)
	}
	return out
}
