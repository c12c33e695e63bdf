package simulate

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/accelfit/accelfit/device"
)

// profileReader reads the nodes of YAML documents, and gathers what is wrong with them.
type profileReader struct {
	errs   []error
	fields map[string]int // line of each field of the document at hand
	lines  map[string]int // line of each profile, by name
}

// reader reads one node, which is a field of the document.
type reader func(n *yaml.Node, field string)

type fields map[string]reader

// fail notes what is wrong with a field, with its line or, where it is not there, that of what it is part of.
func (r *profileReader) fail(n *yaml.Node, field string, err error) {
	line := n.Line
	for part := field; part != ""; part = parent(part) {
		if at, known := r.fields[part]; known {
			line = at
			break
		}
	}
	if len(r.errs) < maxProfileErrors {
		r.errs = append(r.errs, &ProfileError{Line: line, Field: field, Err: err})
	}
}

// parent is what a field is part of.
func parent(field string) string { return field[:max(0, strings.LastIndexAny(field, ".["))] }

// want says whether a node is of a kind; null is a field that is left out.
func (r *profileReader) want(n *yaml.Node, field string, kind yaml.Kind, what string) bool {
	r.fields[field] = n.Line
	switch {
	case n.Kind == yaml.AliasNode:
		r.fail(n, field, errAlias)
		return false
	case n.Kind == yaml.ScalarNode && n.ShortTag() == "!!null" && kind != yaml.ScalarNode:
		return false
	case n.Kind != kind:
		r.fail(n, field, fmt.Errorf("want %s", what))
		return false
	}
	return true
}

// object reads the fields of an object; there must be no others, and none twice.
func (r *profileReader) object(n *yaml.Node, field string, known fields) {
	r.each(n, field, func(key *yaml.Node, value *yaml.Node, name string) {
		read, ok := known[key.Value]
		if !ok {
			r.fields[name] = key.Line
			r.fail(key, name, fmt.Errorf("unknown field, want one of %s", strings.Join(slices.Sorted(maps.Keys(known)), ", ")))
			return
		}
		read(value, name)
	})
}

// each visits the entries of an object.
func (r *profileReader) each(n *yaml.Node, field string, visit func(key, value *yaml.Node, name string)) {
	if !r.want(n, field, yaml.MappingNode, "an object") {
		return
	}
	seen := map[string]bool{}
	for i := 0; i+1 < len(n.Content) && len(r.errs) < maxProfileErrors; i += 2 {
		key := n.Content[i]
		name := below(field, key.Value)
		switch {
		case key.Kind != yaml.ScalarNode:
			r.fail(key, field, errors.New("a field's name must be a text"))
		case seen[key.Value]:
			r.fields[name] = key.Line
			r.fail(key, name, errors.New("is there twice"))
		default:
			seen[key.Value] = true
			visit(key, n.Content[i+1], name)
		}
	}
}

// longestName bounds the names of fields. Names of annotations and labels are shorter.
const longestName = 384

// below is the name of a field of an object. A name that becomes too long is left out, so that a long one with many fields in it
// is not written down with each of them.
func below(field, key string) string {
	if len(field)+len(key) >= longestName {
		return field
	}
	return strings.TrimPrefix(field+"."+key, ".")
}

func (r *profileReader) with(known fields) reader {
	return func(n *yaml.Node, field string) { r.object(n, field, known) }
}

// list reads a list of items. An empty list is not nil.
func list[T any](r *profileReader, into *[]T, item func(*T) reader) reader {
	return func(n *yaml.Node, field string) {
		if !r.want(n, field, yaml.SequenceNode, "a list") {
			return
		}
		*into = make([]T, len(n.Content))
		for i := range n.Content {
			if len(r.errs) == maxProfileErrors {
				return
			}
			item(&(*into)[i])(n.Content[i], fmt.Sprintf("%s[%d]", field, i))
		}
	}
}

// perDevice reads one item, or a list of them.
func perDevice[T any](r *profileReader, into *PerDevice[T], one yaml.Kind, item func(*T) reader) reader {
	return func(n *yaml.Node, field string) {
		if n.Kind == one && n.ShortTag() != "!!null" {
			*into = make(PerDevice[T], 1)
			item(&(*into)[0])(n, field)
			return
		}
		list(r, (*[]T)(into), item)(n, field)
		if *into != nil && len(*into) == 0 {
			r.fail(n, field, errors.New("the list is empty"))
		}
	}
}

