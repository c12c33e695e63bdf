package simulate

import (
	corev1 "k8s.io/api/core/v1"

	"github.com/accelfit/accelfit/device"
	"github.com/accelfit/accelfit/usage"
	"github.com/accelfit/accelfit/vendors"
)

// Limits bound an estimate. The zero value bounds nothing.
type Limits struct {
	// MaxNodes is the largest number of new nodes; 0: any number, negative: none.
	MaxNodes int

	// Fit is what the caller asks of the fit of a pod beside the pod; the zero value: nothing. Template.Pods are placed without
	// it. Options with functions and no Key cost a fit for every pod and node.
	Fit vendors.FitOptions

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
	Nodes    []NewNode
	Unplaced []Unplaced // most demanding first

	// LowerBound is how many nodes the placed pods need at least, by the sum of what they take of devices; never more than
	// len(Nodes). It counts only what the vendors' rules hold pods to, and of that the least that a placement takes.
	LowerBound int

	// Optimal says that the placed pods are proven to need all the nodes: there are as many as LowerBound. Otherwise fewer might
	// do, or not.
	Optimal bool

	Spare    []Spare // what the devices of the new nodes offer, and what is left of it, by ascending vendor word
	Problems []device.Problem
	Notes    []Note       // what is taken for granted of new nodes
	Fits     int          // fit evaluations made
	Quotas   usage.Quotas // Limits.Quotas with the placed pods counted
}

// NewNode is a node that the estimate adds, with the pods it is for in the order they were placed. Allocations and pods of
// equal nodes may share what they point to: read them only.
type NewNode struct {
	Name   string
	Object *corev1.Node // registers the devices of Usage, so that any reader of nodes finds them
	Usage  *device.NodeUsage
	Pods   []*corev1.Pod
	Placed []*device.Allocation // of Pods
}

// Unplaced is a pod that no new node would serve.
type Unplaced struct {
	Pod     *corev1.Pod
	Err     error          // the request is invalid or there is no pod (ErrNil, Pod is then an empty one), or Allow refuses an empty new node
	Reasons device.Reasons // why an empty new node does not serve
	Limit   bool           // a new node would serve, but MaxNodes is reached
}

// Estimate tells how many new nodes of a template the given pods need, and who goes where: first fit decreasing, the most
// demanding pod first, each on the first new node that serves, a further node only when none does. A pod is as demanding as
// the largest part that it takes of anything a new node has: slots, memory or cores of any vendor. The same input gives the
// same answer. Cost: at most one fit for each distinct pod shape and state of a node; pods that name devices, and options with
// functions, cost a fit for each node. Memory: the answer, and a bounded number of states.
func Estimate(set *vendors.Set, template Template, pods []*corev1.Pod, limits Limits) Estimated {
	p := newPacker(set, &template, parse(set, pods, limits.Fit), 0)
	return p.pack(limits, 0, nil).estimated()
}
