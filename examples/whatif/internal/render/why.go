package render

import (
	"fmt"
	"io"
	"strings"

	"github.com/accelfit/accelfit/device"
	"github.com/accelfit/accelfit/examples/whatif/internal/answer"
)

// Why writes where a pod fits, and why not elsewhere.
func (s Style) Why(w io.Writer, y *answer.Why) {
	s.paragraph(w, "", s.paint(verdict(y.Fits), y.Summary))
	for _, a := range y.Asks {
		s.line(w, "", "Asks: "+askLine(&a))
	}
	var known []string
	for i := range y.Nodes {
		for k := range y.Nodes[i].Devices {
			known = append(known, y.Nodes[i].Devices[k].Device)
		}
	}
	short := s.ids(known)
	var nodes []section
	var without []string
	var bare grouped
	for i := range y.Nodes {
		n := &y.Nodes[i]
		if n.Counts[device.NodeUnregistered.String()] > 0 {
			without = append(without, n.Node)
			continue
		}
		rows := s.whyRows(n, short, len(y.Asks) > 1)
		if len(rows) == 0 && !n.Fits {
			bare.add(n.Reasons, n.Node)
			continue
		}
		nodes = append(nodes, section{heading: s.whyHead(n), rows: rows})
	}
	columns := []column{
		{name: "DEVICE"}, {name: "CONTAINER", max: 20}, {name: "RULE", max: 40}, {name: "WANT", max: 34}, {name: "HAVE", max: 34},
	}
	if len(nodes) > 0 {
		fmt.Fprint(w, "\n"+s.sections(0, columns, nodes))
	}
	bare.add("Without devices", without...)
	for i, g := range bare {
		if i == 0 {
			fmt.Fprintln(w)
		}
		s.paragraph(w, "", s.paint(red, g.why)+": "+strings.Join(g.nodes, ", "))
	}
	s.remarks(w, &y.Remarks)
}

// grouped is nodes of which there is no more to say than why they do not serve, by why.
type grouped []struct {
	why   string
	nodes []string
}

func (g *grouped) add(why string, nodes ...string) {
	if len(nodes) == 0 {
		return
	}
	for i := range *g {
		if (*g)[i].why == why {
			(*g)[i].nodes = append((*g)[i].nodes, nodes...)
			return
		}
	}
	*g = append(*g, struct {
		why   string
		nodes []string
	}{why, nodes})
}

func verdict(fits bool) colour {
	if fits {
		return green
	}
	return red
}

func askLine(a *answer.Ask) string {
	parts := []string{plural(int(a.Devices), a.Vendor+" device")}
	switch {
	case a.Memory > 0:
		parts = append(parts, fmt.Sprintf("%d MiB each", a.Memory))
	case a.Percent == 100:
		parts = append(parts, "all memory")
	case a.Percent > 0:
		parts = append(parts, fmt.Sprintf("%d %% of the memory each", a.Percent))
	}
	if a.Cores > 0 {
		parts = append(parts, fmt.Sprintf("%d %s each", a.Cores, coreWord(a.CoreUnit)))
	}
	return strings.Join(parts, ", ") + " (container " + a.Container + ")"
}

func (s Style) whyHead(n *answer.WhyNode) string {
	verdict := s.paint(green, "fits")
	switch {
	case n.Reasons != "":
		verdict = s.paint(red, n.Reasons)
	case !n.Fits:
		verdict = s.paint(red, "the devices would do")
	}
	return s.paint(bold, n.Node) + "  " + verdict
}

// whyRows is a row for each rule that the node breaks besides devices, and one for each device.
func (s Style) whyRows(n *answer.WhyNode, short ids, containers bool) [][]string {
	var rows [][]string
	for _, f := range n.Rules {
		rows = append(rows, []string{"(node)", "", s.paint(red, f.Rule), f.Want, f.Have})
	}
	for i := range n.Devices {
		d := &n.Devices[i]
		again := i > 0 && n.Devices[i-1].Device == d.Device && n.Devices[i-1].Verdict == answer.VerdictGranted
		if d.Verdict == answer.VerdictNotTried || again && n.Reasons == "" {
			continue // a card that served until it was full is no refusal
		}
		row := []string{short.of(d.Device), "", s.outcome(d), d.Want, d.Have}
		if containers {
			row[1] = d.Container
		}
		rows = append(rows, row)
	}
	return rows
}

func (s Style) outcome(d *answer.WhyDevice) string {
	if d.Verdict != answer.VerdictGranted {
		return s.paint(red, d.Rule)
	}
	out := "serves"
	if d.Times > 1 {
		out += fmt.Sprintf(" %d times", d.Times)
	}
	if d.Chosen {
		out += ", chosen"
	}
	return s.paint(green, out)
}
