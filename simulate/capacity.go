package simulate

import (
	corev1 "k8s.io/api/core/v1"

	"github.com/accelfit/accelfit/usage"
	"github.com/accelfit/accelfit/vendors"
)

// DefaultMaxPerNode is how many pods are counted on a node where [CapacityOptions] say nothing else.
const DefaultMaxPerNode = 1024

// CapacityOptions narrow the question how many more pods fit. The zero value asks about devices only.
type CapacityOptions struct {
	Fit   vendors.FitOptions // of every pod
	Allow AllowFunc          // nil: only devices matter

	// MaxPerNode is where counting stops on a node; 0 and less: DefaultMaxPerNode.
	MaxPerNode int
}

// Capacity is how many more pods like a given one fit.
type Capacity struct {
	// Nodes has every node, by name. Each is counted as if it were the only one.
	Nodes []NodeCapacity

	// Total is how many fit on all nodes together: the sum of Nodes, or less where the namespace's quota ends before the
	// devices do. Nodes are then filled in the order of their names.
	Total int

	// Quota says that the quota is why Total is less than the sum.
	Quota bool

	// Capped says that counting stopped at MaxPerNode on some node: more may fit.
	Capped bool
}

// NodeCapacity is how many more pods fit on one node.
type NodeCapacity struct {
	Node   string
	Pods   int
	Capped bool    // counting stopped at MaxPerNode
	Last   Refusal // why not one more; zero where Capped
}

// Capacity tells how many more pods like the given one fit on each node and on all, each placed as Place would place it. The
// pod may be in the snapshot: what it holds counts as taken. Nothing is placed. The error is an invalid request, or [ErrNil].
// Cost: one fit for each pod counted and one more, for each state of a node; for each node where Allow is asked, where a quota
// limits what the pod asks for (twice then), where it names devices, and under options with functions and no Key.
func (s *Snapshot) Capacity(pod *corev1.Pod, o CapacityOptions) (Capacity, error) {
	r, err := s.read(pod)
	if err != nil {
		return Capacity{}, err
	}
	if o.MaxPerNode <= 0 {
		o.MaxPerNode = DefaultMaxPerNode
	}
	r = r.With(o.Fit)
	limited := s.limited(r) != r
	c := counter{snapshot: s, pod: pod, asked: s.memo.ask(r, limited), limited: limited, options: o, known: map[*nodeState]NodeCapacity{}}
	out := Capacity{Nodes: make([]NodeCapacity, 0, s.nodes.Len())}
	sum := 0
	for _, n := range s.nodes.All() {
		one := c.alone(n)
		out.Nodes = append(out.Nodes, one)
		out.Capped = out.Capped || one.Capped
		sum += one.Pods
	}
	out.Total = sum
	if limited {
		out.Total = c.fill()
		out.Quota = out.Total < sum
	}
	return out, nil
}

// counter counts pods of one kind.
type counter struct {
	snapshot *Snapshot
	pod      *corev1.Pod
	asked
	limited bool // the namespace may not take any amount of what is asked for
	options CapacityOptions
	known   map[*nodeState]NodeCapacity // of some node in a state
}

// alone counts pods on a node as if there were no other. Nodes in equal states are counted once.
func (c *counter) alone(n *node) NodeCapacity {
	if c.shape == 0 || c.options.Allow != nil {
		out, _ := c.count(n, c.snapshot.quotas)
		return out
	}
	state := c.snapshot.memo.state(n, c.snapshot.Len())
	out, known := c.known[state]
	if !known {
		out, _ = c.count(n, c.snapshot.quotas)
		c.known[state] = out
	}
	out.Node = n.object.Name
	if !out.Capped {
		out.Last.Node = out.Node
	}
	return out
}

// count puts pods on a node until one does not fit. It returns the quotas with those that did.
func (c *counter) count(n *node, quotas usage.Quotas) (NodeCapacity, usage.Quotas) {
	out := NodeCapacity{Node: n.object.Name}
	if c.Empty() && c.options.Allow == nil { // nothing would ever refuse one more
		out.Pods, out.Capped = c.options.MaxPerNode, true
		return out, quotas
	}
	u, since := n.usage, Change{}
	for {
		r := c.Request
		if c.limited {
			r = r.WithQuota(quotas.Headroom(r.Namespace))
		}
		fit, refused := c.snapshot.try(r, c.pod, n, u, c.options.Allow, since)
		if !fit.OK() {
			out.Last = refused
			return out, quotas
		}
		if out.Pods == c.options.MaxPerNode {
			out.Capped = true
			return out, quotas
		}
		out.Pods++
		u = u.With(fit.Allocation)
		quotas = quotas.Take(r.Namespace, fit.Allocation, u.Info())
		if c.options.Allow != nil {
			since.Added = append(since.Added, c.pod)
		}
	}
}

// fill counts on all nodes together, under the quotas.
func (c *counter) fill() int {
	total, quotas := 0, c.snapshot.quotas
	for _, n := range c.snapshot.nodes.All() {
		var one NodeCapacity
		one, quotas = c.count(n, quotas)
		total += one.Pods
	}
	return total
}
