package devicetest

import (
	"errors"
	"fmt"
	"path"
	"runtime"
	"slices"
	"strings"
	"testing"
)

// Law is something that must hold for every backend.
type Law struct {
	Name string
	Says string // what must hold

	each    func(x *exam, c *Case) error   // in every situation
	hostile func(x *exam, s *struck) error // and where a node or pod is hostile
	whole   func(x *exam) error            // of all situations together
}

// Laws lists the laws, in the order in which Run tries them. The slice is the caller's.
func Laws() []Law {
	return []Law{
		{Name: "pure", Says: "no call changes its arguments, nor what was handed out before, not even when called at the same time", each: pure, hostile: readOnly},
		{Name: "deterministic", Says: "the same question has the same answer, whatever is asked before or at the same time, and the order in which devices are listed changes no verdict", each: deterministic, hostile: sameAgain},
		{Name: "monotone", Says: "more pods on the node never make a pod fit that did not", each: monotone},
		{Name: "larger request", Says: "asking for more never makes a pod fit that did not", each: largerRequest},
		{Name: "no over-commit", Says: "what is given out is there, takes new work, is as much as was asked for, and never more than a device has", each: overCommit, hostile: givenIsThere},
		{Name: "conserve", Says: "placing a pod and removing it leaves everything as it was", each: conserve, hostile: comesAndGoes},
		{Name: "round trip", Says: "a described node reads as the devices it was described with, an annotated pod as what it was given, and an announced handshake as one that waits", each: roundTrip, hostile: readsAgain},
		{Name: "reasons", Says: "a refusal has a known reason for every device, and errors say what they are about", each: reasons, hostile: answered},
		{Name: "rules", Says: "every rule refuses some device in some situation", whole: rules},
		{Name: "copies", Says: "what is handed out is the caller's, and deep copies share nothing", each: copies},
		{Name: "whole card", Says: "all of a device, in percent, is all of it, whatever its size", whole: wholeCard},
		{Name: "nodes", Says: "the answer for a node depends neither on its name nor on other nodes", each: nodes},
		{Name: "hostile", Says: "whatever a node or pod says, there is an answer or a typed error in time, and devices that are read can be told apart", whole: hostility, hostile: sane},
		{Name: "claims", Says: "every sharing mode, policy and reason that the author claims is seen", whole: claims},
	}
}

// Check checks the law. The error is a [*Violation], or tells what is wrong with the harness. Of a waived law it says so where
// no situation breaks it; nil otherwise.
func (l Law) Check(h Harness) error {
	x, err := h.exam()
	if err != nil {
		return err
	}
	return l.check(x)
}

func (l Law) check(x *exam) error {
	broken := l.broken(x)
	if x.waived(l.Name) {
		if broken == nil {
			return fmt.Errorf("harness: waived law %q: no situation breaks it", l.Name)
		}
		return nil
	}
	if broken == nil {
		return nil
	}
	return broken
}

func (l Law) broken(x *exam) *Violation {
	if l.whole != nil {
		err := caught(func() error { return l.whole(x) })
		if v := (*Violation)(nil); err == nil || errors.As(err, &v) {
			return v
		}
		return &Violation{Law: l.Name, Err: err}
	}
	tries := x.tries()
	if x.waived(l.Name) {
		tries = x.searched()
	}
	for seed := range tries {
		if v := l.in(x, x.random(seeded(uint64(seed)))); v != nil {
			return v
		}
	}
	if l.hostile != nil {
		return x.attacked(l.Name, x.attacks())
	}
	return nil
}

// in tries the law in one situation, and in smaller ones where it is broken.
func (l Law) in(x *exam, c *Case) *Violation {
	return x.smallest(l.Name, c, func(c *Case) error { return caught(func() error { return l.each(x, c.copied()) }) })
}

// smallest tries something in one situation, and in smaller ones as long as it goes wrong.
func (x *exam) smallest(law string, c *Case, try func(c *Case) error) *Violation {
	err := try(c)
	if err == nil {
		return nil
	}
	for smaller := true; smaller; {
		smaller = false
		for _, s := range x.smaller(c) {
			if e := try(s); e != nil {
				c, err, smaller = s, e, true
				break
			}
		}
	}
	return &Violation{Law: law, Case: c, Err: err}
}

// panicked is a panic as an error.
type panicked struct {
	what any
	at   string // where
}

// Error names the value and the line of the panic.
func (p *panicked) Error() string { return fmt.Sprintf("panic: %v%s", p.what, p.at) }

// caught turns a panic into an error.
func caught(do func() error) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = &panicked{p, origin()}
		}
	}()
	return do()
}

// origin is the line that panicked: the first one on the stack, below the runtime, that is not of the runtime.
func origin() string {
	pcs := make([]uintptr, 64)
	frames := runtime.CallersFrames(pcs[:runtime.Callers(3, pcs)])
	for {
		f, more := frames.Next()
		if f.Function != "" && !strings.HasPrefix(f.Function, "runtime.") {
			return fmt.Sprintf(", in %s (%s:%d)", path.Base(f.Function), path.Base(f.File), f.Line)
		}
		if !more {
			return ""
		}
	}
}

// Run checks each law in a subtest of its name, with -short with shorter hostile texts. Waived laws are
// printed with the reason.
func Run(t *testing.T, h Harness) {
	t.Helper()
	h.short = testing.Short()
	for _, err := range h.unknown() {
		t.Error(err)
	}
	x, err := h.exam()
	if err != nil {
		t.Fatal(err)
	}
	for _, l := range Laws() {
		t.Run(l.Name, func(t *testing.T) {
			if why, waived := h.Claims.Waived[l.Name]; waived {
				t.Logf("waived: %s", why)
			}
			if err := l.check(x); err != nil {
				t.Error(err)
			}
		})
	}
}

// FuzzLaws lets the fuzzer choose the situations in which the laws are tried; see [Case].
func FuzzLaws(f *testing.F, h Harness) {
	f.Helper()
	x, err := h.exam()
	if err != nil {
		f.Fatal(err)
	}
	laws := slices.DeleteFunc(Laws(), func(l Law) bool { return l.each == nil || x.waived(l.Name) })
	for _, seed := range []string{"", "0", "accelfit", "\x00\x01\x02\x03\x04\x05\x06\x07", "\xff\xff\xff\xff\xff\xff\xff\xff\x00\x00"} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, choices []byte) {
		c := x.random(chosen(choices))
		for _, l := range laws {
			if v := l.in(x, c); v != nil {
				t.Error(v)
			}
		}
	})
}
