package simulate

import (
	"fmt"

	corev1 "k8s.io/api/core/v1"

	"github.com/accelfit/accelfit/device"
	"github.com/accelfit/accelfit/vendors"
)

// Upcoming returns a node that has joined as it will be once its devices are registered: what its profile promises of vendors
// that the node does not describe yet. Descriptions that are there stand, also of no devices and such that cannot be read. note is nil
// where everything is registered; the node is then returned as it is. Otherwise the result is a copy of what changes, which
// shares the rest with node, and node is not changed. Conditions and taints stay, they are for the caller's rules.
//
// Hand the result to [New], [Snapshot.AddNode] or any other reader of nodes. The error is as for [Profile.Apply].
func Upcoming(set *vendors.Set, p *Profile, node *corev1.Node) (upcoming *corev1.Node, note *Note, err error) {
	missing, err := p.unregistered(set, node)
	if err != nil || len(missing) == 0 {
		return node, nil, err
	}
	c := describedPart(node)
	if err := p.write(set, c, missing); err != nil {
		return node, nil, err
	}
	out := *node
	takeDescription(&out, c)
	keepUnlimited(&out, node)
	return &out, &Note{"node " + node.Name, UpcomingDevices, p.Name}, nil
}

// unregistered lists the vendors of a profile that a node says nothing of.
func (p *Profile) unregistered(set *vendors.Set, node *corev1.Node) ([]device.Vendor, error) {
	fleets, err := p.fleets(set, node.Name)
	if err != nil {
		return nil, p.wrap(err)
	}
	info := set.Inventory(node)
	var out []device.Vendor
	for i := range fleets {
		if v := fleets[i].backend.Vendor(); undescribed(info, v) {
			out = append(out, v)
		}
	}
	return out, nil
}

// UpcomingNodes is [Upcoming] for many nodes, each with the profile that matches it best ([ProfileFor]); nodes that none
// matches are returned as they are. group names the group of a node; nil: no node's is known. Nodes of which the profile cannot
// be applied are returned as they are, with a problem; so are entries that are nil.
func UpcomingNodes(
	set *vendors.Set, profiles []Profile, nodes []*corev1.Node, group func(*corev1.Node) string,
) (upcoming []*corev1.Node, notes []Note, problems []device.Problem) {
	for i, node := range nodes {
		if node == nil {
			upcoming = append(upcoming, nil)
			problems = append(problems, device.Problem{Object: fmt.Sprintf("nodes[%d]", i), Err: ErrNil})
			continue
		}
		name := ""
		if group != nil {
			name = group(node)
		}
		p := ProfileFor(profiles, name, node.Labels)
		if p == nil {
			upcoming = append(upcoming, node)
			continue
		}
		u, note, err := Upcoming(set, p, node)
		upcoming = append(upcoming, u)
		if note != nil {
			notes = append(notes, *note)
		}
		if err != nil {
			problems = append(problems, device.Problem{Object: "node " + node.Name, Err: err})
		}
	}
	return upcoming, notes, problems
}
