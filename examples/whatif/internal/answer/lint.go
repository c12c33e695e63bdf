package answer

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/accelfit/accelfit/device"
	"github.com/accelfit/accelfit/examples/whatif/internal/problem"
	"github.com/accelfit/accelfit/simulate"
)

// Lint is the answer of "whatif lint": everything that is wrong, or likely not meant so.
type Lint struct {
	Summary  string    `json:"summary"`
	OK       bool      `json:"ok"` // there are no errors
	Errors   int       `json:"errors"`
	Warnings int       `json:"warnings"`
	Findings []Finding `json:"findings"` // errors first, then by kind of object and key; equal ones once
}

// Finding is one thing that is wrong with one object, or in the same way with several.
type Finding struct {
	Severity string   `json:"severity"`        // error or warning
	Objects  []string `json:"objects"`         // "node n1", "pod team-a/p", a file name
	Key      string   `json:"key,omitempty"`   // annotation, resource, or configuration key
	Field    string   `json:"field,omitempty"` // entry and field within the key
	Why      string   `json:"why"`             // what is wrong
	Do       string   `json:"do"`              // what to do
}

// Severities of findings.
const (
	SeverityError   = "error"   // something does not work
	SeverityWarning = "warning" // something has no effect, or likely another one than was meant
)

// Linter gathers findings.
type Linter struct{ all []Finding }

func (l *Linter) add(severity, object, key, field, why, do string) {
	l.all = append(l.all, Finding{severity, []string{object}, key, field, why, do})
}

// problems adds the problems that an error consists of.
func (l *Linter) problems(severity, object string, err error, do func(problem.Problem) string) {
	for _, p := range problem.From(object, err, "") {
		l.add(severity, p.Object, p.Key, p.Field, p.Why, do(p))
	}
}

// always is advice whatever the problem.
func always(do string) func(problem.Problem) string {
	return func(problem.Problem) string { return do }
}

// Answer sorts the findings, and tells equal ones of several objects once.
func (l *Linter) Answer() *Lint {
	type key struct{ severity, kind, key, field, why, do string }
	out := &Lint{OK: true, Findings: []Finding{}}
	at := map[key]int{}
	for _, f := range l.all {
		kind, _, _ := strings.Cut(f.Objects[0], " ")
		k := key{f.Severity, kind, f.Key, f.Field, f.Why, f.Do}
		i, known := at[k]
		switch {
		case !known:
			at[k] = len(out.Findings)
			out.Findings = append(out.Findings, f)
		case !slices.Contains(out.Findings[i].Objects, f.Objects[0]):
			out.Findings[i].Objects = append(out.Findings[i].Objects, f.Objects[0])
		}
	}
	for i := range out.Findings {
		slices.Sort(out.Findings[i].Objects)
	}
	slices.SortStableFunc(out.Findings, func(a, b Finding) int {
		return cmp.Or(cmp.Compare(a.Severity, b.Severity), cmp.Compare(a.Objects[0], b.Objects[0]),
			cmp.Compare(a.Key, b.Key), cmp.Compare(a.Field, b.Field), cmp.Compare(a.Why, b.Why))
	})
	for i := range out.Findings {
		n := len(out.Findings[i].Objects)
		if out.Findings[i].Severity == SeverityError {
			out.Errors, out.OK = out.Errors+n, false
		} else {
			out.Warnings += n
		}
	}
	out.Summary = fmt.Sprintf("%s, %s.", plural(out.Errors, "error"), plural(out.Warnings, "warning"))
	if len(l.all) == 0 {
		out.Summary = "Nothing is wrong."
	}
	return out
}

// adviseInput says what to do about an object that cannot be read, or cannot be told from another.
func adviseInput(p problem.Problem) string {
	switch {
	case strings.Contains(p.Why, "twice"):
		return "print the cluster once, in one go"
	case strings.Contains(p.Why, "uid"):
		return "leave the uid out of copied objects"
	}
	return "print the object anew with kubectl; if it was written by hand, mend the field"
}

// file adds what is wrong with a file: line and field of each error, as far as it tells.
func (l *Linter) file(file string, err error, do string) {
	if joined, ok := err.(interface{ Unwrap() []error }); ok {
		for _, e := range joined.Unwrap() {
			l.file(file, e, do)
		}
		return
	}
	object, line, key, field, why := file, 0, "", "", err.Error()
	if p := (*simulate.ProfileError)(nil); errors.As(err, &p) {
		line, field, why = p.Line, p.Field, p.Err.Error()
	}
	if g := (*GroupError)(nil); errors.As(err, &g) {
		line, key, field, why = g.Line, "group "+g.Group, g.Field, g.Err.Error()
	}
	if d := (*device.DecodeError)(nil); errors.As(err, &d) {
		key, field, why = d.Key, strings.TrimSpace(d.Item+" "+d.Field), d.Err.Error()
	}
	if line > 0 {
		object = fmt.Sprintf("%s: line %d", file, line)
	}
	l.add(SeverityError, object, key, field, strings.TrimPrefix(strings.TrimPrefix(why, file+": "), "json: "), do)
}
