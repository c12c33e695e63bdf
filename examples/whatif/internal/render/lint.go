package render

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/jedib0t/go-pretty/v6/text"

	"github.com/accelfit/accelfit/examples/whatif/internal/answer"
)

// Lint writes what is wrong, by object.
func (s Style) Lint(w io.Writer, l *answer.Lint) {
	narrow(w, "", s.paint(verdict(l.OK), l.Summary))
	var objects []section
	for i := range l.Findings {
		f := &l.Findings[i]
		if i == 0 || !slices.Equal(f.Objects, l.Findings[i-1].Objects) {
			objects = append(objects, section{heading: s.paint(bold, someOf(f.Objects))})
		}
		last := &objects[len(objects)-1]
		last.rows = append(last.rows, []string{
			s.severity(f.Severity), stacked(34, f.Key, f.Field), stacked(52, f.Why, "Do: "+f.Do),
		})
	}
	if len(objects) > 0 {
		fmt.Fprint(w, "\n"+sections([]column{{name: "SEVERITY"}, {name: "KEY"}, {name: "WHAT IS WRONG, AND WHAT TO DO"}}, objects))
	}
}

// stacked puts texts below each other, each wrapped.
func stacked(width int, parts ...string) string {
	var lines []string
	for _, p := range parts {
		if p != "" {
			lines = append(lines, strings.TrimRight(text.WrapSoft(strings.ReplaceAll(p, "\n", " "), width), " "))
		}
	}
	return strings.Join(lines, "\n")
}

// someOf is the first of several objects of one kind, with the number of the others.
func someOf(objects []string) string {
	if more := len(objects) - 1; more > 0 {
		return fmt.Sprintf("%s and %d more", objects[0], more)
	}
	return objects[0]
}
