package render

import (
	"fmt"
	"io"
	"strings"

	"github.com/accelfit/accelfit/examples/whatif/internal/answer"
)

// Capacity writes how many more pods of each kind fit.
func (s Style) Capacity(w io.Writer, c *answer.Capacity) {
	s.paragraph(w, "", c.Summary)
	for i := range c.Kinds {
		s.kind(w, &c.Kinds[i])
	}
	s.remarks(w, &c.Remarks)
}

func (s Style) kind(w io.Writer, k *answer.KindCapacity) {
	fmt.Fprintln(w)
	s.paragraph(w, "", s.kindLine(k))
	for i := range k.Asks {
		s.line(w, "  ", "Asks: "+askLine(&k.Asks[i]))
	}
	if len(k.Nodes) > 0 {
		rows := make([][]string, len(k.Nodes))
		for i, n := range k.Nodes {
			rows[i] = []string{n.Node, count(n.Pods, n.Capped), n.Last}
		}
		fmt.Fprint(w, s.grid(gap, []column{{name: "NODE", max: 44}, {name: "MORE", right: true}, {name: "THEN", max: 66}}, rows))
	}
	if len(k.Refused) > 0 {
		fmt.Fprintln(w, "  None on:")
		fmt.Fprint(w, s.refusals(2*gap, k.Refused))
	}
}

func (s Style) kindLine(k *answer.KindCapacity) string {
	name := k.Pod
	if n := len(k.Like); n > 0 {
		name += fmt.Sprintf(" (and %d like it)", n)
	}
	name = s.paint(bold, name) + "  "
	switch {
	case k.Invalid != "":
		return name + s.paint(red, k.Invalid)
	case k.Total == 0:
		return name + s.paint(red, "none fits")
	case k.Quota:
		return name + s.paint(green, count(k.Total, k.Capped)+" more fit") + " until the namespace's quota is used up"
	}
	return name + s.paint(green, count(k.Total, k.Capped)+" more fit")
}

func count(n int, capped bool) string {
	if capped {
		return fmt.Sprintf("%d+", n)
	}
	return fmt.Sprint(n)
}

// Fragmentation writes the largest request that fits on each node.
func (s Style) Fragmentation(w io.Writer, f *answer.Fragmentation) {
	s.paragraph(w, "", f.Summary)
	for i := range f.Vendors {
		s.fragments(w, &f.Vendors[i])
	}
	s.remarks(w, &f.Remarks)
}

func (s Style) fragments(w io.Writer, v *answer.VendorFragments) {
	s.title(w, v.Vendor)
	rows := make([][]string, len(v.Nodes))
	for i, n := range v.Nodes {
		row := []string{n.Node, "", "", fmt.Sprintf("%d of %d", n.Devices, n.Have), n.Refused}
		if v.ByMemory {
			row[1], row[2] = fmt.Sprint(n.Free), fmt.Sprint(n.Memory)
		}
		rows[i] = row
	}
	fmt.Fprint(w, s.grid(gap, []column{
		{name: "NODE", max: 44}, {name: "FREE MiB", right: true}, {name: "LARGEST MiB", right: true}, {name: "DEVICES", right: true},
		{name: "WHY NOT", max: 50},
	}, rows))
}

// MakeRoom writes which pods would have to move.
func (s Style) MakeRoom(w io.Writer, m *answer.MakeRoom) {
	s.paragraph(w, "", s.paint(verdict(m.Fits), m.Summary))
	for i := range m.Asks {
		s.line(w, "", "Asks: "+askLine(&m.Asks[i]))
	}
	if m.Fits {
		placed := answer.Placement{Pod: m.Pod, Node: m.Node, Devices: m.Devices}
		fmt.Fprintln(w)
		fmt.Fprint(w, s.placements(0, append([]answer.Placement{placed}, movedPods(m.Moves)...)))
	}
	if len(m.Refused) > 0 {
		fmt.Fprintln(w, "\nWhy it does not fit as things are:")
		fmt.Fprint(w, s.refusals(gap, m.Refused))
	}
	s.remarks(w, &m.Remarks)
}

func movedPods(moves []answer.Moved) []answer.Placement {
	out := make([]answer.Placement, len(moves))
	for i, m := range moves {
		out[i] = answer.Placement{Pod: m.Pod, Node: m.To, RunsOn: m.From, Devices: m.Devices}
	}
	return out
}

// Drain writes where the pods of a node go.
func (s Style) Drain(w io.Writer, d *answer.Drain) {
	s.paragraph(w, "", s.paint(verdict(d.Fits), d.Summary))
	if len(d.Moves) > 0 {
		fmt.Fprintln(w)
		fmt.Fprint(w, s.placements(0, movedPods(d.Moves)))
	}
	for _, p := range d.Stuck {
		s.nowhere(w, p.Pod)
		if p.Invalid != "" {
			s.paragraph(w, "  ", p.Invalid)
		}
		if len(p.Refused) > 0 {
			fmt.Fprint(w, s.refusals(gap, p.Refused))
		}
	}
	if len(d.Stays) > 0 {
		fmt.Fprintln(w)
		s.paragraph(w, "", "With the node go: "+strings.Join(d.Stays, ", ")+".")
	}
	s.remarks(w, &d.Remarks)
}
