// Package render writes answers for people: tables that fit a terminal, or as wide as they need where there is none, the problems
// at the end. The texts of answers must be Clean.
package render

import (
	"fmt"
	"io"
	"strings"

	"github.com/accelfit/accelfit/examples/whatif/internal/answer"
	"github.com/accelfit/accelfit/examples/whatif/internal/problem"
)

// Style says how to write. Colours say nothing that the words do not.
type Style struct {
	Colour  bool
	FullIDs bool // device ids in full; otherwise as far as they are needed to tell devices apart
	Width   int  // cells of a line of the terminal; 0: no terminal, lines of tables are as long as they need
}

// Prose is wrapped at these widths, where the terminal is not narrower: lines that are longer are hard to read.
const (
	proseWidth  = 118
	narrowWidth = 98
)

// paragraph writes a sentence, wrapped: its first line after an indent, the others two columns deeper.
func (s Style) paragraph(w io.Writer, indent, text string) { s.wrapped(w, proseWidth, indent, text) }

// narrow is paragraph for answers that are read as text rather than as a table.
func (s Style) narrow(w io.Writer, indent, text string) { s.wrapped(w, narrowWidth, indent, text) }

// line writes what is to be one line: only a narrower terminal has it wrapped.
func (s Style) line(w io.Writer, indent, text string) {
	if s.Width == 0 {
		fmt.Fprintln(w, indent+text)
		return
	}
	s.hang(w, s.Width, indent, text)
}

// Line writes a text of one line, wrapped only where the terminal is narrower.
func (s Style) Line(w io.Writer, text string) { s.line(w, "", text) }

func (s Style) wrapped(w io.Writer, width int, indent, text string) {
	if s.Width > 0 {
		width = min(s.Width, proseWidth)
	}
	s.hang(w, width, indent, text)
}

func (s Style) hang(w io.Writer, width int, indent, text string) {
	for i, line := range wrap(s.together(text), width-len(indent)-gap) {
		fmt.Fprintln(w, strings.TrimRight(indent+line, " "))
		if i == 0 {
			indent += "  "
		}
	}
}

// remarks writes what every answer says beside the answer.
func (s Style) remarks(w io.Writer, r *answer.Remarks) {
	if len(r.Upcoming) > 0 {
		s.title(w, "Upcoming: devices not registered yet, assumed from a profile; their ids will be others")
		rows := make([][]string, len(r.Upcoming))
		for i, u := range r.Upcoming {
			rows[i] = []string{u.Node, plural(u.Devices, "device"), u.Profile, ""}
			if !u.Ready {
				rows[i][3] = "not Ready: no pod is placed on it"
			}
		}
		columns := []column{{name: "NODE", max: 44}, {name: "ASSUMED"}, {name: "PROFILE", max: 30}, {name: "BUT", max: 40}}
		fmt.Fprint(w, s.grid(gap, columns, rows))
	}
	s.Problems(w, r.Problems)
}

// Problems writes what was wrong with the input, if anything; the same problem of several objects once.
func (s Style) Problems(w io.Writer, problems []problem.Problem) {
	s.problems(w, "Problems", problems, proseWidth)
}

// problems writes problems under a heading.
func (s Style) problems(w io.Writer, heading string, problems []problem.Problem, width int) {
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
		s.wrapped(w, width, "  ", line)
	}
}

// title writes the heading of a part, below a blank line.
func (s Style) title(w io.Writer, heading string) {
	fmt.Fprintln(w)
	s.line(w, "", s.paint(bold, heading))
}

// colour is the number of a way to write; empty: none.
type colour string

const (
	red    colour = "31"
	green  colour = "32"
	yellow colour = "33"
	bold   colour = "1"
	faint  colour = "2"
)

func (s Style) paint(c colour, content string) string {
	if !s.Colour || c == "" || content == "" {
		return content
	}
	return "\x1b[" + string(c) + "m" + content + "\x1b[0m"
}
