// Package answer answers the questions of the what-if tool. Every answer is a struct whose JSON form is the output of
// -o json; package render turns it into tables.
package answer

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"

	"github.com/accelfit/accelfit/device"
	"github.com/accelfit/accelfit/examples/whatif/internal/input"
	"github.com/accelfit/accelfit/examples/whatif/internal/nondevice"
	"github.com/accelfit/accelfit/examples/whatif/internal/problem"
	"github.com/accelfit/accelfit/simulate"
	"github.com/accelfit/accelfit/usage"
	"github.com/accelfit/accelfit/vendors"
)

// Options are what an answer depends on besides the cluster.
type Options struct {
	NoAdmission bool                             // take pods as they are, without the defaults that admission adds
	Progress    func(what string, done, all int) // told now and then about long work; nil: nobody

	// Profiles say which devices node groups and nodes have that register none (yet).
	Profiles Profiles

	// GroupLabel is the node label that names the group; empty: the first of [DefaultGroupLabels] that a node has.
	GroupLabel string

	NoInstanceTypes bool // the devices of node groups do not follow from their instance type
}

// World is a cluster made ready to be asked about. Its objects are never changed.
type World struct {
	set      *vendors.Set
	options  Options
	snapshot *simulate.Snapshot
	rules    *nondevice.Rules
	pods     []*corev1.Pod
	onNode   map[string][]*corev1.Pod
	taken    map[string]nondevice.Taken
	input    *input.Cluster
	problems []problem.Problem

	nodes      []*corev1.Node // as they were read, whatever the changes and profiles
	groupLabel string         // label that names the node group; empty: no node has one
	upcoming   []Upcoming
	changed    map[string]bool // nodes that are not as they were read

	fit, fitNew vendors.FitOptions // what fits have to honour beside the pods; on new nodes
}

// ErrUnknown is wrapped by errors about pods and nodes that are not in the input.
var ErrUnknown = errors.New("not in the input")

// ErrNoNodes is returned for questions about nodes where the input has none.
var ErrNoNodes = errors.New("no nodes in the input")

func (w *World) needNodes() error {
	if w.snapshot.Len() == 0 {
		return ErrNoNodes
	}
	return nil
}

// NewWorld reads a cluster. What is wrong with it is in the Problems of the answers.
func NewWorld(set *vendors.Set, c *input.Cluster, o Options) *World {
	w := &World{
		set: set, options: o, pods: c.Pods, input: c, nodes: c.Nodes, groupLabel: groupLabel(o.GroupLabel, c.Nodes),
		onNode: map[string][]*corev1.Pod{}, taken: map[string]nondevice.Taken{},
	}
	w.rules = nondevice.New(set.ManagedResources()...)
	for _, p := range set.Problems() {
		w.problems = append(w.problems, problem.From(p.Object, p.Err, "the key")...)
	}
	w.problems = append(w.problems, c.Problems...)
	var problems []device.Problem
	w.snapshot, problems = simulate.New(set, w.await(c.Nodes), c.Pods)
	for _, p := range problems {
		w.problems = append(w.problems, problem.From(p.Object, p.Err, w.leftOut(p))...)
	}
	w.quotas(c.Quotas)
	w.settle()
	if kinds := c.Ignored(); len(kinds) > 0 {
		why := errors.New("not used: only nodes, pods and resourcequotas are")
		w.problems = append(w.problems, problem.From("other objects", why, strings.Join(kinds, ", "))...)
	}
	return w
}

// settle puts the pods on their nodes for the rules that are not about devices, and reports those that run on devices
// without saying which.
func (w *World) settle() {
	for _, pod := range w.pods {
		node := w.nodeOf(pod)
		if node == "" {
			continue
		}
		w.onNode[node] = append(w.onNode[node], pod)
		w.taken[node] = w.rules.Plus(w.taken[node], pod)
		w.checkRunning(pod, node)
	}
}

// nodeOf returns the node a pod runs on or is being bound to; empty for pods that wait or have ended.
func (w *World) nodeOf(pod *corev1.Pod) string {
	if pod.Status.Phase == corev1.PodSucceeded || pod.Status.Phase == corev1.PodFailed {
		return ""
	}
	if pod.Spec.NodeName != "" {
		return pod.Spec.NodeName
	}
	node, _ := w.snapshot.PlacedOn(podKey(pod))
	return node
}

