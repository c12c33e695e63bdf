package usage

import (
	"fmt"
	"iter"
	"slices"

	corev1 "k8s.io/api/core/v1"

	"github.com/accelfit/accelfit/device"
	"github.com/accelfit/accelfit/internal/ordered"
	"github.com/accelfit/accelfit/vendors"
)

// Ledger is the holdings of a live scheduler, by pod and by node. The zero value is empty. A Ledger is an immutable value:
// every change returns a new one, at a cost independent of the number of nodes, and any number of goroutines may read any
// of them. Holdings handed out are shared: read them, never write to what they point to.
type Ledger struct {
	pods  ordered.Map[Holding]
	nodes ordered.Map[[]string] // keys of the pods on a node, in the order they came
}

// Len is the number of pods that hold something.
func (l Ledger) Len() int { return l.pods.Len() }

// Pod returns what a pod holds, by [Holding.Key].
func (l Ledger) Pod(key string) (Holding, bool) { return l.pods.Get(key) }

// All iterates over all holdings in ascending order of their keys.
func (l Ledger) All() iter.Seq2[string, Holding] { return l.pods.All() }

// OnNode returns the holdings on a node, in the order they came. The slice is the caller's.
func (l Ledger) OnNode(node string) []Holding {
	keys, _ := l.nodes.Get(node)
	out := make([]Holding, 0, len(keys))
	for _, k := range keys {
		h, _ := l.pods.Get(k)
		out = append(out, h)
	}
	return out
}

// Node returns the usage of a node with all holdings on it.
func (l Ledger) Node(info *device.NodeInfo) *device.NodeUsage {
	return Apply(info, l.OnNode(info.Name()))
}

// Reserve records a new holding. The error wraps [ErrHeld] for a pod that holds something already; l is returned as it is.
func (l Ledger) Reserve(h Holding) (Ledger, error) {
	if old, held := l.pods.Get(h.Key()); held {
		return l, fmt.Errorf("pod %s/%s on node %s: %w", h.Namespace, h.Name, old.Node, ErrHeld)
	}
	return l.put(h), nil
}

// Replace records a holding in place of what the pod held before, if anything. A pod whose init containers were released
// stays released.
func (l Ledger) Replace(h Holding) Ledger {
	if old, held := l.pods.Get(h.Key()); held {
		if old.Released && !h.Released {
			h = h.release()
		}
		if old.Node == h.Node {
			l.pods = l.pods.Set(h.Key(), h)
			return l
		}
		l, _, _ = l.Release(h.Key())
	}
	return l.put(h)
}

func (l Ledger) put(h Holding) Ledger {
	keys, _ := l.nodes.Get(h.Node)
	l.pods = l.pods.Set(h.Key(), h)
	l.nodes = l.nodes.Set(h.Node, append(slices.Clone(keys), h.Key()))
	return l
}

// Release drops a pod's holding and returns it.
func (l Ledger) Release(key string) (Ledger, Holding, bool) {
	h, held := l.pods.Get(key)
	if !held {
		return l, Holding{}, false
	}
	l.pods = l.pods.Delete(key)
	keys, _ := l.nodes.Get(h.Node)
	keys = slices.DeleteFunc(slices.Clone(keys), func(k string) bool { return k == key })
	if len(keys) == 0 {
		l.nodes = l.nodes.Delete(h.Node)
	} else {
		l.nodes = l.nodes.Set(h.Node, keys)
	}
	return l, h, true
}

// Observe brings the ledger up to date with a pod as the API server shows it (spec core §14.5): its holding is recorded or
// replaced, and dropped once the pod has ended. A pod that was never given a node changes nothing, so a reservation made in
// this process stays until its annotations arrive.
func (l Ledger) Observe(set *vendors.Set, pod *corev1.Pod) (Ledger, []device.Problem) {
	h, ok, problems := Read(set, pod)
	switch {
	case ok:
		return l.Replace(h), problems
	case ended(pod):
		l, _, _ = l.Release(key(pod.Namespace, pod.Name, pod.UID))
	}
	return l, problems
}
