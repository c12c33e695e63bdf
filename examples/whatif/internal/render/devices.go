package render

import (
	"fmt"
	"strings"

	"github.com/jedib0t/go-pretty/v6/text"

	"github.com/accelfit/accelfit/examples/whatif/internal/answer"
)

// deviceTable is the table of the devices of nodes.
type deviceTable struct {
	style  Style
	short  ids
	header string // of the column of cores
	cores  func(amount, unit string) string

	folded   bool // model, mode and NUMA node stand above devices, for lack of room
	bar      int  // cells of a bar of memory
	coresBar int  // cells of a bar of cores; 0: none
	slice    int  // cells of a slice of a card in mode mig
}

func (d *deviceTable) sections(nodes []answer.NodeRow) string {
	d.bar, d.slice = barCells, shortSlice
	if d.style.Width > 0 {
		d.useRoom(nodes)
	}
	all := make([]section, len(nodes))
	for i := range nodes {
		all[i].heading = d.style.nodeLine(&nodes[i])
		for k := range nodes[i].Devices {
			x := &nodes[i].Devices[k]
			all[i].rows = append(all[i].rows, d.row(x))
			all[i].below = append(all[i].below, func(room int) []string { return d.below(x, room) })
		}
	}
	return d.style.sections(0, d.columns(), all)
}

// useRoom folds the table if it is too wide with short bars, else makes bars as long as there is room for.
func (d *deviceTable) useRoom(nodes []answer.NodeRow) {
	left := d.left(nodes)
	if left < shortBar-barCells {
		d.folded = true
		left = d.left(nodes)
	}
	d.bar = min(max(barCells+left, leastBar), mostBar)
	if both := (barCells + left - 1) / 2; both >= barCells && !d.folded {
		d.bar = min(both, mostBar)
		d.coresBar = d.bar
	}
	for i := range nodes {
		for k := range nodes[i].Devices {
			if m := nodes[i].Devices[k].MIG; m != nil {
				d.slice = max(d.slice, sliceFor(m))
			}
		}
	}
}

// left is how much room the table leaves; less than zero: how much it lacks.
func (d *deviceTable) left(nodes []answer.NodeRow) int {
	var all []section
	for i := range nodes {
		for k := range nodes[i].Devices {
			all = append(all, section{rows: [][]string{d.row(&nodes[i].Devices[k])}})
		}
	}
	columns, all := d.style.withContent(d.columns(), all)
	wanted, _ := d.style.measure(columns, rowsOf(all))
	inset := gap
	if d.folded {
		wanted, inset = wanted[1:], 2*gap
	}
	return d.style.Width - inset - total(wanted)
}

func (d *deviceTable) columns() []column {
	first := []column{
		{name: "DEVICE"}, {name: "MODEL", max: 20}, {name: "MODE", max: 12}, {name: "STATE"}, {name: "NUMA", right: true},
	}
	if d.folded {
		first = []column{{name: "MODEL", max: 60, above: true}, {name: "DEVICE"}, {name: "STATE"}}
	}
	return append(first,
		column{name: "SLOTS", right: true}, column{name: "MEMORY MiB"}, column{name: d.header, right: d.coresBar == 0})
}

func (d *deviceTable) row(x *answer.DeviceRow) []string {
	s := d.style
	first := []string{d.short.of(x.ID), modelOf(x), modeOf(x), s.state(x.State), fmt.Sprint(x.NUMA)}
	if d.folded {
		first = []string{kindOf(x), d.short.of(x.ID), s.state(x.State)}
	}
	cores := d.cores(share(x.Cores), x.CoreUnit)
	if d.coresBar > 0 {
		cores = s.bar(x.Cores, d.coresBar) + " " + cores
	}
	return append(first, share(x.Slots), s.bar(x.Memory, d.bar)+" "+share(x.Memory), cores)
}

// modelOf and modeOf are words of the registration, cut where there is no sense in them.
func modelOf(x *answer.DeviceRow) string { return text.Snip(model(x.Type), 60, "…") }
func modeOf(x *answer.DeviceRow) string  { return text.Snip(x.Mode, 24, "…") }

// kindOf is what is folded.
func kindOf(x *answer.DeviceRow) string {
	kind := modelOf(x)
	if mode := modeOf(x); mode != "" {
		kind += ", mode " + mode
	}
	return kind + fmt.Sprintf(", NUMA node %d", x.NUMA)
}

// below is the lines below a device: the instances on it and the pods that hold some of it.
func (d *deviceTable) below(x *answer.DeviceRow, room int) []string {
	var lines []string
	if x.MIG != nil {
		strip := d.style.strip(x.MIG, d.slice, room)
		lines = append(lines, d.style.lines(strip, d.style.Width-room)...)
	}
	if len(x.Pods) > 0 {
		lines = append(lines, d.pods(x, room)...)
	}
	return lines
}

// pods is the lines about the pods that hold some of a device.
func (d *deviceTable) pods(x *answer.DeviceRow, room int) []string {
	rows := make([][]string, len(x.Pods))
	for i, p := range x.Pods {
		rows[i] = []string{p.Pod, fmt.Sprintf("%d MiB", p.Memory), fmt.Sprintf("%d %s", p.Cores, coreWord(x.CoreUnit))}
		if p.Slots > 1 {
			rows[i][2] += fmt.Sprintf(", %d slots", p.Slots)
		}
	}
	s := d.style
	if s.Width > 0 {
		s.Width = room
	}
	table := s.grid(0, []column{{}, {right: true}, {right: true}}, rows)
	return strings.Split(strings.TrimSuffix(table, "\n"), "\n")
}
