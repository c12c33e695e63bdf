package simulate

import (
	"math"
	"slices"

	corev1 "k8s.io/api/core/v1"

	"github.com/accelfit/accelfit/device"
	"github.com/accelfit/accelfit/usage"
	"github.com/accelfit/accelfit/vendors"
)

// Limits bound an estimate. The zero value bounds nothing.
type Limits struct {
	// MaxNodes is the largest number of new nodes; 0: any number, negative: none.
	MaxNodes int

	// Allow says why a pod must not be put on a new node that holds the given pods already, those of the template first,
	// or nil: everything that is not a device. It must not change its arguments, nor keep on.
	Allow func(pod *corev1.Pod, node *corev1.Node, on []*corev1.Pod) error

	// Quotas are the limits of namespaces, with what is taken of them; the zero value limits nothing.
	Quotas usage.Quotas

	// Progress is told, now and then, how many pods were tried; nil: nobody.
	Progress func(done, all int)
}

// Estimated is the answer of Estimate.
type Estimated struct {
	Nodes      []NewNode
	Unplaced   []Unplaced // most demanding first
	LowerBound int        // nodes that the placed pods need by the sum of what they ask; never more than len(Nodes)
	Problems   []device.Problem
	Fits       int          // fit evaluations made
	Quotas     usage.Quotas // Limits.Quotas with the placed pods counted
}

// NewNode is a node that the estimate adds, with the pods it is for in the order they were placed.
type NewNode struct {
	Name   string
	Object *corev1.Node // its annotations are the sample's; Usage is what counts
	Usage  *device.NodeUsage
	Pods   []*corev1.Pod
	Placed []*device.Allocation // of Pods

	on []*corev1.Pod // the template's pods and Pods
}

// Unplaced is a pod that no new node would serve.
type Unplaced struct {
	Pod     *corev1.Pod
	Err     error          // the request is invalid, or Allow refuses an empty new node
	Reasons device.Reasons // why an empty new node does not serve
	Limit   bool           // a new node would serve, but MaxNodes is reached
}

// Estimate tells how many new nodes of a template the given pods need, and who goes where: first fit decreasing, the most
// demanding pod first, each on the first new node that serves, a further node only when none does. The same input gives the
// same answer. Cost: at most one fit for each distinct pod shape and state of a node.
func Estimate(set *vendors.Set, template Template, pods []*corev1.Pod, limits Limits) Estimated {
	return estimate(set, template, pods, limits, 0)
}

// estimate is Estimate with the number of the first new node.
func estimate(set *vendors.Set, template Template, pods []*corev1.Pod, limits Limits, first int) Estimated {
	e := estimator{set: set, template: template, limits: limits, first: first}
	e.out.Quotas = limits.Quotas
	e.out.Problems = e.provide()
	e.info = e.next.usage.Info()
	waiting := queue(set, pods, e.info)
	for i := range waiting {
		if limits.Progress != nil && i%64 == 0 {
			limits.Progress(i, len(waiting))
		}
		e.place(&waiting[i])
	}
	e.out.LowerBound = e.bound()
	return e.out
}

type estimator struct {
	set      *vendors.Set
	template Template
	limits   Limits
	first    int              // number of the first new node
	info     *device.NodeInfo // of any new node
	next     *node            // the new node that would be added next; empty but for the template's pods
	refused  map[refusalKey]device.Reasons
	placed   []*vendors.Request
	out      Estimated
}

// refusalKey remembers that a pod shape does not fit a node's state. Usage is immutable, so its pointer tells the state.
type refusalKey struct {
	shape string
	state *device.NodeUsage
}

func (e *estimator) place(p *pending) {
	if p.err != nil {
		e.out.Unplaced = append(e.out.Unplaced, Unplaced{Pod: p.pod, Err: p.err})
		return
	}
	headroom := e.out.Quotas.Headroom(p.request.Namespace)
	r := p.request
	if headroom != nil {
		r = r.WithQuota(headroom)
	}
	for i := range e.out.Nodes {
		n := &e.out.Nodes[i]
		if fit := e.fit(r, headroom == nil, n.Usage); fit.OK() && e.allowed(p.pod, n.Object, n.on) == nil {
			e.enter(n, p, fit)
			return
		}
	}
	fit := e.fit(r, headroom == nil, e.next.usage)
	failed := Unplaced{Pod: p.pod, Reasons: fit.Reasons}
	if fit.OK() {
		failed.Err = e.allowed(p.pod, e.next.object, e.template.Pods)
		failed.Limit = failed.Err == nil && e.limits.MaxNodes != 0 && len(e.out.Nodes) >= e.limits.MaxNodes
	}
	if !fit.OK() || failed.Err != nil || failed.Limit {
		e.out.Unplaced = append(e.out.Unplaced, failed)
		return
	}
	e.enter(e.grow(), p, fit)
}

// fit evaluates a shape on a state unless it is known not to fit there.
func (e *estimator) fit(r *vendors.Request, remember bool, state *device.NodeUsage) vendors.Fit {
	k := refusalKey{r.Shape(), state}
	if why, known := e.refused[k]; known && remember {
		return vendors.Fit{Reasons: why}
	}
	e.out.Fits++
	fit := e.set.Fit(r, state)
	if !fit.OK() && remember {
		if e.refused == nil {
			e.refused = map[refusalKey]device.Reasons{}
		}
		e.refused[k] = fit.Reasons
	}
	return fit
}

func (e *estimator) allowed(pod *corev1.Pod, node *corev1.Node, on []*corev1.Pod) error {
	if e.limits.Allow == nil {
		return nil
	}
	return e.limits.Allow(pod, node, on)
}

// provide makes the next new node.
func (e *estimator) provide() []device.Problem {
	var problems []device.Problem
	e.next, problems = e.template.instantiate(e.set, newName(e.template.Node.Name, e.first+len(e.out.Nodes)))
	return problems
}

// grow adds the next new node.
func (e *estimator) grow() *NewNode {
	e.out.Nodes = append(e.out.Nodes, NewNode{Name: e.next.object.Name, Object: e.next.object, Usage: e.next.usage, on: slices.Clone(e.template.Pods)})
	e.provide()
	return &e.out.Nodes[len(e.out.Nodes)-1]
}

func (e *estimator) enter(n *NewNode, p *pending, fit vendors.Fit) {
	n.Usage = n.Usage.With(fit.Allocation)
	n.Pods, n.on = append(n.Pods, p.pod), append(n.on, p.pod)
	n.Placed = append(n.Placed, fit.Allocation)
	e.placed = append(e.placed, p.request)
	e.out.Quotas = e.out.Quotas.Take(p.request.Namespace, fit.Allocation, n.Usage.Info())
}

// bound is the number of nodes the placed pods need if devices could be divided at will.
func (e *estimator) bound() int {
	if len(e.placed) == 0 {
		return 0
	}
	sums := map[device.Vendor]demand{}
	for _, r := range e.placed {
		for v, d := range byVendor(r, e.info) {
			sums[v] = sums[v].add(d)
		}
	}
	return min(len(e.out.Nodes), max(1, int(math.Ceil(share(sums, e.info)-1e-9))))
}
