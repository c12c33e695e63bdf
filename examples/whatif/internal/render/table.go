package render

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/accelfit/accelfit/examples/whatif/internal/answer"
)

// Table writes the devices of each node.
func (s Style) Table(w io.Writer, t *answer.Table) {
	var units, known []string
	for i := range t.Nodes {
		for k := range t.Nodes[i].Devices {
			d := &t.Nodes[i].Devices[k]
			units, known = append(units, d.CoreUnit), append(known, d.ID)
		}
	}
	d := deviceTable{style: s, short: s.ids(known)}
	d.header, d.cores = coresColumn(units)
	fmt.Fprint(w, d.sections(t.Nodes))
	if len(t.NoDevices) > 0 {
		fmt.Fprintln(w)
		s.paragraph(w, "", "Without devices: "+strings.Join(t.NoDevices, ", "))
	}
	for i, q := range t.Quotas {
		if i == 0 {
			fmt.Fprintln(w)
		}
		s.line(w, "", quotaLine(&q))
	}
	s.remarks(w, &t.Remarks)
}

func (s Style) nodeLine(n *answer.NodeRow) string {
	marks := []string{}
	if !n.Ready {
		marks = append(marks, s.paint(red, "not ready"))
	}
	if n.Cordoned {
		marks = append(marks, s.paint(yellow, "cordoned"))
	}
	for _, v := range n.Unreadable {
		marks = append(marks, s.paint(red, v+" devices cannot be read (see Problems)"))
	}
	line := s.paint(bold, n.Name)
	if len(marks) > 0 {
		line += "  " + strings.Join(marks, ", ")
	}
	memoryUsed := strings.TrimSuffix(n.Memory.Used, " Gi")
	return line + s.paint(faint, fmt.Sprintf("  cpu %s/%s, memory %s/%s, pods %s/%s",
		n.CPU.Used, n.CPU.All, memoryUsed, n.Memory.All, n.Pods.Used, n.Pods.All))
}

// coresColumn is the header of a column of cores and how its cells are written: with their unit where units differ.
func coresColumn(units []string) (header string, cell func(amount, unit string) string) {
	slices.Sort(units)
	if units = slices.Compact(units); len(units) == 1 {
		return "CORES " + units[0], func(amount, _ string) string { return amount }
	}
	return "CORES", func(amount, unit string) string { return amount + " " + unit }
}

func coreWord(unit string) string {
	if unit == "%" {
		return "% core"
	}
	return unit
}

// model is a device type without the maker's name, which the vendor column of other answers tells.
func model(t string) string {
	m := strings.TrimPrefix(strings.TrimPrefix(t, "NVIDIA-"), "NVIDIA ")
	if m == "" {
		return t
	}
	return m
}

func (s Style) state(state string) string {
	switch state {
	case "ok":
		return s.paint(green, state)
	case "cordoned":
		return s.paint(yellow, state)
	}
	return s.paint(red, state)
}

func share(x answer.Share) string { return fmt.Sprintf("%d/%d", x.Used, x.All) }

func quotaLine(q *answer.QuotaRow) string {
	var left []string
	if q.MemoryLeft != nil {
		left = append(left, fmt.Sprintf("%d MiB", *q.MemoryLeft))
	}
	if q.CoresLeft != nil {
		left = append(left, fmt.Sprintf("%d %s", *q.CoresLeft, coreWord(q.CoreUnit)))
	}
	return fmt.Sprintf("Quota of namespace %s: %s of %s devices left", q.Namespace, strings.Join(left, " and "), q.Vendor)
}
