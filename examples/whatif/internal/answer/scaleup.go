package answer

import (
	"fmt"
	"slices"

	corev1 "k8s.io/api/core/v1"

	"github.com/accelfit/accelfit/examples/whatif/internal/problem"
	"github.com/accelfit/accelfit/simulate"
	"github.com/accelfit/accelfit/usage"
)

// ScaleUp is the answer of "whatif scaleup": which node groups to grow for the pending pods.
type ScaleUp struct {
	Summary  string      `json:"summary"`
	Fits     bool        `json:"fits"`    // every pending pod has a place
	Pending  int         `json:"pending"` // pods
	Strategy string      `json:"strategy"`
	Groups   []Group     `json:"groups"`   // that could grow
	Live     []Placement `json:"live"`     // pods that fit on live nodes, the most demanding first
	Steps    []Step      `json:"steps"`    // groups that grow
	Unplaced []Unplaced  `json:"unplaced"` // pods that no group helps
	Remarks
}

// Step is one group that grows.
type Step struct {
	Group      string    `json:"group"` // name of one of ScaleUp.Groups
	NewNodes   int       `json:"newNodes"`
	LowerBound int       `json:"lowerBound"` // nodes the pods need by the sum of what they ask of devices
	Waste      float64   `json:"waste"`      // share of the new nodes' device memory left unused, 0 to 1
	Price      float64   `json:"price,omitempty"`
	Nodes      []NewNode `json:"nodes"`
}

// NewNode is a node to be added, with the pods it is for.
type NewNode struct {
	Name string      `json:"name"`
	Pods []Placement `json:"pods"`

	// Devices are the node's, with what its pods take of them; for pictures, no part of the JSON form.
	Devices []DeviceRow `json:"-"`
}

// Unplaced is a pod that has no place, and why.
type Unplaced struct {
	Pod     string    `json:"pod"`
	Invalid string    `json:"invalid,omitempty"` // why it fits nowhere, whatever the nodes
	Live    []Refused `json:"live"`              // why live nodes do not serve
	Groups  []Refused `json:"groups"`            // why new nodes of the groups do not
}

// ScaleUp plans which groups to grow for the pods that wait.
func (w *World) ScaleUp(specs []GroupSpec, strategy simulate.Strategy, known []problem.Problem) (*ScaleUp, error) {
	p := planner{w: w, s: w.stack(), problems: slices.Clone(known)}
	p.out = &ScaleUp{
		Strategy: string(strategy), Groups: []Group{}, Live: []Placement{}, Steps: []Step{}, Unplaced: []Unplaced{},
	}
	for i := range specs {
		if err := p.addGroup(&specs[i]); err != nil {
			return nil, err
		}
	}
	p.problems = append(p.problems, w.unused(p.groups)...)
	p.live(w.waiting())
	p.grow(strategy)
	p.finish()
	return p.out, nil
}

// planner gathers a ScaleUp answer.
type planner struct {
	w        *World
	s        *stack
	groups   []simulate.NodeGroup
	rest     []*corev1.Pod // that do not fit on live nodes
	problems []problem.Problem
	out      *ScaleUp
}

// live places what fits on live nodes.
func (p *planner) live(pods []*corev1.Pod) {
	p.out.Pending = len(pods)
	var ready []*corev1.Pod
	for _, pod := range pods {
		a := p.w.ask(pod)
		p.problems = append(p.problems, a.problems...)
		if a.invalid == nil {
			a.invalid = gated(pod)
		}
		if a.invalid != nil {
			p.unplaced(Unplaced{Pod: podName(pod), Invalid: a.invalid.Error()})
			continue
		}
		ready = append(ready, a.pod)
	}
	o := simulate.PlaceOptions{Fit: p.w.fit, Allow: p.s.allow, Placed: p.s.placed, Brief: true}
	if tell := p.w.options.Progress; tell != nil {
		o.Progress = func(done, all int) { tell("live nodes", done, all) }
	}
	placed, rest := p.s.snapshot.PlaceAll(ready, o)
	for _, x := range placed {
		q := Placement{Pod: podName(x.Pod), Devices: []Granted{}, Refused: []Refused{}}
		p.w.grant(&q, x.Pod, x.Node, x.Allocation)
		p.out.Live = append(p.out.Live, q)
	}
	for _, x := range rest {
		if x.Err != nil {
			p.unplaced(Unplaced{Pod: podName(x.Pod), Invalid: x.Err.Error()})
			continue
		}
		p.rest = append(p.rest, x.Pod)
	}
}

