package schedulerplugin

import (
	"context"
	"sync"
	"sync/atomic"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/klog/v2"
	fwk "k8s.io/kube-scheduler/framework"
)

const (
	shards     = 1 << 4
	fewStates  = 1024 // that are kept however few nodes there are
	manyStates = 1 << 16
	perNode    = 4 // states of a node: hosts go back to earlier ones
)

// states keeps what is taken of nodes by the generation of the framework's node: one counter for all nodes of a process, so
// that no two contents share a number; names are reused and pointers are written through. Of a node that was never seen in this
// generation the last state of its name helps, if it is found to be one pod short.
//
// It keeps between limit and twice limit states, the newest ones and those that were asked for since.
type states struct {
	limit  atomic.Int64
	shards [shards]shard

	mu   sync.Mutex
	last halves[string]
}

type shard struct {
	mu  sync.Mutex
	now halves[int64]
}

// shard is the one for a generation: numbers come in steps, which must not end up in a few shards.
func (c *states) shard(generation int64) *shard {
	return &c.shards[uint64(generation)*0x9e3779b97f4a7c15>>(64-4)]
}

// halves forgets what was not asked for while as many others came as it keeps at most in a half.
type halves[K comparable] struct{ young, old map[K]*state }

func (h *halves[K]) get(key K, limit int) *state {
	if s := h.young[key]; s != nil {
		return s
	}
	s := h.old[key]
	if s != nil {
		h.put(key, s, limit)
	}
	return s
}

func (h *halves[K]) put(key K, s *state, limit int) {
	if h.young == nil || len(h.young) >= limit {
		h.young, h.old = map[K]*state{}, h.young
	}
	h.young[key] = s
}

// expect sets how many states are kept for a number of nodes.
func (c *states) expect(nodes int) {
	c.limit.Store(int64(min(max(perNode*nodes, fewStates), manyStates)))
}

func (c *states) get(generation int64) *state {
	s := c.shard(generation)
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.now.get(generation, c.share())
}

func (c *states) put(generation int64, made *state) {
	s := c.shard(generation)
	s.mu.Lock()
	s.now.put(generation, made, c.share())
	s.mu.Unlock()
	c.mu.Lock()
	c.last.put(made.of.info.Name(), made, int(c.limit.Load()))
	c.mu.Unlock()
}

// share is what one shard keeps.
func (c *states) share() int { return int(c.limit.Load()) / shards }

func (c *states) lastOf(name string) *state {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.last.get(name, int(c.limit.Load()))
}

// len is how many states are kept.
func (c *states) len() (n int) {
	for i := range c.shards {
		s := &c.shards[i]
		s.mu.Lock()
		n += len(s.now.young) + len(s.now.old)
		s.mu.Unlock()
	}
	return n
}

// state is what is taken of a node. One that has no generation is not kept.
func (p *Plugin) state(ctx context.Context, node fwk.NodeInfo, object *corev1.Node) *state {
	generation := node.GetGeneration()
	if generation > 0 {
		if s := p.states.get(generation); s != nil {
			return s
		}
	}
	s := p.make(ctx, object, podsOf(node))
	if generation > 0 {
		p.states.put(generation, s)
	}
	return s
}

// make makes a state, from the last one of the node's name if that leads to it.
func (p *Plugin) make(ctx context.Context, object *corev1.Node, pods []*corev1.Pod) *state {
	var d *described
	if last := p.states.lastOf(object.Name); last != nil && last.of.facts.of(object) {
		d = last.of
		if len(pods) == len(last.pods)+1 && samePods(last.pods, pods) {
			if s := p.with(last, pods); s != nil {
				return s
			}
		}
	}
	if d == nil {
		info, problems := p.options.describe(p.set, object)
		d = p.newDescribed(object, info)
		if len(problems) > 0 {
			klog.FromContext(ctx).V(2).Info("Devices of the node cannot be read in full",
				"node", klog.KObj(object), "problems", texts(problems))
		}
	}
	if len(pods) == 0 {
		return d.empty
	}
	return p.replayed(d, pods)
}
