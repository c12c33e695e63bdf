package render

import (
	"fmt"
	"io"
	"strings"

	"github.com/accelfit/accelfit/examples/whatif/internal/answer"
)

// ScaleUp writes which groups to grow, who goes where, and who has no place.
func (s Style) ScaleUp(w io.Writer, u *answer.ScaleUp) {
	paragraph(w, "", s.paint(verdict(u.Fits), u.Summary))
	if len(u.Live) > 0 {
		fmt.Fprintf(w, "\n%s\n", s.paint(bold, "On live nodes"))
		fmt.Fprint(w, indent(s.placements(u.Live)))
	}
	for i := range u.Steps {
		s.step(w, &u.Steps[i], u.Strategy)
	}
	s.unplaced(w, u.Unplaced, len(u.Groups) > 0)
	if len(u.Groups) > 0 && u.Pending > 0 {
		fmt.Fprintln(w)
		paragraph(w, "", "Groups looked at: "+groupList(u.Groups)+".")
	}
	for _, note := range u.Notes {
		paragraph(w, "", "Note: "+note+".")
	}
	s.Problems(w, u.Problems)
}

func (s Style) step(w io.Writer, p *answer.Step, strategy string) {
	fmt.Fprintf(w, "\n%s\n", s.paint(bold, fmt.Sprintf("Grow %s by %s", p.Group, plural(p.NewNodes, "node"))))
	facts := []string{
		"strategy " + strategy, fmt.Sprintf("%.0f %% of the new device memory left unused", 100*p.Waste),
		"at least " + plural(p.LowerBound, "node") + " by device volume",
	}
	if p.Price > 0 {
		facts = append(facts, fmt.Sprintf("price %g", p.Price))
	}
	paragraph(w, "  ", strings.Join(facts, ", "))
	var all []answer.Placement
	for _, n := range p.Nodes {
		all = append(all, n.Pods...)
	}
	fmt.Fprint(w, indent(s.placements(all)))
}

// unplaced tells why groups do not help, or why live nodes do not where there are no groups.
func (s Style) unplaced(w io.Writer, pods []answer.Unplaced, groups bool) {
	if len(pods) == 0 {
		return
	}
	fmt.Fprintf(w, "\n%s\n", s.paint(bold, "No place"))
	var rows [][]string
	for _, p := range pods {
		name := p.Pod
		add := func(where, why string) {
			rows = append(rows, []string{name, where, why})
			name = ""
		}
		if p.Invalid != "" {
			add("", p.Invalid)
			continue
		}
		refused := p.Groups
		if !groups {
			refused = p.Live
		}
		for _, r := range refused {
			add(names(r.By), r.Why)
		}
	}
	who := "GROUP"
	if !groups {
		who = "NODE"
	}
	fmt.Fprint(w, indent(grid([]column{{name: "POD", max: 40}, {name: who, max: 26}, {name: "WHY", max: 64}}, rows)))
}

func groupList(groups []answer.Group) string {
	parts := make([]string, len(groups))
	for i, g := range groups {
		parts[i] = fmt.Sprintf("%s (%s", g.Name, plural(g.Devices, "device"))
		if g.Sample != "" {
			parts[i] += " like " + g.Sample
		}
		if g.DaemonPods > 0 {
			parts[i] += ", " + plural(g.DaemonPods, "DaemonSet pod")
		}
		if g.MaxNew > 0 {
			parts[i] += fmt.Sprintf(", at most %d new", g.MaxNew)
		}
		parts[i] += ")"
	}
	return strings.Join(parts, ", ")
}

func plural(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}
