package simulate

import (
	"cmp"
	"fmt"
	"slices"

	corev1 "k8s.io/api/core/v1"

	"github.com/accelfit/accelfit/device"
	"github.com/accelfit/accelfit/usage"
	"github.com/accelfit/accelfit/vendors"
)

// NodeGroup is a group of equal nodes that can grow.
type NodeGroup struct {
	Name     string
	Template Template
	Price    float64 // of one node, in any unit; used by LeastPrice
	MaxNew   int     // nodes it can still add; 0: any number, negative: none
}

// Strategy ranks the node groups that would help.
type Strategy string

// The strategies. Equal groups are told apart by the pods they serve (more is better), then by name.
const (
	LeastWaste Strategy = "least-waste" // the smallest share of new device memory left unused
	MostPods   Strategy = "most-pods"   // the most pods served
	LeastPrice Strategy = "price"       // the lowest price for each pod served
	LeastNodes Strategy = "least-nodes" // the fewest new nodes for each pod served
)

// Strategies lists all strategies.
func Strategies() []Strategy { return []Strategy{LeastWaste, MostPods, LeastPrice, LeastNodes} }

// ParseStrategy reads the name of a strategy.
func ParseStrategy(name string) (Strategy, error) {
	if s := Strategy(name); slices.Contains(Strategies(), s) {
		return s, nil
	}
	return "", fmt.Errorf("strategy %q: want one of %v", name, Strategies())
}

// Plan is which groups to grow, by how many nodes.
type Plan struct {
	Steps    []PlanStep
	Unplaced []Unhelped // pods that no group would serve
	Quotas   usage.Quotas
	Problems []device.Problem
}

// PlanStep is one group that grows.
type PlanStep struct {
	Group string
	Estimated
	Waste float64 // share of the new nodes' device memory left unused, 0 to 1
	Price float64 // of the new nodes
}

// Unhelped is a pod that no group would serve, with the reason of each group.
type Unhelped struct {
	Pod    *corev1.Pod
	Groups []Unplaced // in the order of the groups
}

// ScaleUp plans which node groups to grow for pods that have no place. It estimates every group for all pods, grows the one
// that the strategy ranks first, and goes on with the pods that are left until none can be helped. Limits.MaxNodes bounds
// all groups together, NodeGroup.MaxNew each. No two new nodes have one name, also where groups have templates of one name.
// The same input gives the same answer.
func ScaleUp(set *vendors.Set, groups []NodeGroup, pods []*corev1.Pod, strategy Strategy, limits Limits) Plan {
	plan := Plan{Quotas: limits.Quotas}
	grown := make([]int, len(groups))
	named := map[string]int{} // nodes added so far, by the name of their template's node
	most, total := limits.MaxNodes, 0
	for len(pods) > 0 {
		limits.Quotas = plan.Quotas
		options := make([]PlanStep, len(groups))
		best := -1
		for i := range groups {
			limits.MaxNodes = tighter(left(groups[i].MaxNew, grown[i]), left(most, total))
			options[i] = option(set, &groups[i], pods, limits, named[groups[i].Template.Node.Name])
			if len(plan.Steps) == 0 {
				plan.Problems = append(plan.Problems, options[i].Problems...)
			}
			if len(options[i].Nodes) > 0 && (best < 0 || better(strategy, &options[i], &options[best])) {
				best = i
			}
		}
		if best < 0 {
			plan.Unplaced = unhelped(pods, options)
			break
		}
		step := options[best]
		plan.Steps = append(plan.Steps, step)
		plan.Quotas = step.Quotas
		grown[best] += len(step.Nodes)
		named[groups[best].Template.Node.Name] += len(step.Nodes)
		total += len(step.Nodes)
		pods = unserved(pods, &step)
	}
	return plan
}

