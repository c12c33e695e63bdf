package simulate

import (
	"cmp"
	"fmt"
	"math"
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
	Price    float64 // of one node, in any unit; used by LeastPrice; NaN: not known, which comes last
	MaxNew   int     // nodes it can still add; 0: any number, negative: none
}

func (g *NodeGroup) price() float64 {
	if math.IsNaN(g.Price) {
		return math.Inf(1)
	}
	return g.Price
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
	Notes    []Note // what is taken for granted of the new nodes of all groups
	Fits     int    // fit evaluations made for all groups
}

// PlanStep is one group that grows.
type PlanStep struct {
	Group string

	// Estimated is without Unplaced: what becomes of the pods that this group does not serve is told by the steps behind, and by
	// Plan.Unplaced.
	Estimated
	Waste float64 // share of the new nodes' device memory left unused, 0 to 1; Spare has the rest
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
// The same input gives the same answer. Cost: for each step and group that of [Estimate], but for fits, of which each is made
// once for each group, and for the new nodes themselves, which are made for the groups that grow.
func ScaleUp(set *vendors.Set, groups []NodeGroup, pods []*corev1.Pod, strategy Strategy, limits Limits) Plan {
	u := scaleUp{
		groups: groups, limits: limits, strategy: strategy, pods: parse(set, pods, limits.Fit),
		grown: make([]int, len(groups)), named: map[string]int{}, served: make([]bool, len(pods)), left: len(pods),
	}
	u.plan.Quotas = limits.Quotas
	if u.left == 0 {
		return u.plan
	}
	for i := range groups {
		u.packers = append(u.packers, newPacker(set, &groups[i].Template, u.pods, 0))
	}
	for u.left > 0 && u.step() {
	}
	return u.plan
}

// scaleUp is a plan in the making.
type scaleUp struct {
	groups   []NodeGroup
	limits   Limits
	strategy Strategy
	pods     *pendings
	packers  []*packer // of groups

	grown  []int          // nodes added so far, of each group
	named  map[string]int // and by the name of their template's node
	total  int
	served []bool // of pods
	left   int

	plan Plan
}

// option is what growing one group would bring.
type option struct {
	*packing
	group  int
	served int // pods
	waste  float64
	price  float64
}

// step grows the best group. If none helps, the pods that are left are told why, and it returns false.
func (u *scaleUp) step() bool {
	u.limits.Quotas = u.plan.Quotas
	var best *option
	refusing := make([]*packing, len(u.groups))
	for i := range u.groups {
		o := u.option(i)
		u.plan.Fits += o.fits
		if len(u.plan.Steps) == 0 {
			u.plan.Problems = append(u.plan.Problems, o.mould.problems...)
			u.plan.Notes = append(u.plan.Notes, o.mould.sample.notes...)
		}
		switch {
		case o.served == 0 && len(o.nodes) == 1:
			refusing[i] = o.packing
		case best == nil || u.strategy.better(o, best, u.groups):
			best = o
		}
	}
	if best == nil {
		u.plan.Unplaced = u.unhelped(refusing)
		return false
	}
	u.grow(best)
	return true
}

func (u *scaleUp) option(i int) *option {
	g, limits, most := &u.groups[i], u.limits, u.limits.MaxNodes
	limits.MaxNodes = tighter(left(g.MaxNew, u.grown[i]), left(most, u.total))
	o := &option{packing: u.packers[i].pack(limits, u.named[g.Template.sample().Name], u.served), group: i}
	o.served, o.waste, o.price = o.packing.served(), o.unused(), g.price()*float64(len(o.nodes)-1)
	return o
}

func (u *scaleUp) grow(o *option) {
	g, added := &u.groups[o.group], len(o.nodes)-1
	o.unplaced = nil
	u.plan.Steps = append(u.plan.Steps, PlanStep{Group: g.Name, Estimated: o.estimated(), Waste: o.waste, Price: o.price})
	u.plan.Quotas = o.quotas
	u.grown[o.group] += added
	u.named[g.Template.sample().Name] += added
	u.total += added
	for i := range o.nodes {
		for _, at := range o.nodes[i].pods {
			u.served[at] = true
			u.left--
		}
	}
}

// unhelped tells every pod that is left why no group helps it, in the order in which the pods were given.
func (u *scaleUp) unhelped(refusing []*packing) []Unhelped {
	out := make([]Unhelped, 0, u.left)
	at := make([]int, len(u.served)) // in out
	for _, i := range u.pods.given {
		if !u.served[i] {
			at[i] = len(out)
			out = append(out, Unhelped{Pod: u.pods.pods[i].pod, Groups: make([]Unplaced, len(u.groups))})
		}
	}
	for g, k := range refusing {
		for i := range k.unplaced {
			f := &k.unplaced[i]
			out[at[f.pod]].Groups[g] = k.unplacedPod(f)
		}
	}
	return out
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

// unused is the share of the new nodes' device memory that is left.
func (k *packing) unused() float64 {
	var used, have float64
	for i := range len(k.nodes) - 1 {
		u, h := k.nodes[i].level.usage.Sums()
		used, have = used+float64(u.Memory), have+float64(h.Memory)
	}
	if have == 0 {
		return 0
	}
	return 1 - used/have
}

// better says whether the strategy ranks option a before b.
func (s Strategy) better(a, b *option, groups []NodeGroup) bool {
	each := func(o *option, n float64) float64 { return n / float64(o.served) }
	c := 0
	switch s {
	case LeastWaste:
		c = cmp.Compare(a.waste, b.waste)
	case LeastPrice:
		c = cmp.Compare(each(a, a.price), each(b, b.price))
	case LeastNodes:
		c = cmp.Compare(each(a, float64(len(a.nodes)-1)), each(b, float64(len(b.nodes)-1)))
	}
	return cmp.Or(c, cmp.Compare(b.served, a.served), cmp.Compare(groups[a.group].Name, groups[b.group].Name)) < 0
}
