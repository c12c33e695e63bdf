package render

import (
	"fmt"
	"io"
	"strings"

	"github.com/accelfit/accelfit/examples/whatif/internal/answer"
)

// ScaleUp writes which groups to grow, who goes where, and who has no place.
func (s Style) ScaleUp(w io.Writer, u *answer.ScaleUp) {
	s.paragraph(w, "", s.paint(verdict(u.Fits), u.Summary))
	if len(u.Live) > 0 {
		s.title(w, "On live nodes")
		fmt.Fprint(w, s.placements(gap, u.Live))
	}
	for i := range u.Steps {
		s.step(w, u, &u.Steps[i])
	}
	s.unplaced(w, u.Unplaced, len(u.Groups) > 0)
	if len(u.Groups) > 0 && u.Pending > 0 {
		fmt.Fprintln(w)
		s.paragraph(w, "", "Groups looked at: "+groupList(u.Groups)+".")
	}
	s.remarks(w, &u.Remarks)
}

func (s Style) step(w io.Writer, u *answer.ScaleUp, p *answer.Step) {
	s.title(w, fmt.Sprintf("Grow %s by %s", p.Group, plural(p.NewNodes, "node")))
	facts := []string{
		"strategy " + u.Strategy, fmt.Sprintf("%.0f %% of the new device memory left unused", 100*p.Waste),
		"at least " + plural(p.LowerBound, "node") + " by device volume",
	}
	if p.Price > 0 {
		facts = append(facts, fmt.Sprintf("price %g", p.Price))
	}
	for _, g := range u.Groups {
		if from := g.AssumedFrom; g.Name == p.Group && from != nil {
			facts = append(facts, "devices "+from.String())
		}
	}
	s.paragraph(w, "  ", strings.Join(facts, ", "))
	var all []answer.Placement
	for _, n := range p.Nodes {
		all = append(all, n.Pods...)
	}
	fmt.Fprint(w, s.placements(gap, all))
}

// unplaced tells why groups do not help, or why live nodes do not where there are no groups.
func (s Style) unplaced(w io.Writer, pods []answer.Unplaced, groups bool) {
	if len(pods) == 0 {
		return
	}
	s.title(w, "No place")
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
	fmt.Fprint(w, s.grid(gap, []column{{name: "POD", max: 40}, {name: who, max: 26}, {name: "WHY", max: 64}}, rows))
}

func groupList(groups []answer.Group) string {
	parts := make([]string, len(groups))
	for i := range groups {
		parts[i] = groups[i].Name + " (" + strings.Join(groupFacts(&groups[i]), ", ") + ")"
	}
	return strings.Join(parts, ", ")
}

func groupFacts(g *answer.Group) []string {
	facts := []string{plural(g.Devices, "device")}
	like := " like "
	if g.AssumedFrom != nil {
		facts[0] += " " + g.AssumedFrom.String()
		like = ", else like "
	}
	if g.Sample != "" {
		facts[0] += like + g.Sample
	}
	if g.AsRead {
		facts[0] += " as it was read"
	}
	if g.DaemonPods > 0 {
		facts = append(facts, plural(g.DaemonPods, "DaemonSet pod"))
	}
	if g.MaxNew > 0 {
		facts = append(facts, fmt.Sprintf("at most %d new", g.MaxNew))
	}
	return facts
}

func plural(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}
