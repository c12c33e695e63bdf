package render

import (
	"fmt"
	"io"
	"strings"

	"github.com/jedib0t/go-pretty/v6/text"

	"github.com/accelfit/accelfit/examples/whatif/internal/answer"
)

// Verify writes in what nodes are not as their profiles promise.
func (s Style) Verify(w io.Writer, v *answer.Verify) {
	s.paragraph(w, "", s.paint(verdict(v.OK), v.Summary))
	fmt.Fprintln(w)
	vendors, known := map[string]bool{}, []string{}
	for i := range v.Nodes {
		for _, d := range v.Nodes[i].Drifts {
			vendors[d.Vendor] = d.Vendor != ""
			known = append(known, d.Device)
		}
	}
	short := s.ids(known)
	nodes := make([]section, len(v.Nodes))
	for i := range v.Nodes {
		n := &v.Nodes[i]
		nodes[i].heading = s.verifiedLine(n)
		nodes[i].rows = s.drifts(n.Drifts, short, len(vendors) > 1)
	}
	fmt.Fprint(w, s.sections(0, []column{
		{name: "SEVERITY"}, {name: "VENDOR"}, {name: "DEVICE", max: 40}, {name: "WHAT", max: 30},
		{name: "PROMISED", max: 30}, {name: "THERE IS", max: 30},
	}, nodes))
	if len(v.Unmatched) > 0 {
		fmt.Fprintln(w)
		s.paragraph(w, "", "No profile matches: "+strings.Join(v.Unmatched, ", "))
	}
	s.remarks(w, &v.Remarks)
}

func (s Style) verifiedLine(n *answer.VerifiedNode) string {
	line := s.paint(bold, n.Node) + s.paint(faint, "  profile "+text.Snip(n.Profile, 60, "…")+", by "+n.MatchedBy)
	switch {
	case !n.OK:
		return line + "  " + s.paint(red, "less than promised")
	case len(n.Drifts) > 0:
		return line + "  " + s.paint(yellow, "not as promised, but not less")
	}
	return line + "  " + s.paint(green, "as promised")
}

// drifts are rows of what differs; what differs in the same way of several devices is one row.
func (s Style) drifts(all []answer.Drift, short ids, vendors bool) (rows [][]string) {
	at, devices := map[[5]string]int{}, [][]string{}
	for _, d := range all {
		key := [5]string{d.Severity, d.Vendor, d.What, d.Want, d.Have}
		i, known := at[key]
		if !known {
			i = len(rows)
			at[key] = i
			row := []string{s.severity(d.Severity), "", "", d.What, d.Want, d.Have}
			if vendors {
				row[1] = d.Vendor
			}
			rows, devices = append(rows, row), append(devices, nil)
		}
		switch {
		case d.Device != "":
			devices[i] = append(devices[i], short.of(d.Device))
		case d.Index != nil:
			devices[i] = append(devices[i], fmt.Sprintf("index %d", *d.Index))
		}
	}
	for i := range rows {
		rows[i][2] = names(devices[i])
	}
	return rows
}

func (s Style) severity(severity string) string {
	if severity == "error" {
		return s.paint(red, severity)
	}
	return s.paint(yellow, severity)
}
