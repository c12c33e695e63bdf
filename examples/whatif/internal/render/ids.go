package render

import (
	"reflect"
	"strings"
	"unicode"
	"unicode/utf8"
)

// ids shortens device ids to what tells them apart.
type ids struct {
	full  bool
	short map[string]string
}

// shortID is the least that is shown of an id, "GPU-" and eight digits; longID the most.
const (
	shortID = 12
	longID  = 40
)

func (s Style) ids(all []string) ids {
	out := ids{full: s.FullIDs, short: map[string]string{}}
	for n := shortID; n <= longID && len(out.short) < len(all); n++ {
		owner := map[string]string{} // of a prefix; empty: several
		for _, id := range all {
			id = bare(id)
			p := prefix(id, n)
			if before, taken := owner[p]; taken && before != id {
				owner[p] = ""
			} else {
				owner[p] = id
			}
		}
		for _, id := range all {
			p := prefix(bare(id), n)
			if _, done := out.short[id]; !done && owner[p] == bare(id) {
				out.short[id] = p
			}
		}
	}
	return out
}

// bare is an id without the name of the new node that stands before it.
func bare(id string) string { return id[strings.LastIndexByte(id, '/')+1:] }

func prefix(id string, n int) string {
	if len(id) <= n+4 { // not worth cutting
		return id
	}
	for !utf8.RuneStart(id[n]) {
		n--
	}
	return id[:n]
}

func (x ids) of(id string) string {
	if short, ok := x.short[id]; ok && !x.full {
		return short
	}
	return id
}

// Printable returns a text in which U+FFFD is in place of every character that is not there to be seen: control characters, with
// which a file could play with a terminal, and those that turn the direction of writing or take no room. A tab is a blank.
func Printable(s string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r == '\n' || unicode.IsPrint(r):
			return r
		case r == '\t':
			return ' '
		}
		return unicode.ReplacementChar
	}, s)
}

func oneLine(s string) string { return strings.ReplaceAll(Printable(s), "\n", " ") }

// Clean makes every text within an answer Printable, and one line. The answer is changed.
func Clean(answer any) { clean(reflect.ValueOf(answer)) }

func clean(v reflect.Value) {
	switch v.Kind() {
	case reflect.Pointer:
		if !v.IsNil() {
			clean(v.Elem())
		}
	case reflect.Struct:
		for i := range v.NumField() {
			clean(v.Field(i))
		}
	case reflect.Slice:
		for i := range v.Len() {
			clean(v.Index(i))
		}
	case reflect.Map:
		for _, key := range v.MapKeys() {
			if e := v.MapIndex(key); e.Kind() == reflect.String {
				v.SetMapIndex(key, reflect.ValueOf(oneLine(e.String())))
			}
		}
	case reflect.String:
		if v.CanSet() {
			v.SetString(oneLine(v.String()))
		}
	}
}
