package schedulerplugin

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	fwk "k8s.io/kube-scheduler/framework"

	"github.com/accelfit/accelfit/device"
	"github.com/accelfit/accelfit/simulate"
	"github.com/accelfit/accelfit/usage"
	"github.com/accelfit/accelfit/vendors"
)

// LabelTemplate is the label that cluster-autoscaler puts on nodes it has made up, with the value true.
const LabelTemplate = "cluster-autoscaler.kubernetes.io/template-node"

// madeUp are the names that cluster-autoscaler gives to nodes of its own.
var madeUp = regexp.MustCompile(`^template-node-for-|-upcoming-[0-9]+$`)

// UsageOptions are what a host knows beside its nodes. The zero value is nothing.
type UsageOptions struct {
	// Held tells what a pod holds by what this process has decided, before its annotations say so. nil: of no pod.
	Held func(*corev1.Pod) (usage.Holding, bool)

	// Profiles say which devices nodes have that a host has made up, where the sample they were made of tells none; the one
	// that matches a node's labels best counts, else what is built in for its instance type.
	Profiles []simulate.Profile

	// Upcoming has nodes that have joined, and not registered devices that their profile promises, count as if they had
	// ([simulate.Upcoming]). It is for hosts that bind no pods.
	Upcoming bool
}

// NodeUsage tells what is taken of the devices of a node: what pods hold by o.Held, else by their annotations, else by a
// deterministic replay of the pods on it ([simulate.Replay]). Nodes that cluster-autoscaler has made up, by their label or
// their name, are new: what a sample's health, cordons and locks were is no matter, and their devices have ids of their own
// ([simulate.Template]).
//
// It is a pure function of the node's object, of which pods are on it, and of o. Their order does not matter as long as all find
// room. Nothing is changed or kept. A node without object has no devices. Cost: the node's description is parsed, and one fit
// is made for each pod without record.
func NodeUsage(set *vendors.Set, node fwk.NodeInfo, o UsageOptions) simulate.Replayed {
	object := node.Node()
	if object == nil {
		object = &corev1.Node{}
	}
	info, problems := o.describe(set, object)
	replayed := simulate.Replay(set, info, podsOf(node), simulate.ReplayOptions{Held: o.Held})
	replayed.Problems = append(problems, replayed.Problems...)
	return replayed
}

func podsOf(node fwk.NodeInfo) []*corev1.Pod {
	infos := node.GetPods()
	pods := make([]*corev1.Pod, len(infos))
	for i, p := range infos {
		pods[i] = p.GetPod()
	}
	return pods
}

// describe reads the devices of a node.
func (o *UsageOptions) describe(set *vendors.Set, node *corev1.Node) (*device.NodeInfo, []device.Problem) {
	if node.Labels[LabelTemplate] == "true" || madeUp.MatchString(node.Name) {
		return o.template(set, node)
	}
	if o.Upcoming {
		if p := o.profile(node); p != nil {
			upcoming, _, err := simulate.Upcoming(set, p, node)
			if err != nil {
				return set.Inventory(node), []device.Problem{{Object: "node " + node.Name, Err: err}}
			}
			node = upcoming
		}
	}
	info := set.Inventory(node)
	return info, slices.Clone(info.Problems())
}

// template reads the devices of a node that was made up.
func (o *UsageOptions) template(set *vendors.Set, node *corev1.Node) (*device.NodeInfo, []device.Problem) {
	t := simulate.Template{Node: node}
	if len(set.Inventory(node).Described()) == 0 {
		t.Profile = simulate.ProfileFor(o.Profiles, "", node.Labels)
	}
	made := t.Make(set, node.Name)
	return made.Usage.Info(), made.Problems
}

// profile is what is known of the devices that a node will have; nil: nothing is.
func (o *UsageOptions) profile(node *corev1.Node) *simulate.Profile {
	if p := simulate.ProfileFor(o.Profiles, "", node.Labels); p != nil {
		return p
	}
	if p, ok := simulate.InstanceTypeProfile(node.Labels[corev1.LabelInstanceTypeStable]); ok {
		return &p
	}
	return nil
}

// texts are problems in words.
func texts(problems []device.Problem) string {
	var b strings.Builder
	for i, p := range problems {
		if i > 0 {
			b.WriteString("; ")
		}
		fmt.Fprint(&b, p)
	}
	return b.String()
}
