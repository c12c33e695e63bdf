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
	s.paragraph(w, "", s.paint(verdict(p.Fits), p.Summary))
	fmt.Fprintln(w)
	fmt.Fprint(w, s.placements(0, p.Pods))
	for i := range p.Pods {
		s.annotations(w, &p.Pods[i])
	}
	for i := range p.Pods {
		switch q := &p.Pods[i]; {
		case q.Invalid != "":
			s.nowhere(w, q.Pod)
			s.paragraph(w, "  ", q.Invalid)
		case q.Node == "":
			s.nowhere(w, q.Pod)
			fmt.Fprint(w, s.refusals(gap, q.Refused))
		}
	}
	s.remarks(w, &p.Remarks)
}

// placements is a table of pods and what they get.
func (s Style) placements(inset int, pods []answer.Placement) string {
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
	return s.grid(inset, columns, rows)
}

// nowhere writes what stands above why a pod has no place.
func (s Style) nowhere(w io.Writer, pod string) {
	fmt.Fprintln(w)
	s.line(w, "", "Why "+pod+" goes nowhere:")
}

func severalContainers(devices []answer.Granted) bool {
	return slices.ContainsFunc(devices, func(d answer.Granted) bool { return d.Container != devices[0].Container })
}

func (s Style) annotations(w io.Writer, p *answer.Placement) {
	if len(p.Annotations) == 0 {
		return
	}
	fmt.Fprintln(w)
	s.line(w, "", "Annotations of "+p.Pod+", besides time stamps:")
	for _, key := range slices.Sorted(maps.Keys(p.Annotations)) {
		s.line(w, "  ", "set     "+key+": "+s.whole(p.Annotations[key]))
	}
	for _, key := range p.Stale {
		s.line(w, "  ", "remove  "+key)
	}
}

// refusals is a table of why nodes refuse.
func (s Style) refusals(inset int, all []answer.Refused) string {
	rows := make([][]string, len(all))
	for i, r := range all {
		rows[i] = []string{names(r.By), r.Why}
	}
	return s.grid(inset, []column{{name: "NODE", max: 44}, {name: "WHY", max: 70}}, rows)
}

// mostNames is how many names a cell holds.
const mostNames = 3

func names(all []string) string {
	if more := len(all) - mostNames; more > 1 {
		return strings.Join(all[:mostNames], ", ") + fmt.Sprintf(" and %d more", more)
	}
	return strings.Join(all, ", ")
}
