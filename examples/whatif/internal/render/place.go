package render

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/accelfit/accelfit/examples/whatif/internal/answer"
)

// Place writes where pods would go and what would be written on them.
func (s Style) Place(w io.Writer, p *answer.Place) {
	paragraph(w, "", s.paint(verdict(p.Fits), p.Summary))
	fmt.Fprintln(w)
	fmt.Fprint(w, s.placements(p.Pods))
	for i := range p.Pods {
		s.annotations(w, &p.Pods[i])
	}
	for i := range p.Pods {
		switch q := &p.Pods[i]; {
		case q.Invalid != "":
			fmt.Fprintf(w, "\nWhy %s goes nowhere:\n", q.Pod)
			paragraph(w, "  ", q.Invalid)
		case q.Node == "":
			fmt.Fprintf(w, "\nWhy %s goes nowhere:\n", q.Pod)
			fmt.Fprint(w, refusals(q.Refused))
		}
	}
	s.remarks(w, &p.Remarks)
}

// placements is a table of pods and what they get.
func (s Style) placements(pods []answer.Placement) string {
	var known, units []string
	for i := range pods {
		for _, d := range pods[i].Devices {
			known, units = append(known, d.Device), append(units, d.CoreUnit)
		}
	}
	short := s.ids(known)
	header, cores := coresColumn(units)
	var rows [][]string
	for i := range pods {
		p := &pods[i]
		pod, node := p.Pod, p.Node
		if p.RunsOn != "" {
			pod += " (now on " + p.RunsOn + ")"
		}
		if node == "" {
			node = s.paint(red, "nowhere")
		}
		if len(p.Devices) == 0 {
			rows = append(rows, []string{pod, node, "", "", "", "", ""})
		}
		several := severalContainers(p.Devices)
		for _, d := range p.Devices {
			container, instance := "", ""
			if several {
				container = d.Container
			}
			if d.MIG != nil {
				instance = fmt.Sprintf("%s at %d", d.MIG.Profile, d.MIG.Start)
			}
			rows = append(rows, []string{pod, node, container, short.of(d.Device), fmt.Sprint(d.Memory), cores(fmt.Sprint(d.Cores), d.CoreUnit), instance})
			pod, node = "", ""
		}
	}
	columns := []column{
		{name: "POD", max: 44}, {name: "NODE", max: 60}, {name: "CONTAINER", max: 20}, {name: "DEVICE"},
		{name: "MEMORY MiB", right: true}, {name: header, right: true}, {name: "INSTANCE"},
	}
	return grid(columns, rows)
}

func severalContainers(devices []answer.Granted) bool {
	return slices.ContainsFunc(devices, func(d answer.Granted) bool { return d.Container != devices[0].Container })
}

func (s Style) annotations(w io.Writer, p *answer.Placement) {
	if len(p.Annotations) == 0 {
		return
	}
	fmt.Fprintf(w, "\nAnnotations of %s, besides time stamps:\n", p.Pod)
	for _, key := range slices.Sorted(maps.Keys(p.Annotations)) {
		fmt.Fprintf(w, "  set     %s: %s\n", key, p.Annotations[key])
	}
	for _, key := range p.Stale {
		fmt.Fprintf(w, "  remove  %s\n", key)
	}
}

// refusals is a table of why nodes refuse.
func refusals(all []answer.Refused) string {
	rows := make([][]string, len(all))
	for i, r := range all {
		rows[i] = []string{names(r.By), r.Why}
	}
	return indent(grid([]column{{name: "NODE", max: 44}, {name: "WHY", max: 70}}, rows))
}

// mostNames is how many names a cell holds.
const mostNames = 3

func names(all []string) string {
	if more := len(all) - mostNames; more > 1 {
		return strings.Join(all[:mostNames], ", ") + fmt.Sprintf(" and %d more", more)
	}
	return strings.Join(all, ", ")
}
