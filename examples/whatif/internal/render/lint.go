package render

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/accelfit/accelfit/examples/whatif/internal/answer"
)

// Lint writes what is wrong, by object.
func (s Style) Lint(w io.Writer, l *answer.Lint) {
	s.narrow(w, "", s.paint(verdict(l.OK), l.Summary))
	var objects []section
	for i := range l.Findings {
		f := &l.Findings[i]
		if i == 0 || !slices.Equal(f.Objects, l.Findings[i-1].Objects) {
			objects = append(objects, section{heading: s.paint(bold, someOf(f.Objects))})
		}
		last := &objects[len(objects)-1]
		last.rows = append(last.rows, []string{
			s.severity(f.Severity), stacked(f.Key, f.Field), stacked(f.Why, "Do: "+f.Do),
		})
	}
	if len(objects) > 0 {
		fmt.Fprint(w, "\n"+s.sections(0, []column{{name: "SEVERITY"}, {name: "KEY", max: 34}, {name: "WHAT IS WRONG, AND WHAT TO DO", max: 52}}, objects))
	}
}

// stacked puts texts below each other.
func stacked(parts ...string) string {
	return strings.Join(slices.DeleteFunc(parts, func(p string) bool { return p == "" }), "\n")
}

// someOf is the first of several objects of one kind, with the number of the others.
func someOf(objects []string) string {
	if more := len(objects) - 1; more > 0 {
		return fmt.Sprintf("%s and %d more", objects[0], more)
	}
	return objects[0]
}
