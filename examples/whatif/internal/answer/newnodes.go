package answer

import (
	"fmt"

	corev1 "k8s.io/api/core/v1"

	"github.com/accelfit/accelfit/examples/whatif/internal/problem"
	"github.com/accelfit/accelfit/simulate"
)

// Group is a node group that could grow.
type Group struct {
	Name        string   `json:"name"`
	Sample      string   `json:"sample,omitempty"`       // the live node its new nodes are like; empty: given with the group
	AsRead      bool     `json:"sampleAsRead,omitempty"` // new nodes are like the sample without the changes that were asked for
	Devices     int      `json:"devices"`                // of one new node
	AssumedFrom *Assumed `json:"assumedFrom,omitempty"`  // says which devices those are; nil: the sample has registered them
	DaemonPods  int      `json:"daemonPods"`             // that every new node starts with
	Price       float64  `json:"price,omitempty"`
	MaxNew      int      `json:"maxNew,omitempty"`
}

// Assumed is where devices that nobody has registered are taken from: one of the two.
type Assumed struct {
	Profile      string `json:"profile,omitempty"`      // name of a device profile
	InstanceType string `json:"instanceType,omitempty"` // of a cloud, known to the tool
	Partly       bool   `json:"partly,omitempty"`       // the devices of other vendors are registered
}

// String reads "assumed from profile l4".
func (a *Assumed) String() string {
	switch {
	case a == nil:
		return ""
	case a.Partly:
		return "partly assumed from profile " + a.Profile
	case a.Profile != "":
		return "assumed from profile " + a.Profile
	}
	return "assumed from instance type " + a.InstanceType
}

func (p *planner) addGroup(spec *GroupSpec) error {
	g, partly, err := p.w.group(spec)
	if err != nil {
		return err
	}
	p.groups = append(p.groups, g)
	out := Group{
		Name: g.Name, Sample: spec.Sample, AsRead: p.w.changed[spec.Sample],
		DaemonPods: len(g.Template.Pods), Price: g.Price, MaxNew: g.MaxNew,
	}
	out.Devices, out.AssumedFrom = p.w.newDevices(&g.Template)
	if partly != "" {
		out.AssumedFrom = &Assumed{Profile: partly, Partly: true}
	}
	p.out.Groups = append(p.out.Groups, out)
	p.problems = append(p.problems, p.w.doubts(spec, &g, &out)...)
	return nil
}

// doubts are what live nodes of a group say against what is assumed of new ones.
func (w *World) doubts(spec *GroupSpec, g *simulate.NodeGroup, about *Group) (out []problem.Problem) {
	switch from := about.AssumedFrom; {
	case from != nil && from.InstanceType != "":
		for _, n := range w.nodes {
			ofGroup := n.Name == spec.Sample || w.groupOf(n) == spec.Name
			if ofGroup && len(w.set.Inventory(n).Described()) == 0 {
				out = append(out, problem.Problem{
					Object:  "node " + n.Name,
					Why:     "has registered no devices, though new nodes of its group are taken to have some; if it still will, give a profile that matches it",
					LeftOut: "devices of the node",
				})
			}
		}
	case from == nil && spec.Sample != "":
		p := w.options.Profiles.For(spec.Name, g.Template.Node.Labels)
		if p == nil {
			break
		}
		promised, _ := w.newDevices(&simulate.Template{Node: &corev1.Node{}, Profile: p})
		if about.Devices < promised {
			out = append(out, problem.Problem{
				Object:  "node " + spec.Sample,
				Why:     fmt.Sprintf("has %s where profile %s promises %d; new nodes have all if the groups file names the profile", plural(about.Devices, "device"), p.Name, promised),
				LeftOut: "what is missing, on new nodes too",
			})
		}
	}
	return out
}

// newDevices is the number of devices of a new node, and where they are taken from if nobody has registered them.
func (w *World) newDevices(t *simulate.Template) (n int, from *Assumed) {
	e := simulate.Estimate(w.set, *t, []*corev1.Pod{{}}, simulate.Limits{}) // a pod that asks for nothing
	if len(e.Nodes) > 0 {
		n = e.Nodes[0].Usage.Info().Len()
	}
	for _, note := range e.Notes {
		switch note.Kind {
		case simulate.AssumedFromProfile:
			from = &Assumed{Profile: note.Source}
		case simulate.AssumedFromInstanceType:
			from = &Assumed{InstanceType: note.Source}
		}
	}
	return n, from
}