func (p *planner) unplaced(u Unplaced) {
	if u.Live == nil {
		u.Live = []Refused{}
	}
	if u.Groups == nil {
		u.Groups = []Refused{}
	}
	p.out.Unplaced = append(p.out.Unplaced, u)
}

// refused says why live nodes do not serve a pod.
func (p *planner) refused(pod *corev1.Pod) []Refused {
	result, err := p.s.snapshot.Fork().PlaceAnywhere(pod, simulate.PlaceOptions{Fit: p.w.fit, Allow: p.s.allow})
	if err != nil {
		return nil
	}
	return refused(result.Refused)
}

// allow judges what is not a device on a new node.
func (p *planner) allow(pod *corev1.Pod, node *corev1.Node, on []*corev1.Pod) error {
	if found := p.w.rules.Broken(pod, node, p.w.rules.Sum(on...)); len(found) > 0 {
		return found
	}
	return nil
}

// grow plans new nodes for the rest.
func (p *planner) grow(strategy simulate.Strategy) {
	limits := simulate.Limits{Fit: p.w.fitNew, Allow: p.allow, Quotas: p.s.snapshot.Quotas()}
	if tell := p.w.options.Progress; tell != nil {
		limits.Progress = func(done, all int) { tell("new nodes", done, all) }
	}
	plan := simulate.ScaleUp(p.w.set, p.groups, p.rest, strategy, limits)
	for i := range plan.Steps {
		p.out.Steps = append(p.out.Steps, p.w.step(&plan.Steps[i]))
	}
	for _, u := range plan.Unplaced {
		var groups refusals
		for i, g := range u.Groups {
			groups.add(p.groups[i].Name, whyUnplaced(g))
		}
		p.unplaced(Unplaced{Pod: podName(u.Pod), Live: p.refused(u.Pod), Groups: groups.list()})
	}
	for _, d := range plan.Problems {
		p.problems = append(p.problems, problem.From(d.Object, d.Err, "it on new nodes")...)
	}
}

func (w *World) step(s *simulate.PlanStep) Step {
	out := Step{Group: s.Group, NewNodes: len(s.Nodes), LowerBound: s.LowerBound, Waste: s.Waste, Price: s.Price}
	for _, n := range s.Nodes {
		node := NewNode{Name: n.Name, Pods: []Placement{}, Devices: w.deviceRows(n.Usage, holders(held(&n)))}
		for i, pod := range n.Pods {
			node.Pods = append(node.Pods, Placement{
				Pod: podName(pod), Node: n.Name, Devices: w.granted(pod, n.Placed[i]), Refused: []Refused{},
			})
		}
		out.Nodes = append(out.Nodes, node)
	}
	return out
}

// held is what the pods hold that a new node is for.
func held(n *simulate.NewNode) []usage.Holding {
	out := make([]usage.Holding, len(n.Pods))
	for i, pod := range n.Pods {
		out[i] = usage.Holding{Namespace: pod.Namespace, Name: pod.Name, Allocation: n.Placed[i]}
	}
	return out
}

func whyUnplaced(u simulate.Unplaced) string {
	switch {
	case u.Limit:
		return "would serve, but the group's limit of new nodes is reached"
	case u.Err != nil:
		return u.Err.Error()
	}
	return u.Reasons.Detail()
}

// finish writes the sentence.
func (p *planner) finish() {
	o := p.out
	grown, nodes := 0, 0
	for _, s := range o.Steps {
		nodes += s.NewNodes
		for _, n := range s.Nodes {
			grown += len(n.Pods)
		}
	}
	o.Fits = len(o.Unplaced) == 0
	o.Summary = fmt.Sprintf("%s: %d fit on live nodes, %d on %s, %d nowhere.",
		plural(o.Pending, "pending pod"), len(o.Live), grown, plural(nodes, "new node"), len(o.Unplaced))
	if o.Pending == 0 {
		o.Summary = "No pod is pending without a node."
	}
	o.Remarks = p.w.remarks(p.problems)
}
