package answer

import (
	"fmt"

	corev1 "k8s.io/api/core/v1"

	"github.com/accelfit/accelfit/examples/whatif/internal/nondevice"
	"github.com/accelfit/accelfit/examples/whatif/internal/problem"
	"github.com/accelfit/accelfit/simulate"
)

// Capacity is the answer of "whatif capacity": how many more pods like some fit.
type Capacity struct {
	Summary string         `json:"summary"`
	Fits    bool           `json:"fits"` // one more of each kind at least
	Kinds   []KindCapacity `json:"kinds"`
	Remarks
}

// KindCapacity is how many more pods of one kind fit, each kind by itself.
type KindCapacity struct {
	Pod     string         `json:"pod"`               // the first of the kind
	Like    []string       `json:"like"`              // pending pods that ask for the same
	Invalid string         `json:"invalid,omitempty"` // why it fits nowhere, whatever the nodes
	Asks    []Ask          `json:"asks"`
	Total   int            `json:"total"`            // on all nodes together
	Quota   bool           `json:"quota,omitempty"`  // the namespace's quota ends before the nodes do
	Capped  bool           `json:"capped,omitempty"` // more fit than are counted
	Nodes   []NodeCapacity `json:"nodes"`            // that take some
	Refused []Refused      `json:"refused"`          // why the others take none
}

// NodeCapacity is how many more fit on one node by itself.
type NodeCapacity struct {
	Node   string `json:"node"`
	Pods   int    `json:"pods"`
	Capped bool   `json:"capped,omitempty"` // more fit than are counted
	Last   string `json:"last,omitempty"`   // why not one more
}

// Capacity tells how many more pods fit that are like the named ones, or like those that wait: each kind of them once.
func (w *World) Capacity(names ...string) (*Capacity, error) {
	if err := w.needNodes(); err != nil {
		return nil, err
	}
	pods := w.waiting()
	if len(names) > 0 {
		pods = nil
	}
	for _, name := range names {
		pod, err := w.pod(name)
		if err != nil {
			return nil, err
		}
		pods = append(pods, pod)
	}
	out := &Capacity{Fits: true, Kinds: []KindCapacity{}}
	var problems []problem.Problem
	kinds := map[string]int{}
	for _, pod := range pods {
		a := w.ask(pod)
		problems = append(problems, a.problems...)
		key := w.kindOf(a)
		if i, known := kinds[key]; known && key != "" {
			out.Kinds[i].Like = append(out.Kinds[i].Like, podName(pod))
			continue
		}
		kinds[key] = len(out.Kinds)
		k, err := w.capacity(a)
		if err != nil {
			return nil, err
		}
		out.Fits = out.Fits && k.Total > 0
		out.Kinds = append(out.Kinds, k)
	}
	out.Summary = fmt.Sprintf("How many more pods fit, each of %s by itself.", plural(len(out.Kinds), "kind"))
	if len(out.Kinds) == 0 {
		out.Summary = "No pod is pending without a node."
	}
	out.Remarks = w.remarks(problems)
	return out, nil
}

// kindOf is the same for pods that fit alike, for all that this tool looks at; empty: nothing is known to be alike.
func (w *World) kindOf(a asked) string {
	if a.invalid != nil || a.request.Shape() == "" {
		return ""
	}
	p := a.pod.Spec
	return fmt.Sprint(a.request.Shape(), a.pod.Namespace, w.rules.Requests(a.pod), p.NodeSelector, p.Affinity.String(), p.Tolerations)
}

func (w *World) capacity(a asked) (KindCapacity, error) {
	out := KindCapacity{Pod: podName(a.pod), Like: []string{}, Asks: []Ask{}, Nodes: []NodeCapacity{}, Refused: []Refused{}}
	if a.invalid != nil {
		out.Invalid = a.invalid.Error()
		return out, nil
	}
	out.Asks = w.asks(a)
	counting := counting{w: w}
	c, err := w.snapshot.Capacity(a.pod, simulate.CapacityOptions{Fit: w.fit, Allow: counting.allow})
	if err != nil {
		return out, err
	}
	out.Total, out.Quota, out.Capped = c.Total, c.Quota, c.Capped
	var none []simulate.Refusal
	for _, n := range c.Nodes {
		if n.Pods == 0 && !n.Capped {
			none = append(none, n.Last)
			continue
		}
		row := NodeCapacity{Node: n.Node, Pods: n.Pods, Capped: n.Capped}
		if !n.Capped {
			row.Last = why(n.Last)
		}
		out.Nodes = append(out.Nodes, row)
	}
	out.Refused = refused(none)
	return out, nil
}

// counting judges what is not a device while pods of one kind are counted on nodes: what they take is added up as they come.
type counting struct {
	w     *World
	node  string
	n     int // pods counted
	taken nondevice.Taken
}

func (c *counting) allow(pod *corev1.Pod, node *corev1.Node, since simulate.Change) error {
	if n := len(since.Added); c.node != node.Name || n < c.n {
		c.node, c.n, c.taken = node.Name, 0, c.w.taken[node.Name]
	}
	for ; c.n < len(since.Added); c.n++ {
		c.taken = c.w.rules.Plus(c.taken, pod)
	}
	return c.w.broken(pod, node, c.taken)
}

// broken is the rules that a node breaks for a pod, or nil.
func (w *World) broken(pod *corev1.Pod, node *corev1.Node, taken nondevice.Taken) error {
	if found := w.rules.Broken(pod, node, taken); len(found) > 0 {
		return found
	}
	return nil
}
