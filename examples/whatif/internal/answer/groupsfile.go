package answer

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"
	sigsyaml "sigs.k8s.io/yaml"
)

// position is where a group is described.
type position struct {
	file   string
	line   int    // 0: not known
	group  string // name or number
	fields map[string]int
}

// wrong is an error about a field; an empty one is the group.
func (p *position) wrong(field string, err error) error {
	line := p.line
	if at, known := p.fields[field]; known {
		line = at
	}
	return &GroupError{File: p.file, Line: line, Group: p.group, Field: field, Err: err}
}

// GroupError is something wrong with a node group.
type GroupError struct {
	File  string // empty: it comes from no file
	Line  int    // from 1; 0: not known
	Group string // name or number
	Field string // empty: the group
	Err   error
}

// Error names file, line, group and field, as far as they are known, and the cause.
func (e *GroupError) Error() string {
	where := "group " + e.Group
	if e.Field != "" {
		where += ": " + e.Field
	}
	if e.Line > 0 {
		where = fmt.Sprintf("line %d: %s", e.Line, where)
	}
	if e.File != "" {
		where = e.File + ": " + where
	}
	return fmt.Sprintf("%s: %v", where, e.Err)
}

// Unwrap returns the cause.
func (e *GroupError) Unwrap() error { return e.Err }

// ParseGroups reads a groups file: a YAML or JSON list of [GroupSpec]. All errors are told, each a [*GroupError];
// the groups without are returned all the same.
func ParseGroups(file string, text []byte) ([]GroupSpec, error) {
	var raw []json.RawMessage
	if err := sigsyaml.Unmarshal(text, &raw); err != nil {
		return nil, fmt.Errorf("%s: want a list of node groups: %w", file, err)
	}
	out, at := make([]GroupSpec, len(raw)), positions(file, text, len(raw))
	seen := map[string]bool{}
	var errs []error
	var good []GroupSpec
	for i, r := range raw {
		if err := out[i].read(r, at[i], seen); err != nil {
			errs = append(errs, err)
			continue
		}
		good = append(good, out[i])
	}
	if len(out) == 0 {
		return nil, fmt.Errorf("%s: %w in the list", file, ErrNoGroups)
	}
	return good, errors.Join(errs...)
}

// read reads one entry of a groups file. seen are the names of those before.
func (g *GroupSpec) read(text json.RawMessage, at position, seen map[string]bool) error {
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(g); err != nil {
		return at.wrong(fieldOf(err), err)
	}
	g.at = at
	if field, err := g.validate(); err != nil {
		return g.at.wrong(field, err)
	}
	if seen[g.Name] {
		return g.at.wrong("name", fmt.Errorf("%s occurs twice", g.Name))
	}
	seen[g.Name] = true
	g.at.group = g.Name
	return nil
}

// positions are those of n groups, as far as they can be told.
func positions(file string, text []byte, n int) []position {
	out := make([]position, n)
	for i := range out {
		out[i] = position{file: file, group: strconv.Itoa(i)}
	}
	var document yaml.Node
	if yaml.Unmarshal(text, &document) != nil || len(document.Content) != 1 || len(document.Content[0].Content) != n {
		return out
	}
	for i, item := range document.Content[0].Content {
		out[i].line, out[i].fields = item.Line, map[string]int{}
		for k := 0; item.Kind == yaml.MappingNode && k < len(item.Content); k += 2 {
			out[i].fields[item.Content[k].Value] = item.Content[k].Line
		}
	}
	return out
}

// fieldOf is the field that an error of the JSON decoder is about; empty: none is known.
func fieldOf(err error) string {
	if wrong := (*json.UnmarshalTypeError)(nil); errors.As(err, &wrong) {
		return wrong.Field
	}
	quoted, _ := strings.CutPrefix(err.Error(), "json: unknown field ")
	field, _ := strconv.Unquote(quoted)
	return field
}

// validate checks the fields; field is the one that is wrong.
func (g *GroupSpec) validate() (field string, err error) {
	switch {
	case g.Name == "":
		return "name", errors.New("missing")
	case g.MaxNew < 0:
		return "maxNew", fmt.Errorf("must not be negative: %d", g.MaxNew)
	case g.Price < 0 || math.IsNaN(g.Price) || math.IsInf(g.Price, 0):
		return "price", fmt.Errorf("must not be negative: %v", g.Price)
	case g.inline() && g.Sample != "":
		return "sample, node", errors.New("want one of the two")
	case !g.inline() && g.Sample == "" && g.Profile == "":
		return "sample, node", errors.New("want one of the two, or a profile")
	}
	return "", nil
}

// inline says whether the group brings its sample along.
func (g *GroupSpec) inline() bool { return len(g.Node) > 0 && string(g.Node) != "null" }
