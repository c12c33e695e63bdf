package device

import (
	"errors"
	"fmt"
	"strings"
)

// ErrNoDescription is what [Backend.Inventory] returns (wrapped) for a node that carries no description of the vendor's
// devices at all. It is a state, not a fault: the node may not have such devices, or its agent has not reported yet.
var ErrNoDescription = errors.New("no device description")

// DecodeError is a text in one of the wire formats that cannot be read.
type DecodeError struct {
	Key   string // annotation key or other name of the text; may be empty
	Item  string // the entry within the text, for example "device 3"; empty: the text as a whole
	Field string // field of the entry; may be empty
	Err   error
}

// Error names key, item and field, as far as they are known, and the cause.
func (e *DecodeError) Error() string {
	var b strings.Builder
	for _, part := range []string{e.Key, e.Item, e.Field} {
		if part != "" {
			b.WriteString(part + ": ")
		}
	}
	return b.String() + e.Err.Error()
}

// Unwrap returns the cause.
func (e *DecodeError) Unwrap() error { return e.Err }

// In returns err with the key set if it is a DecodeError without one, else err wrapped with the key. Of errors that were
// joined ([errors.Join]) each is treated so. In of nil is nil.
func In(key string, err error) error {
	if err == nil {
		return nil
	}
	if d, ok := err.(*DecodeError); ok && d.Key == "" {
		c := *d
		c.Key = key
		return &c
	}
	if parts := joined(err); len(parts) > 0 {
		keyed := make([]error, len(parts))
		for i, part := range parts {
			keyed[i] = In(key, part)
		}
		return errors.Join(keyed...)
	}
	return fmt.Errorf("%s: %w", key, err)
}

// joined returns the parts of err if it says no more than they do.
func joined(err error) []error {
	j, ok := err.(interface{ Unwrap() []error })
	if !ok || errors.Join(j.Unwrap()...).Error() != err.Error() {
		return nil
	}
	return j.Unwrap()
}

// RequestError is a quantity or annotation of a pod that no request can be made of.
type RequestError struct {
	Container string // name of the container; empty: the pod as a whole
	Key       string // resource name or annotation key
	Value     string // as written
	Why       string
}

// Error reads "invalid <key> value <value> in container <name>: <why>".
func (e *RequestError) Error() string {
	where := ""
	if e.Container != "" {
		where = " in container " + e.Container
	}
	return fmt.Sprintf("invalid %s value %s%s: %s", e.Key, e.Value, where, e.Why)
}

// Problem is something wrong with one input object that did not stop the rest from being used.
type Problem struct {
	Object string // "node n1", "pod team-a/p", "config", a file name
	Err    error
}

// Error reads "<object>: <cause>".
func (p Problem) Error() string { return p.Object + ": " + p.Err.Error() }

// Unwrap returns the cause.
func (p Problem) Unwrap() error { return p.Err }
