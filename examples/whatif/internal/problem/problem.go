// Package problem holds what is wrong with some of the input while the rest is answered.
package problem

import (
	"errors"
	"strings"

	"github.com/accelfit/accelfit/device"
)

// Problem is something wrong with one object. It never stops the rest from being answered.
type Problem struct {
	Object  string `json:"object"`            // "node n1", "pod team-a/p", a file name
	Key     string `json:"key,omitempty"`     // annotation, resource or configuration key
	Field   string `json:"field,omitempty"`   // entry and field within the key
	Why     string `json:"why"`               // what is wrong
	LeftOut string `json:"leftOut,omitempty"` // what the answer does without
}

// From splits an error about an object into the problems it consists of, naming key and field where the error knows them.
func From(object string, err error, leftOut string) []Problem {
	if joined, ok := err.(interface{ Unwrap() []error }); ok {
		var out []Problem
		for _, e := range joined.Unwrap() {
			out = append(out, From(object, e, leftOut)...)
		}
		return out
	}
	p := Problem{Object: object, Why: err.Error(), LeftOut: leftOut}
	if d := (*device.DecodeError)(nil); errors.As(err, &d) {
		p.Key, p.Field = d.Key, strings.TrimSpace(d.Item+" "+d.Field)
		p.Why = d.Err.Error()
	}
	if r := (*device.RequestError)(nil); errors.As(err, &r) {
		p.Key, p.Why = r.Key, "invalid value "+r.Value+": "+r.Why
		if r.Container != "" {
			p.Field = "container " + r.Container
		}
	}
	return []Problem{p}
}
