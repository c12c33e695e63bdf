package simulate

import (
	"fmt"
	"strconv"

	corev1 "k8s.io/api/core/v1"

	"github.com/accelfit/accelfit/device"
	"github.com/accelfit/accelfit/usage"
	"github.com/accelfit/accelfit/vendors"
)

// Template describes the nodes that a node group adds. It usually comes from a live node of the group, whose object carries
// that node's state; TemplateOptions say what of it a new node has. It may as well be the bare node of a cloud provider, with a
// device profile or with a label node.kubernetes.io/instance-type that a built-in profile is known for.
type Template struct {
	// Node is the sample: labels, taints, allocatable, device description. It is not changed. nil: a node without any of it, as a
	// group has that never had a node; then Profile says what it will have.
	Node *corev1.Node

	// Pods are the pods that every new node starts with, such as those of DaemonSets. They are placed on the node as if new;
	// what their annotations say counts only with KeepUsage. Limits.Fit and Limits.Allow are not asked for them: they come with
	// the node whatever the pending pods are asked for, and one that was left out would make the node look emptier than it is.
	// Where it matters which devices they get, say it with KeepUsage.
	Pods []*corev1.Pod

	// Profile says which devices new nodes have, whatever the sample says of them ([Profile.Apply]). nil: the sample's
	// description counts; where it has none, the built-in profile of its instance type ([InstanceTypeProfile]).
	Profile *Profile

	Options TemplateOptions
}

// sample is the node that new ones are made after.
func (t *Template) sample() *corev1.Node {
	if t.Node == nil {
		return &corev1.Node{}
	}
	return t.Node
}

// TemplateOptions say which state of the sample a new node has as well. The zero value is a fresh node, the same whatever
// state the sample is in: all devices healthy, not cordoned, with ids of their own, and nothing taken but by Template.Pods.
//
// Always kept is what is hardware or setup: labels, other taints and annotations, capacity, NUMA nodes, link scores, modes, MIG
// profiles. Never kept is what is the sample's own: UID, provider id, addresses, pod networks, volumes, locks, deletion and
// the taints that cluster-autoscaler announces it with.
type TemplateOptions struct {
	// KeepHealth: new nodes have the sample's unhealthy devices, conditions, taints for what is wrong with it (those of the node
	// controller and of the cloud's), handshakes, and allocatable amounts below capacity. Otherwise they are Ready, and all
	// that is managed is allocatable.
	KeepHealth bool

	// KeepCordon: devices that the sample's operator has cordoned are cordoned on new nodes, and so is the node itself.
	KeepCordon bool

	// KeepIDs: devices have the sample's ids; otherwise <node>/<id of the sample>, so that no two nodes share one. Where ids
	// follow from the name of the node ([device.Identifier]) they do so on new nodes in any case.
	KeepIDs bool

	// KeepUsage: Template.Pods hold what their annotations say they hold on the sample, MIG instances included.
	KeepUsage bool

	// NoInstanceTypes: a sample without device description and profile has no devices, whatever instance type it names.
	NoInstanceTypes bool
}

// Made is a new node of a template.
type Made struct {
	Object   *corev1.Node      // registers the devices of Usage, so that any reader of nodes finds them
	Usage    *device.NodeUsage // with what Template.Pods take
	Notes    []Note            // what is taken for granted
	Problems []device.Problem  // of the template
}

// Make makes the new node of a name, as [Estimate] does: for hosts that keep new nodes among their own. The result belongs to
// the caller and shares nothing with the template.
func (t *Template) Make(set *vendors.Set, name string) Made {
	p := t.prototype(set)
	n, problems := p.node(name)
	return Made{n.object, n.usage, p.notes, problems}
}

// node makes a new node. Template.Pods that do not fit, or cannot be read, are problems.
func (p *prototype) node(name string) (*node, []device.Problem) {
	made := p.body(name)
	n := &node{object: made.object, usage: device.NewNodeUsage(made.info)}
	problems := append(p.problems[:len(p.problems):len(p.problems)], made.problems...)
	if p.template.Options.KeepUsage {
		holdings, bad := p.sampled(&made)
		n.usage, n.holdings = usage.Apply(made.info, holdings), holdings
		return n, append(problems, bad...)
	}
	for i, pod := range p.template.Pods {
		if pod == nil {
			problems = append(problems, device.Problem{Object: fmt.Sprintf("template pods[%d]", i), Err: ErrNil})
			continue
		}
		if err := p.start(n, pod); err != nil {
			problems = append(problems, device.Problem{Object: "pod " + pod.Namespace + "/" + pod.Name, Err: err})
		}
	}
	return n, problems
}

// start places a pod that every new node has.
func (p *prototype) start(n *node, pod *corev1.Pod) error {
	r, err := p.set.Request(pod)
	if err != nil {
		return err
	}
	fit := p.set.Fit(r, n.usage)
	if !fit.OK() {
		return fmt.Errorf("does not fit on a new node of the template: %s", fit.Reasons.Detail())
	}
	n.holdings = append(n.holdings, daemon(usage.Of(r, n.object.Name, fit.Allocation), n.object.Name))
	n.usage = n.usage.With(fit.Allocation)
	return nil
}

// daemon makes the holding of a template pod one of a pod of its own on the node.
func daemon(h usage.Holding, node string) usage.Holding {
	h.UID, h.Name, h.Node = "", h.Name+"@"+node, node
	return h
}

// sampled is what the template's pods hold on the sample, moved to a new node.
func (p *prototype) sampled(made *body) ([]usage.Holding, []device.Problem) {
	byNode, problems := holdingsByNode(p.set, p.template.Pods)
	var out []usage.Holding
	for _, h := range byNode[p.template.sample().Name] {
		h = daemon(h.DeepCopy(), made.object.Name)
		for i := range h.Allocation.Devices {
			d := &h.Allocation.Devices[i]
			d.ID = p.renamed(made, d.Vendor, d.ID)
		}
		for i := range h.Reservations {
			r := &h.Reservations[i]
			r.GPUUUID = p.renamed(made, "", r.GPUUUID)
		}
		for i := range h.Blocked {
			b := &h.Blocked[i]
			b.ID = p.renamed(made, b.Vendor, b.ID)
		}
		out = append(out, h)
	}
	return out, problems
}

// newName names new node number i (from 0) of a template. Names of equal length sort in the order of their numbers.
func newName(template string, i int) string {
	n := strconv.Itoa(i)
	for len(n) < 5 {
		n = "0" + n
	}
	return template + "-new-" + n
}
