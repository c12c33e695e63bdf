package autoscaler

import (
	"cmp"
	"fmt"
	"strings"

	corev1 "k8s.io/api/core/v1"

	"github.com/accelfit/accelfit/device"
	"github.com/accelfit/accelfit/simulate"
	"github.com/accelfit/accelfit/vendors"
)

// Groups tells what devices the nodes of node groups have. Set must be given; the rest may be zero.
type Groups struct {
	Set *vendors.Set

	// Profiles say what fresh nodes register; the one that matches a node best counts ([simulate.ProfileFor]).
	Profiles []simulate.Profile

	// GroupOf names the node group of a node; nil: profiles match by labels alone.
	GroupOf func(*corev1.Node) string

	// NoInstanceTypes: nodes that no profile matches have no built-in one either. Otherwise the label
	// node.kubernetes.io/instance-type counts where it names a machine that is known ([simulate.InstanceTypeProfile]).
	NoInstanceTypes bool
}

// NodeReady says whether a node has registered all devices that its profile promises, and if not, what is missing. A node
// that no profile is known for is ready unless what it has registered cannot be read: whether it will ever have devices
// nobody has said.
//
// cluster-autoscaler counts a node that is Ready as one that will serve, and finds that it does not: it then grows the group
// again, once every scan, until the device plugin has registered. Call this where the fork decides which nodes have all
// their custom resources.
func (g *Groups) NodeReady(node *corev1.Node) (ready bool, why string) {
	if problems := g.Set.Inventory(node).Problems(); len(problems) > 0 {
		return false, problems[0].Error()
	}
	profile, source := g.profile(node)
	if profile == nil {
		return true, ""
	}
	drifts, err := profile.Verify(g.Set, node)
	if err != nil {
		return false, fmt.Sprintf("%s: %v", source, err)
	}
	var missing []string
	for _, d := range drifts {
		if d.Field == simulate.DriftUnregistered {
			missing = append(missing, fmt.Sprintf("%s: %s promised, %s registered", d.Vendor, d.Want, cmp.Or(d.Have, "none")))
		}
	}
	if len(missing) == 0 {
		return true, ""
	}
	return false, fmt.Sprintf("%s: %s", source, strings.Join(missing, "; "))
}

// Template returns the node that a group would add, made from what the autoscaler has of it: a live node of the group, or
// the bare one that the cloud provider describes. What is state of the sample is gone, devices are healthy and have ids of
// their own ([simulate.Template]); where the sample registers none they are those of its profile. The result has the sample's
// name and belongs to the caller.
//
// Call it in the fork's template node info provider, on each node it returns. The pods of DaemonSets stay the caller's: their
// annotations tell of the sampled node and count for nothing on the new one.
func (g *Groups) Template(sample *corev1.Node) (*corev1.Node, []simulate.Note, []device.Problem) {
	t := simulate.Template{Node: sample, Options: simulate.TemplateOptions{NoInstanceTypes: g.NoInstanceTypes}}
	if len(g.Set.Inventory(sample).Described()) == 0 {
		t.Profile = g.given(sample)
	}
	made := t.Make(g.Set, sample.Name)
	return made.Object, made.Notes, made.Problems
}

// Upcoming returns a node that has joined as it will be once its devices are registered ([simulate.Upcoming]); a node that is
// complete, or of which nothing is known, is returned as it is. The node is not changed.
func (g *Groups) Upcoming(node *corev1.Node) (*corev1.Node, *simulate.Note, error) {
	profile, _ := g.profile(node)
	if profile == nil {
		return node, nil, nil
	}
	return simulate.Upcoming(g.Set, profile, node)
}

// profile is what is known of a node's devices, and from where; nil: nothing is.
func (g *Groups) profile(node *corev1.Node) (p *simulate.Profile, source string) {
	if p := g.given(node); p != nil {
		return p, "device profile " + p.Name
	}
	machine := node.Labels[corev1.LabelInstanceTypeStable]
	if builtIn, ok := simulate.InstanceTypeProfile(machine); ok && !g.NoInstanceTypes {
		return &builtIn, "instance type " + machine
	}
	return nil, ""
}

// given is the profile among Profiles that matches a node best, or nil.
func (g *Groups) given(node *corev1.Node) *simulate.Profile {
	group := ""
	if g.GroupOf != nil {
		group = g.GroupOf(node)
	}
	return simulate.ProfileFor(g.Profiles, group, node.Labels)
}
