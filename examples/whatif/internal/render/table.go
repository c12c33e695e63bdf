package render

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/jedib0t/go-pretty/v6/text"

	"github.com/accelfit/accelfit/examples/whatif/internal/answer"
)

// Table writes the devices of each node.
func (s Style) Table(w io.Writer, t *answer.Table) {
	var units []string
	for i := range t.Nodes {
		for k := range t.Nodes[i].Devices {
			units = append(units, t.Nodes[i].Devices[k].CoreUnit)
		}
	}
	header, cores := coresColumn(units)
	columns := []column{
		{name: "DEVICE"}, {name: "MODEL", max: 20}, {name: "MODE", max: 12}, {name: "STATE"}, {name: "NUMA", right: true},
		{name: "SLOTS", right: true}, {name: "MEMORY MiB"}, {name: header, right: true},
	}
	var known []string
	for i := range t.Nodes {
		for k := range t.Nodes[i].Devices {
			known = append(known, t.Nodes[i].Devices[k].ID)
		}
	}
	short := s.ids(known)
	nodes := make([]section, len(t.Nodes))
	for i := range t.Nodes {
		nodes[i].heading = s.nodeLine(&t.Nodes[i])
		for k := range t.Nodes[i].Devices {
			d := &t.Nodes[i].Devices[k]
			nodes[i].rows = append(nodes[i].rows, s.deviceCells(d, short, cores))
			nodes[i].below = append(nodes[i].below, belowDevice(d))
		}
	}
	fmt.Fprint(w, sections(columns, nodes))
	if len(t.NoDevices) > 0 {
		fmt.Fprintln(w)
		paragraph(w, "", "Without devices: "+strings.Join(t.NoDevices, ", "))
	}
	for i, q := range t.Quotas {
		if i == 0 {
			fmt.Fprintln(w)
		}
		fmt.Fprintln(w, quotaLine(&q))
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

func (s Style) deviceCells(d *answer.DeviceRow, short ids, cores func(amount, unit string) string) []string {
	return []string{
		short.of(d.ID), text.Trim(model(d.Type), 60), text.Trim(d.Mode, 24), s.state(d.State), fmt.Sprint(d.NUMA),
		share(d.Slots), bar(d.Memory) + " " + share(d.Memory), cores(share(d.Cores), d.CoreUnit),
	}
}

// belowDevice is the instances on a device and the pods that hold some of it.
func belowDevice(d *answer.DeviceRow) []string {
	var lines []string
	if d.MIG != nil {
		lines = append(lines, strip(d.MIG))
	}
	if len(d.Pods) == 0 {
		return lines
	}
	rows := make([][]string, len(d.Pods))
	for i, p := range d.Pods {
		rows[i] = []string{text.Trim(p.Pod, 80), fmt.Sprintf("%d MiB", p.Memory), fmt.Sprintf("%d %s", p.Cores, coreWord(d.CoreUnit))}
		if p.Slots > 1 {
			rows[i][2] += fmt.Sprintf(", %d slots", p.Slots)
		}
	}
	table := grid([]column{{name: "pod"}, {name: "memory", right: true}, {name: "cores", right: true}}, rows)
	return append(lines, strings.Split(strings.TrimSuffix(table, "\n"), "\n")[1:]...) // without the header
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

const barCells = 10

// bar draws a share: a cell that is partly used is drawn as used, so that only an empty bar means nothing is.
func bar(x answer.Share) string {
	n := 0
	if x.All > 0 && x.Used > 0 {
		part := float64(x.Used) / float64(x.All)
		n = min(barCells, max(1, int(part*barCells+0.5)))
		if n == barCells && x.Used < x.All {
			n--
		}
	}
	return strings.Repeat("█", n) + strings.Repeat("░", barCells-n)
}

// strip draws one cell per slice of a card in mode mig: [1g|··|2g───|··].
func strip(m *answer.MIGStrip) string {
	var cells []string
	next := 0
	for _, x := range m.Instances {
		start := max(int(min(x.Start, uint32(m.Slices))), next)
		if start >= m.Slices {
			break
		}
		for ; next < start; next++ {
			cells = append(cells, "··")
		}
		size := int(min(max(int64(x.Start)+int64(x.Size)-int64(next), 0), int64(m.Slices-next)))
		if size == 0 {
			continue
		}
		name, _, _ := strings.Cut(x.Profile, ".")
		wide := 3*size - 1
		name = text.Trim(name, wide)
		cells = append(cells, name+strings.Repeat("─", max(0, wide-text.StringWidth(name))))
		next += size
	}
	for ; next < m.Slices; next++ {
		cells = append(cells, "··")
	}
	return "[" + strings.Join(cells, "|") + "]"
}

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
