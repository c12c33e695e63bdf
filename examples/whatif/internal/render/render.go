// Package render writes answers for people: tables of at most about 120 columns, the problems at the end.
package render

import (
	"fmt"
	"io"
	"strings"

	"github.com/jedib0t/go-pretty/v6/text"

	"github.com/accelfit/accelfit/examples/whatif/internal/answer"
	"github.com/accelfit/accelfit/examples/whatif/internal/problem"
)

// Style says how to write.
type Style struct {
	Colour  bool
	FullIDs bool // device ids in full; otherwise as far as they are needed to tell devices apart
}

// width is the number of columns that texts are wrapped at.
const width = 118

// paragraph writes a sentence, wrapped: its first line after an indent, the others two columns deeper.
func paragraph(w io.Writer, indent, s string) { wrapped(w, width, indent, s) }

// narrow is paragraph for answers that are read as text rather than as a table.
func narrow(w io.Writer, indent, s string) { wrapped(w, 98, indent, s) }

func wrapped(w io.Writer, width int, indent, s string) {
	first := true
	for line := range strings.SplitSeq(text.WrapSoft(s, width-len(indent)-2), "\n") {
		fmt.Fprintln(w, strings.TrimRight(indent+strings.TrimLeft(line, " "), " "))
		if first {
			first, indent = false, indent+"  "
		}
	}
}

// remarks writes what every answer says beside the answer.
func (s Style) remarks(w io.Writer, r *answer.Remarks) {
	if len(r.Upcoming) > 0 {
		fmt.Fprintf(w, "\n%s\n", s.paint(bold, "Upcoming: devices not registered yet, assumed from a profile; their ids will be others"))
		rows := make([][]string, len(r.Upcoming))
		for i, u := range r.Upcoming {
			rows[i] = []string{u.Node, plural(u.Devices, "device"), u.Profile, ""}
			if !u.Ready {
				rows[i][3] = "not Ready: no pod is placed on it"
			}
		}
		fmt.Fprint(w, indent(grid([]column{{name: "NODE", max: 44}, {name: "ASSUMED"}, {name: "PROFILE", max: 30}, {name: "BUT"}}, rows)))
	}
	s.Problems(w, r.Problems)
}

// Problems writes what was wrong with the input, if anything; the same problem of several objects once.
func (s Style) Problems(w io.Writer, problems []problem.Problem) {
	s.problems(w, "Problems", problems, paragraph)
}

// problems writes problems under a heading.
func (s Style) problems(w io.Writer, heading string, problems []problem.Problem, paragraph func(w io.Writer, indent, s string)) {
	if len(problems) == 0 {
		return
	}
	var order []problem.Problem
	objects := map[problem.Problem][]string{}
	for _, p := range problems {
		object := p.Object
		kind, _, _ := strings.Cut(object, " ")
		p.Object = kind
		if objects[p] == nil {
			order = append(order, p)
		}
		objects[p] = append(objects[p], object)
	}
	fmt.Fprintf(w, "\n%s\n", s.paint(red, heading))
	for _, p := range order {
		names := objects[p]
		line := names[0]
		if more := len(names) - 1; more > 0 {
			line += fmt.Sprintf(" (and %d more)", more)
		}
		for _, part := range []string{p.Key, p.Field, p.Why} {
			if part != "" {
				line += ": " + part
			}
		}
		if p.LeftOut != "" {
			line += " (left out: " + p.LeftOut + ")"
		}
		paragraph(w, "  ", line)
	}
}

type colour string

const (
	red    colour = "31"
	green  colour = "32"
	yellow colour = "33"
	bold   colour = "1"
	faint  colour = "2"
)

func (s Style) paint(c colour, content string) string {
	if !s.Colour || content == "" {
		return content
	}
	return "\x1b[" + string(c) + "m" + content + "\x1b[0m"
}
