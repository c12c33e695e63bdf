package render

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/accelfit/accelfit/examples/whatif/internal/answer"
)

// Diff writes in what two answers differ.
func (s Style) Diff(w io.Writer, d *answer.Diff) {
	s.narrow(w, "", s.paint(sameColour(d.Same), d.Summary))
	if d.Same {
		return
	}
	s.narrow(w, "", "A: "+d.A)
	s.narrow(w, "", "B: "+d.B)
	short := s.ids(diffIDs(d))
	if len(d.Nodes) > 0 {
		nodes := make([]section, len(d.Nodes))
		for i := range d.Nodes {
			nodes[i] = s.diffNode(&d.Nodes[i], short)
		}
		fmt.Fprint(w, "\n"+s.sections(0, twoSides("DEVICE", 24), nodes))
	}
	s.diffPods(w, d.Pods, short)
	if len(d.Quotas) > 0 {
		rows := make([][]string, len(d.Quotas))
		for i, c := range d.Quotas {
			rows[i] = []string{c.What, "", orNone(c.A), orNone(c.B)}
		}
		fmt.Fprint(w, "\n"+s.grid(0, twoSides("QUOTA", 24), rows))
	}
	s.problems(w, "Problems of A alone", d.OnlyA, narrowWidth)
	s.problems(w, "Problems of B alone", d.OnlyB, narrowWidth)
}

func sameColour(same bool) colour {
	if same {
		return green
	}
	return yellow
}

// twoSides are the columns of what differs. Widths add up to less than 100.
func twoSides(first string, width int) []column {
	return []column{{name: first, max: width}, {name: "WHAT", max: 16}, {name: "A", max: 26}, {name: "B", max: 26}}
}

func diffIDs(d *answer.Diff) (out []string) {
	for i := range d.Nodes {
		for _, x := range d.Nodes[i].Devices {
			out = append(out, x.Device)
		}
	}
	for i := range d.Pods {
		for _, spot := range []*answer.Spot{d.Pods[i].A, d.Pods[i].B} {
			if spot != nil {
				for _, g := range spot.Devices {
					out = append(out, g.Device)
				}
			}
		}
	}
	return out
}

// hows say how something differs.
var hows = map[string]string{answer.Came: "only in B", answer.Went: "only in A", answer.Changed: "changed"}

func (s Style) diffNode(n *answer.NodeDiff, short ids) section {
	out := section{heading: s.paint(bold, n.Node) + "  node " + hows[n.How]}
	for _, c := range n.Changes {
		out.rows = append(out.rows, []string{"(node)", c.What, orNone(c.A), orNone(c.B)})
	}
	at, devices := map[answer.Change]int{}, map[int][]string{}
	for i := range n.Devices {
		d := &n.Devices[i]
		for _, c := range d.Changes {
			if d.How != answer.Changed {
				c.What = "device " + hows[d.How]
			}
			row, known := at[c]
			if !known {
				row = len(out.rows)
				at[c] = row
				out.rows = append(out.rows, []string{"", c.What, orNone(c.A), orNone(c.B)})
			}
			devices[row] = append(devices[row], short.of(d.Device))
		}
	}
	for row, all := range devices {
		out.rows[row][0] = strings.Join(all, ", ")
		if len(all) > 2 {
			out.rows[row][0] = plural(len(all), "device")
		}
	}
	return out
}

// diffPods writes what differs about each pending pod.
func (s Style) diffPods(w io.Writer, all []answer.PodDiff, short ids) {
	if len(all) == 0 {
		return
	}
	var pods []section
	var like [][]string
	at := map[string]int{}
	for i := range all {
		x := s.diffPod(&all[i], short)
		key := fmt.Sprint(x.heading, x.rows)
		if k, known := at[key]; known {
			like[k] = append(like[k], all[i].Pod)
			continue
		}
		at[key] = len(pods)
		pods, like = append(pods, x), append(like, []string{all[i].Pod})
	}
	for i := range pods {
		pods[i].heading = s.paint(bold, names(like[i])) + "  " + pods[i].heading
	}
	fmt.Fprint(w, "\n"+s.sections(0, twoSides("NODE", 24), pods))
}

// diffPod is what differs about one pending pod, without its name.
func (s Style) diffPod(p *answer.PodDiff, short ids) (out section) {
	out.heading = podHow(p)
	if p.Asks != nil {
		out.rows = append(out.rows, []string{"", "asks for", p.Asks.A, p.Asks.B})
	}
	if a, b := spotText(p.A, short), spotText(p.B, short); a != b {
		out.rows = append(out.rows, []string{"", "would go to", a, b})
	} else if p.A.Node == "" {
		out.heading += "; placed nowhere, as before"
	} else {
		out.heading += "; placed on " + p.A.Node + ", as before"
	}
	for _, v := range p.Nodes {
		a, b := s.verdicts(v.A, v.B)
		out.rows = append(out.rows, []string{names(v.Nodes), "verdict", a, b})
	}
	return out
}

// verdicts are both verdicts of a node; what both have against it is left out.
func (s Style) verdicts(a, b []string) (textA, textB string) {
	text := func(verdict, other []string) string {
		var parts []string
		for _, part := range verdict {
			if !slices.Contains(other, part) {
				parts = append(parts, part)
			}
		}
		switch {
		case len(parts) == 0:
			return "refuses"
		case verdict[0] == answer.FitsHere:
			return s.paint(green, answer.FitsHere)
		case len(parts) < len(verdict):
			return "refuses, also: " + strings.Join(parts, "; ")
		}
		return strings.Join(parts, "; ")
	}
	return text(a, b), text(b, a)
}

func podHow(p *answer.PodDiff) string {
	switch {
	case p.How == answer.Came && p.Runs != "":
		return "waits in B, runs on " + p.Runs + " in A"
	case p.How == answer.Went && p.Runs != "":
		return "waits in A, runs on " + p.Runs + " in B"
	}
	return "pending pod " + hows[p.How]
}

// spotText is where a pod would be placed, and with which devices.
func spotText(p *answer.Spot, short ids) string {
	switch {
	case p == nil:
		return ""
	case p.Node == "":
		return "nowhere"
	case len(p.Devices) == 0:
		return p.Node
	}
	var devices []string
	for _, g := range p.Devices {
		text := short.of(g.Device)
		if g.MIG != nil {
			text += fmt.Sprintf(" (%s at %d)", g.MIG.Profile, g.MIG.Start)
		}
		devices = append(devices, text)
	}
	return p.Node + ": " + names(devices)
}

func orNone(text string) string { return orElse(text, "none") }