// option is what growing one group would bring.
func option(set *vendors.Set, g *NodeGroup, pods []*corev1.Pod, limits Limits, first int) PlanStep {
	step := PlanStep{Group: g.Name, Estimated: estimate(set, g.Template, pods, limits, first)}
	step.Waste = waste(step.Nodes)
	step.Price = g.Price * float64(len(step.Nodes))
	return step
}

// left is what remains of a limit after n nodes; limits read as Limits.MaxNodes.
func left(limit, n int) int {
	switch {
	case limit == 0:
		return 0
	case limit <= n:
		return -1
	}
	return limit - n
}

// tighter is the lower of two limits; limits read as Limits.MaxNodes.
func tighter(a, b int) int {
	if a == 0 || b != 0 && b < a {
		return b
	}
	return a
}

func waste(nodes []NewNode) float64 {
	var used, have float64
	for i := range nodes {
		u, h := nodes[i].Usage.Sums()
		used, have = used+float64(u.Memory), have+float64(h.Memory)
	}
	if have == 0 {
		return 0
	}
	return 1 - used/have
}

func served(s *PlanStep) int {
	n := 0
	for i := range s.Nodes {
		n += len(s.Nodes[i].Pods)
	}
	return n
}

func better(strategy Strategy, a, b *PlanStep) bool {
	pods := func(s *PlanStep) float64 { return float64(served(s)) }
	c := 0
	switch strategy {
	case LeastWaste:
		c = cmp.Compare(a.Waste, b.Waste)
	case LeastPrice:
		c = cmp.Compare(a.Price/pods(a), b.Price/pods(b))
	case LeastNodes:
		c = cmp.Compare(float64(len(a.Nodes))/pods(a), float64(len(b.Nodes))/pods(b))
	}
	return cmp.Or(c, cmp.Compare(pods(b), pods(a)), cmp.Compare(a.Group, b.Group)) < 0
}

// unserved is the pods that a step does not serve, in their order. One pod may stand for several equal ones: it is counted.
func unserved(pods []*corev1.Pod, s *PlanStep) []*corev1.Pod {
	done := map[*corev1.Pod]int{}
	for i := range s.Nodes {
		for _, p := range s.Nodes[i].Pods {
			done[p]++
		}
	}
	var out []*corev1.Pod
	for _, p := range pods {
		if done[p] > 0 {
			done[p]--
			continue
		}
		out = append(out, p)
	}
	return out
}

func unhelped(pods []*corev1.Pod, options []PlanStep) []Unhelped {
	out := make([]Unhelped, len(pods))
	why := make([]map[*corev1.Pod]Unplaced, len(options))
	for i := range options {
		why[i] = map[*corev1.Pod]Unplaced{}
		for _, u := range options[i].Unplaced {
			why[i][u.Pod] = u
		}
	}
	for i, pod := range pods {
		out[i].Pod = pod
		for k := range options {
			out[i].Groups = append(out[i].Groups, why[k][pod])
		}
	}
	return out
}

// PlaceAll places as many of the pods as fit on the snapshot's nodes, the most demanding first, each as PlaceAnywhere does,
// and returns the rest in the same order: pods whose request is invalid, or that are placed already, with Err set. Only the
// rest has reasons.
func (s *Snapshot) PlaceAll(pods []*corev1.Pod, o PlaceOptions) (placed []Placed, rest []Placed) {
	largest := device.NewNodeInfo("")
	for _, n := range s.nodes.All() {
		if n.usage.Info().Len() > largest.Len() {
			largest = n.usage.Info()
		}
	}
	for _, p := range queue(s.set, pods, largest) {
		result, err := s.PlaceAnywhere(p.pod, o)
		if err == nil && result.OK() {
			result.Refused = nil
			placed = append(placed, Placed{p.pod, result, nil})
		} else {
			rest = append(rest, Placed{p.pod, result, err})
		}
	}
	return placed, rest
}

// Placed is a pod with what came of placing it.
type Placed struct {
	Pod *corev1.Pod
	Result
	Err error
}
