package simulate

import (
	"encoding/binary"
	"math"
	"reflect"
	"slices"
)

// writeAny appends a value of any type; false: a part of it cannot be told from others (functions, channels), or there is too
// much of it.
func writeAny(b []byte, x any) ([]byte, bool) {
	if x == nil {
		return append(b, 'n'), true
	}
	v := reflect.ValueOf(x)
	w := valueWriter{b: writeText(append(b, 'v'), v.Type().String()), from: len(b)}
	ok := w.value(v, 0)
	return w.b, ok
}

// valueWriter writes one value down. What several pointers point to is written once.
type valueWriter struct {
	b    []byte
	from int
	seen map[pointer]int
}

type pointer struct {
	to any // its type
	at uintptr
}

// deepest bounds how far pointers are followed, and with it the depth of the stack.
const deepest = 64

// value writes a value, depth levels down in another.
func (w *valueWriter) value(v reflect.Value, depth int) bool {
	if depth > deepest || len(w.b)-w.from > maxWritten {
		return false
	}
	switch v.Kind() {
	case reflect.Bool:
		w.b = append(w.b, bit(v.Bool()))
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		w.b = binary.AppendVarint(w.b, v.Int())
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		w.b = binary.AppendUvarint(w.b, v.Uint())
	case reflect.Float32, reflect.Float64:
		w.b = binary.BigEndian.AppendUint64(w.b, math.Float64bits(v.Float()))
	case reflect.String:
		w.b = writeText(w.b, v.String())
	case reflect.Slice, reflect.Array:
		return w.list(v, depth)
	case reflect.Map:
		return w.entries(v, depth)
	case reflect.Struct:
		return w.fields(v, depth)
	case reflect.Pointer, reflect.Interface:
		return w.pointed(v, depth)
	case reflect.Func, reflect.Chan:
		w.b = append(w.b, 'n')
		return v.IsNil()
	default:
		return false
	}
	return true
}

// length writes the length of a list or map; -1: there is none.
func (w *valueWriter) length(v reflect.Value) {
	n := v.Len()
	if v.Kind() != reflect.Array && v.IsNil() {
		n = -1
	}
	w.b = binary.AppendVarint(w.b, int64(n))
}

func (w *valueWriter) list(v reflect.Value, depth int) bool {
	w.length(v)
	for i := range v.Len() {
		if !w.value(v.Index(i), depth+1) {
			return false
		}
	}
	return true
}

func (w *valueWriter) fields(v reflect.Value, depth int) bool {
	for i := range v.NumField() {
		if !w.value(v.Field(i), depth+1) {
			return false
		}
	}
	return true
}

// entries writes those of a map in the order of their keys. Keys and values that point to what is written already are not
// followed: the order could not be told before.
func (w *valueWriter) entries(v reflect.Value, depth int) bool {
	w.length(v)
	texts := make([]string, 0, v.Len())
	for it := v.MapRange(); it.Next(); {
		entry := valueWriter{seen: map[pointer]int{}}
		for p := range w.seen {
			entry.seen[p] = -1
		}
		if !entry.value(it.Key(), depth+1) || !entry.value(it.Value(), depth+1) {
			return false
		}
		texts = append(texts, string(entry.b))
	}
	slices.Sort(texts)
	for _, text := range texts {
		w.b = writeText(w.b, text)
	}
	return true
}

// pointed writes what a pointer points to, or which one before pointed there.
func (w *valueWriter) pointed(v reflect.Value, depth int) bool {
	if v.IsNil() {
		w.b = append(w.b, 'n')
		return true
	}
	if v.Kind() == reflect.Pointer {
		p := pointer{v.Type(), v.Pointer()}
		if before, seen := w.seen[p]; seen {
			w.b = binary.AppendVarint(append(w.b, 'b'), int64(before))
			return before >= 0
		}
		if w.seen == nil {
			w.seen = map[pointer]int{}
		}
		w.seen[p] = len(w.seen)
	}
	w.b = writeText(append(w.b, 'v'), v.Elem().Type().String())
	return w.value(v.Elem(), depth+1)
}
