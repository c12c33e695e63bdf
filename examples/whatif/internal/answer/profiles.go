package answer

import (
	"bytes"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"
	corev1 "k8s.io/api/core/v1"

	"github.com/accelfit/accelfit/examples/whatif/internal/nondevice"
	"github.com/accelfit/accelfit/examples/whatif/internal/problem"
	"github.com/accelfit/accelfit/simulate"
	"github.com/accelfit/accelfit/vendors"
)

// Profiles are the device profiles of any number of files. The zero value has none.
type Profiles struct {
	all   []simulate.Profile
	where []string // file and line of each
}

// Add reads the profiles of one file. Those that the vendors of the set cannot describe are errors, as are those that cannot be
// read and those whose name another has; all of a file's errors are told, with file, line and field.
func (p *Profiles) Add(set *vendors.Set, file string, text []byte) error {
	found, err := simulate.ParseProfiles(text)
	if err != nil {
		return inFile(file, err)
	}
	if len(found) == 0 {
		return fmt.Errorf("%s: no device profile", file)
	}
	lines := nameLines(text)
	var errs []error
	for i := range found {
		where := file
		if i < len(lines) {
			where = fmt.Sprintf("%s: line %d", file, lines[i])
		}
		if k := p.index(found[i].Name); k >= 0 {
			errs = append(errs, fmt.Errorf("%s: metadata.name: %s is also the name of the profile in %s", where, found[i].Name, p.where[k]))
			continue
		}
		if err := found[i].Apply(set, matching(&found[i])); err != nil {
			errs = append(errs, fmt.Errorf("%s: %w", where, err))
			continue
		}
		p.all, p.where = append(p.all, found[i]), append(p.where, where)
	}
	return errors.Join(errs...)
}

// matching is a bare node that a profile is for.
func matching(p *simulate.Profile) *corev1.Node {
	n := &corev1.Node{}
	n.Name, n.Labels = "node", maps.Clone(p.Match.MatchLabels)
	if types := p.Match.InstanceTypes; len(types) > 0 && n.Labels[corev1.LabelInstanceTypeStable] == "" {
		if n.Labels == nil {
			n.Labels = map[string]string{}
		}
		n.Labels[corev1.LabelInstanceTypeStable] = types[0]
	}
	return n
}

// inFile puts the name of a file before each of several errors.
func inFile(file string, err error) error {
	joined, ok := err.(interface{ Unwrap() []error })
	if !ok {
		return fmt.Errorf("%s: %w", file, err)
	}
	var errs []error
	for _, e := range joined.Unwrap() {
		errs = append(errs, fmt.Errorf("%s: %w", file, e))
	}
	return errors.Join(errs...)
}

// nameLines is the line of the name of each profile in a text that was read without error.
func nameLines(text []byte) (lines []int) {
	for decoder := yaml.NewDecoder(bytes.NewReader(text)); ; {
		var d struct{ Metadata struct{ Name yaml.Node } }
		if decoder.Decode(&d) != nil {
			return lines
		}
		if d.Metadata.Name.Line > 0 { // otherwise the document is empty
			lines = append(lines, d.Metadata.Name.Line)
		}
	}
}

func (p *Profiles) index(name string) int {
	return slices.IndexFunc(p.all, func(x simulate.Profile) bool { return x.Name == name })
}

// errNoProfile is returned for names that no profile has.
var errNoProfile = errors.New("no device profile has that name")

// named finds a profile by its name.
func (p *Profiles) named(name string) (*simulate.Profile, error) {
	if i := p.index(name); i >= 0 {
		return &p.all[i], nil
	}
	known := "see --profiles"
	if len(p.all) > 0 {
		known = "--profiles has " + enumerate(p.names())
	}
	return nil, fmt.Errorf("%s: %w; %s", name, errNoProfile, known)
}

func (p *Profiles) names() []string {
	out := make([]string, len(p.all))
	for i := range p.all {
		out[i] = p.all[i].Name
	}
	return out
}

// For is the profile that matches a node group best; nil: none does.
func (p *Profiles) For(group string, labels map[string]string) *simulate.Profile {
	return simulate.ProfileFor(p.all, group, labels)
}

// await returns nodes as they will be once what their profiles promise is registered.
func (w *World) await(nodes []*corev1.Node) []*corev1.Node {
	if len(w.options.Profiles.all) == 0 {
		return nodes
	}
	out, notes, problems := simulate.UpcomingNodes(w.set, w.options.Profiles.all, nodes, w.groupOf)
	for _, p := range problems {
		w.problems = append(w.problems, problem.From(p.Object, p.Err, "the devices that its profile promises")...)
	}
	sources := map[string]string{}
	for _, n := range notes {
		sources[n.Object] = n.Source
	}
	for i, n := range out {
		if profile, ok := sources["node "+n.Name]; ok {
			more := w.set.Inventory(n).Len() - w.set.Inventory(nodes[i]).Len()
			w.upcoming = append(w.upcoming, Upcoming{Node: n.Name, Profile: profile, Devices: more, Ready: nondevice.Ready(n)})
		}
	}
	slices.SortFunc(w.upcoming, func(a, b Upcoming) int { return strings.Compare(a.Node, b.Node) })
	return out
}

// groupOf is the name of a node's group; empty: none is known.
func (w *World) groupOf(n *corev1.Node) string { return n.Labels[w.groupLabel] }

// unused tells profiles that match nothing that was read, which may be mistyped.
func (w *World) unused(groups []simulate.NodeGroup) (out []problem.Problem) {
	p := &w.options.Profiles
	for i := range p.all {
		matches := func(group string, n *corev1.Node) bool {
			return p.all[i].Matches(group, n.Labels) != simulate.NotMatched
		}
		if slices.ContainsFunc(groups, func(g simulate.NodeGroup) bool {
			return g.Template.Profile == &p.all[i] || matches(g.Name, g.Template.Node)
		}) ||
			slices.ContainsFunc(w.nodes, func(n *corev1.Node) bool { return matches(w.groupOf(n), n) }) {
			continue
		}
		out = append(out, problem.Problem{
			Object: "device profile " + p.all[i].Name, Why: "matches no node group and no node", LeftOut: "the profile",
		})
	}
	return out
}