func (r *profileReader) text(into *string) reader {
	return func(n *yaml.Node, field string) {
		switch {
		case !r.want(n, field, yaml.ScalarNode, "a text"):
		case n.ShortTag() != "!!str":
			r.fail(n, field, fmt.Errorf("want a text, have %s; put it in quotes", n.Value))
		default:
			*into = n.Value
		}
	}
}

func (r *profileReader) optional(into **string) reader {
	return func(n *yaml.Node, field string) {
		*into = new(string)
		r.text(*into)(n, field)
	}
}

// texts reads an object of texts.
func (r *profileReader) texts(into *map[string]string) reader {
	return func(n *yaml.Node, field string) {
		r.each(n, field, func(key, value *yaml.Node, name string) {
			text := ""
			r.text(&text)(value, name)
			if *into == nil {
				*into = map[string]string{}
			}
			(*into)[key.Value] = text
		})
	}
}

func (r *profileReader) amount(into **int64) reader {
	return func(n *yaml.Node, field string) {
		*into = new(int64)
		whole(r, *into, 0, device.MaxAmount)(n, field)
	}
}

func (r *profileReader) numa(into *int) reader { return whole(r, into, math.MinInt32, math.MaxInt32) }

func (r *profileReader) score(into *int64) reader {
	return whole(r, into, math.MinInt32, math.MaxInt32)
}

// whole reads a whole number in a range.
func whole[T int | int64 | uint32](r *profileReader, into *T, least, most int64) reader {
	return func(n *yaml.Node, field string) {
		if !r.want(n, field, yaml.ScalarNode, "a whole number") {
			return
		}
		v, err := strconv.ParseInt(n.Value, 10, 64)
		switch {
		case n.ShortTag() != "!!int" || errors.Is(err, strconv.ErrSyntax):
			r.fail(n, field, fmt.Errorf("want a whole number, have %q", n.Value))
		case err != nil || v < least || v > most:
			r.fail(n, field, fmt.Errorf("%s is out of range, want %d to %d", n.Value, least, most))
		default:
			*into = T(v)
		}
	}
}

// links reads a number or a matrix.
func (r *profileReader) links(into **ProfileLinks) reader {
	return func(n *yaml.Node, field string) {
		l := &ProfileLinks{}
		switch {
		case n.Kind == yaml.ScalarNode && n.ShortTag() == "!!null":
			return
		case n.Kind == yaml.ScalarNode:
			r.score(&l.Score)(n, field)
		default:
			row := func(into *[]int64) reader { return list(r, into, r.score) }
			list(r, &l.Matrix, row)(n, field)
		}
		*into = l
	}
}

// custom reads an object of values of any kind.
func (r *profileReader) custom(into *map[string]json.RawMessage) reader {
	return func(n *yaml.Node, field string) {
		*into = map[string]json.RawMessage{}
		r.each(n, field, func(key, value *yaml.Node, name string) {
			r.fields[name] = value.Line
			text, err := json.Marshal(r.value(value, name, maxCustomDepth))
			if err != nil {
				r.fail(value, name, err)
				return
			}
			(*into)[key.Value] = text
		})
	}
}

// value reads a value of any kind, as JSON has it.
func (r *profileReader) value(n *yaml.Node, field string, depth int) (out any) {
	switch {
	case depth == 0:
		r.fail(n, field, fmt.Errorf("more than %d levels", maxCustomDepth))
	case n.Kind == yaml.MappingNode:
		m := map[string]any{}
		r.each(n, field, func(key, value *yaml.Node, name string) { m[key.Value] = r.value(value, name, depth-1) })
		return m
	case n.Kind == yaml.SequenceNode:
		list := make([]any, len(n.Content))
		for i := range n.Content {
			list[i] = r.value(n.Content[i], fmt.Sprintf("%s[%d]", field, i), depth-1)
		}
		return list
	case n.Kind == yaml.AliasNode:
		r.fail(n, field, errAlias)
	case n.ShortTag() == "!!int" && json.Valid([]byte(n.Value)):
		return json.Number(n.Value)
	default:
		if err := n.Decode(&out); err != nil {
			r.fail(n, field, err)
		}
	}
	return out
}
