package simulate

import (
	"fmt"
	"slices"
	"strconv"

	corev1 "k8s.io/api/core/v1"

	"github.com/accelfit/accelfit/device"
	"github.com/accelfit/accelfit/usage"
	"github.com/accelfit/accelfit/vendors"
)

// Template describes the nodes that a node group adds. It usually comes from a live node of the group, whose object carries
// that node's state; TemplateOptions say what of it a new node has.
type Template struct {
	// Node is the sample: labels, taints, allocatable, device description. It is not changed.
	Node *corev1.Node

	// Pods are the pods that every new node starts with, such as those of DaemonSets. They are placed on the node as if new;
	// what their annotations say counts only with KeepUsage.
	Pods []*corev1.Pod

	Options TemplateOptions
}

// TemplateOptions say which state of the sample a new node has as well. The zero value is a fresh node: all devices
// healthy, not cordoned, with ids of their own, and nothing taken but by Template.Pods. NUMA nodes, link scores and
// everything else that is hardware are always kept.
type TemplateOptions struct {
	KeepHealth bool // new nodes have the sample's unhealthy devices, conditions, and taints for what is wrong with it
	KeepCordon bool // devices that the sample's operator has cordoned are cordoned on new nodes, and so is the node itself
	KeepIDs    bool // devices have the sample's ids; otherwise <node>/<id of the sample>, so that no two nodes share one
	KeepUsage  bool // Template.Pods hold what their annotations say they hold on the sample, MIG instances included
}

// instantiate makes a new node of the template. Template.Pods that do not fit, or cannot be read, are problems.
func (t *Template) instantiate(set *vendors.Set, name string) (*node, []device.Problem) {
	object := t.object(name)
	sample := set.Inventory(t.Node)
	problems := sample.Problems()
	info := t.fresh(sample, name)
	n := &node{object: object, usage: device.NewNodeUsage(info)}
	if t.Options.KeepUsage {
		holdings, bad := t.sampled(set, name)
		return &node{object, usage.Apply(info, holdings), holdings}, append(problems, bad...)
	}
	for _, pod := range t.Pods {
		r, err := set.Request(pod)
		if err != nil {
			problems = append(problems, device.Problem{Object: "pod " + pod.Namespace + "/" + pod.Name, Err: err})
			continue
		}
		fit := set.Fit(r, n.usage)
		if !fit.OK() {
			err := fmt.Errorf("does not fit on a new node of the template: %s", fit.Reasons.Detail())
			problems = append(problems, device.Problem{Object: "pod " + pod.Namespace + "/" + pod.Name, Err: err})
			continue
		}
		n.holdings = append(n.holdings, daemon(usage.Of(r, name, fit.Allocation), name))
		n.usage = n.usage.With(fit.Allocation)
	}
	return n, problems
}

// object is the Kubernetes object of a new node: the sample's, less what is state of the sample.
func (t *Template) object(name string) *corev1.Node {
	n := t.Node.DeepCopy()
	n.Name, n.UID, n.ResourceVersion = name, "", ""
	if n.Labels[corev1.LabelHostname] != "" {
		n.Labels[corev1.LabelHostname] = name
	}
	delete(n.Annotations, device.AnnotationLock)
	if !t.Options.KeepCordon {
		n.Spec.Unschedulable = false
		n.Spec.Taints = untainted(n.Spec.Taints, corev1.TaintNodeUnschedulable)
	}
	if !t.Options.KeepHealth {
		n.Spec.Taints = untainted(n.Spec.Taints, corev1.TaintNodeNotReady, corev1.TaintNodeUnreachable,
			corev1.TaintNodeMemoryPressure, corev1.TaintNodeDiskPressure, corev1.TaintNodePIDPressure,
			corev1.TaintNodeNetworkUnavailable)
		n.Status.Conditions = []corev1.NodeCondition{{Type: corev1.NodeReady, Status: corev1.ConditionTrue}}
	}
	return n
}

func untainted(taints []corev1.Taint, keys ...string) []corev1.Taint {
	return slices.DeleteFunc(taints, func(t corev1.Taint) bool { return slices.Contains(keys, t.Key) })
}

// daemon makes the holding of a template pod one of a pod of its own on the node.
func daemon(h usage.Holding, node string) usage.Holding {
	h.UID, h.Name, h.Node = "", h.Name+"@"+node, node
	return h
}

// fresh is the description of a new node: what is state on the sample is reset, as the options say.
func (t *Template) fresh(sample *device.NodeInfo, name string) *device.NodeInfo {
	var inventories []device.Inventory
	for _, v := range sample.Described() {
		inv := sample.Inventory(v)
		renamed := map[string]string{}
		for i := range inv.Devices {
			d := &inv.Devices[i]
			d.Healthy = d.Healthy || !t.Options.KeepHealth
			d.Cordoned = d.Cordoned && t.Options.KeepCordon
			if !t.Options.KeepIDs {
				renamed[d.ID] = name + "/" + d.ID
				d.ID = renamed[d.ID]
			}
		}
		if !t.Options.KeepIDs {
			relink(inv.Devices, renamed)
		}
		inventories = append(inventories, inv)
	}
	return device.NewNodeInfo(name, inventories...)
}

func relink(devices []device.DeviceInfo, renamed map[string]string) {
	for i := range devices {
		links := make(map[string]int64, len(devices[i].LinkScores))
		for id, score := range devices[i].LinkScores {
			if now, ok := renamed[id]; ok {
				links[now] = score
			}
		}
		devices[i].LinkScores = links
	}
}

// sampled is what the template's pods hold on the sample, moved to a new node.
func (t *Template) sampled(set *vendors.Set, name string) ([]usage.Holding, []device.Problem) {
	byNode, problems := holdingsByNode(set, t.Pods)
	var out []usage.Holding
	for _, h := range byNode[t.Node.Name] {
		h = daemon(h.DeepCopy(), name)
		if !t.Options.KeepIDs {
			rename := func(id *string) { *id = name + "/" + *id }
			for i := range h.Allocation.Devices {
				rename(&h.Allocation.Devices[i].ID)
			}
			for i := range h.Reservations {
				rename(&h.Reservations[i].GPUUUID)
			}
			for i := range h.Blocked {
				rename(&h.Blocked[i].ID)
			}
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
