package simulate

import (
	"cmp"
	"slices"

	corev1 "k8s.io/api/core/v1"

	"github.com/accelfit/accelfit/device"
	"github.com/accelfit/accelfit/vendors"
)

// Room is the answer which pods would have to move so that a given one fits.
type Room struct {
	Node       string // where the pod fits then; empty: no way was found
	Allocation *device.Allocation

	// Moves are the pods that have to move off the node's devices, in the order in which they find another place once the pod
	// is there; empty where the pod fits as it is. A place can be on other devices of the same node.
	Moves []Move

	// Complete says that the search was not cut short: if Node is empty, moving up to MaxMoves pods off one node does not help.
	Complete bool
}

// OK says whether a way was found.
func (r *Room) OK() bool { return r.Node != "" }

// MakeRoom tells which pods would have to move so that a pod fits: the fewest off one node, of those the ones that hold the
// least memory, then by the node's name. It never proposes more than MaxMoves. All of them find a place, with the pod placed
// before them, and the way found was replayed. Pods that would have to move so that those that move find a place are not
// looked for. pods are the objects of the pods that run; those that hold no devices never move. s is not changed. The error is
// as for Place. Cost: for k moves one fit for each k of the movable pods on each node that could serve at all, and the search
// for places; MaxTries bounds both.
func (s *Snapshot) MakeRoom(pod *corev1.Pod, pods []*corev1.Pod, o MoveOptions) (Room, error) {
	r, err := s.request(pod)
	if err != nil {
		return Room{}, err
	}
	switch {
	case o.MaxMoves == 0:
		o.MaxMoves = 3
	case o.MaxMoves < 0:
		o.MaxMoves = 0
	}
	m := newMover(s, o)
	start := draft{s, map[string]Change{}}
	one := &moving{pod: pod, key: podKey(pod), request: r.With(o.Fit)}
	if now := m.places(start, one, ""); len(now) > 0 {
		return Room{Node: now[0].node, Allocation: now[0].fit.Allocation, Complete: m.left >= 0}, nil
	}
	f := roomFinder{mover: m, start: start, pod: one, limited: s.limited(one.request) != one.request}
	f.gather(byKey(pods))
	for k := 1; k <= o.MaxMoves && m.left >= 0 && f.any(k); k++ {
		for _, set := range f.sets(k) {
			if room, ok := f.verify(&set); ok {
				room.Complete = true
				return room, nil
			}
			if m.left < 0 {
				break
			}
		}
	}
	return Room{Complete: m.left >= 0 && !f.cut}, nil
}

// roomFinder looks for room for one pod.
type roomFinder struct {
	*mover
	start draft
	pod   *moving
	nodes []crowd

	limited bool // the pod is under a quota
	cut     bool // not every set was looked at
}

// crowd is a node that would serve the pod if all that may move were gone.
type crowd struct {
	*node
	movable []tenant
}

// eviction is a set of pods without which a node serves the pod.
type eviction struct {
	node   *node
	pods   []*corev1.Pod
	memory int64
}

// gather finds the nodes that matter.
func (f *roomFinder) gather(pods map[string]*corev1.Pod) {
	for _, n := range f.base.nodes.All() {
		c := crowd{node: n}
		for i := range n.holdings {
			if pod := pods[n.holdings[i].Key()]; pod != nil && f.movable(pod) {
				c.movable = append(c.movable, tenantOf(n, i, pod))
			}
		}
		if len(c.movable) > 0 && f.serves(n, c.movable) {
			f.nodes = append(f.nodes, c)
		}
	}
}

// any says whether some node has k pods that may move.
func (f *roomFinder) any(k int) bool {
	return slices.ContainsFunc(f.nodes, func(c crowd) bool { return len(c.movable) >= k })
}

// serves says whether a node serves the pod without some of those on it.
func (f *roomFinder) serves(n *node, gone []tenant) bool {
	if f.left--; f.left < 0 {
		return false
	}
	if f.options.Allow != nil {
		since := Change{Removed: make([]*corev1.Pod, len(gone))}
		for i := range gone {
			since.Removed[i] = gone[i].pod
		}
		if f.options.Allow(f.pod.pod, n.object, since) != nil {
			return false
		}
	}
	return f.base.set.Fit(f.request(n, gone), n.without(gone)).OK()
}

// request is the pod's, under what its namespace may take once some pods have given back what they hold. They may need less of it
// where they go: an instance of a card is larger than what was asked for.
func (f *roomFinder) request(n *node, gone []tenant) *vendors.Request {
	if !f.limited {
		return f.pod.request
	}
	quotas := f.base.quotas
	for _, t := range gone {
		quotas = quotas.Give(t.pod.Namespace, n.holdings[t.at].Allocation, n.usage.Info())
	}
	return f.pod.request.WithQuota(quotas.Headroom(f.pod.pod.Namespace))
}

// manySets is how many sets of pods that would make room are looked into for each number of moves.
const manySets = 1 << 14

// sets are the sets of k pods of one node without which it serves the pod, those that hold the least memory first. Every node
// gets its share of the tries.
func (f *roomFinder) sets(k int) []eviction {
	var out []eviction
	for i := range f.nodes {
		c := &f.nodes[i]
		share := max(256, f.left/(2*(len(f.nodes)-i)))
		for gone := range combinations(c.movable, k) {
			if share--; share < 0 || f.left < 0 || len(out) >= manySets {
				f.cut = true
				break
			}
			if f.serves(c.node, gone) {
				e := eviction{node: c.node}
				for _, t := range gone {
					e.pods, e.memory = append(e.pods, t.pod), device.Sum(e.memory, t.memory)
				}
				out = append(out, e)
			}
		}
	}
	slices.SortStableFunc(out, func(a, b eviction) int { return cmp.Compare(a.memory, b.memory) })
	return out
}

// combinations yields every choice of k of the elements, in their order. The slice is valid until the next.
func combinations[T any](of []T, k int) func(yield func([]T) bool) {
	return func(yield func([]T) bool) {
		if k > len(of) {
			return
		}
		at, choice := make([]int, k), make([]T, k)
		for i := range at {
			at[i] = i
		}
		for {
			for i, p := range at {
				choice[i] = of[p]
			}
			if !yield(choice) {
				return
			}
			i := k - 1
			for i >= 0 && at[i] == len(of)-k+i {
				i--
			}
			if i < 0 {
				return
			}
			at[i]++
			for j := i + 1; j < k; j++ {
				at[j] = at[j-1] + 1
			}
		}
	}
}

// verify finds places for the pods of a set, with the pod placed before them.
func (f *roomFinder) verify(e *eviction) (Room, bool) {
	s, going := f.start, make([]*moving, len(e.pods))
	for i, pod := range e.pods {
		x, err := f.from(e.node, pod)
		if err != nil {
			return Room{}, false
		}
		if s, err = s.without(x); err != nil {
			return Room{}, false
		}
		going[i] = x
	}
	mostDemanding(going)
	name := e.node.object.Name
	found, _ := f.tryOn(s, f.pod.request, f.pod.pod, name)
	if !found.fit.OK() {
		return Room{}, false
	}
	room := Room{Node: name, Allocation: found.fit.Allocation}
	moves, ok := f.settle(s.with(f.pod.request, f.pod.pod, name, found.fit), going, name)
	if !ok {
		return Room{}, false
	}
	first := Move{Pod: f.pod.pod, To: name, Allocation: room.Allocation}
	if f.replay(s, append([]Move{first}, moves...)) != nil {
		return Room{}, false
	}
	room.Moves = moves
	return room, true
}