func (w *World) checkRunning(pod *corev1.Pod, node string) {
	if _, known := w.snapshot.Node(node); !known {
		w.note("pod "+podName(pod), errors.New("is on a node that is not in the input"), "the pod")
		return
	}
	if r, err := w.set.Request(pod); err != nil || r.Empty() {
		return
	}
	if _, holds := w.snapshot.PlacedOn(podKey(pod)); !holds {
		w.note("pod "+podName(pod), errors.New("asks for devices, but no annotation says which it holds"), "what it holds")
	}
}

func (w *World) quotas(quotas []*corev1.ResourceQuota) {
	check := usage.NewQuotas(w.set)
	for _, q := range quotas {
		w.snapshot.SetQuota(q)
		for _, name := range slices.Sorted(maps.Keys(q.Spec.Hard)) {
			value := q.Spec.Hard[name]
			resource, limit := strings.CutPrefix(string(name), "limits.")
			if _, whole := value.AsInt64(); limit && check.Managed(resource) && !whole {
				w.problems = append(w.problems, problem.Problem{
					Object: "resourcequota " + q.Namespace + "/" + q.Name, Key: string(name),
					Why: "invalid value " + value.String() + ": must be a whole number", LeftOut: "the limit",
				})
			}
		}
	}
}

func (w *World) note(object string, err error, leftOut string) {
	w.problems = append(w.problems, problem.From(object, err, leftOut)...)
}

// leftOut says what a snapshot does without because of a problem.
func (w *World) leftOut(p device.Problem) string {
	kind, name, _ := strings.Cut(p.Object, " ")
	var decode *device.DecodeError
	switch {
	case errors.Is(p.Err, simulate.ErrNodeTaken), errors.Is(p.Err, simulate.ErrPlaced):
		return "the later one"
	case kind == "node":
		u, ok := w.snapshot.Node(name)
		for _, b := range w.set.Backends() {
			if ok && u.Info().Malformed(b.Vendor()) && errors.Is(p.Err, u.Info().Unreadable(b.Vendor())) {
				return "all " + string(b.Vendor()) + " devices of the node"
			}
		}
		return "the entry"
	case errors.As(p.Err, &decode) && decode.Key == device.AnnotationMIGReservation:
		return "the reservations; the pod's cards take no new work"
	}
	return "the entry; the device it names takes no new work"
}

// pod finds a pod by namespace/name, or by name where only one namespace has it.
func (w *World) pod(name string) (*corev1.Pod, error) {
	var found []*corev1.Pod
	for _, p := range w.pods {
		if podName(p) == name || p.Name == name {
			found = append(found, p)
		}
	}
	switch {
	case len(found) == 1:
		return found[0], nil
	case len(found) > 1:
		names := make([]string, len(found))
		for i, p := range found {
			names[i] = podName(p)
		}
		return nil, fmt.Errorf("pod %s: several have that name: %s", name, strings.Join(names, ", "))
	case w.input.Unreadable("pod", name):
		return nil, fmt.Errorf("pod %s: cannot be read: %s", name, w.whyUnreadable("pod "+name))
	}
	return nil, fmt.Errorf("pod %s: %w%s", name, ErrUnknown, w.pendingNames())
}

func (w *World) whyUnreadable(object string) string {
	for _, p := range w.problems {
		if p.Object == object {
			return p.Why
		}
	}
	return "see the input"
}

// pendingNames tells the pods that wait to somebody who mistyped a name.
func (w *World) pendingNames() string {
	var names []string
	for _, p := range w.waiting() {
		names = append(names, podName(p))
	}
	if len(names) == 0 {
		return ""
	}
	if more := len(names) - 10; more > 0 {
		names = append(names[:10], fmt.Sprintf("… (%d more)", more))
	}
	return "; pending pods: " + strings.Join(names, ", ")
}

// waiting lists the pods that are pending without a node, by namespace and name.
func (w *World) waiting() []*corev1.Pod {
	var out []*corev1.Pod
	for _, p := range w.pods {
		pending := p.Status.Phase == corev1.PodPending || p.Status.Phase == ""
		if pending && w.nodeOf(p) == "" && p.DeletionTimestamp == nil {
			out = append(out, p)
		}
	}
	slices.SortStableFunc(out, func(a, b *corev1.Pod) int {
		return cmp.Or(cmp.Compare(a.Namespace, b.Namespace), cmp.Compare(a.Name, b.Name))
	})
	return out
}

func podName(p *corev1.Pod) string { return p.Namespace + "/" + p.Name }

func podKey(p *corev1.Pod) string {
	h := usage.Holding{Namespace: p.Namespace, Name: p.Name, UID: p.UID}
	return h.Key()
}
