package device_test

import (
	"fmt"
	"strconv"
	"strings"
	"testing"

	"github.com/cockroachdb/datadriven"

	"github.com/accelfit/accelfit/device"
)

// TestScenarios runs the files under testdata/scenarios. Each file is one behaviour; its commands share one scenario, so
// that a later command can build on what an earlier one left behind.
//
// A line of input that begins with a double quote or a backquote is read as a Go string, for texts with blanks at their
// ends or without anything in them.
func TestScenarios(t *testing.T) {
	datadriven.Walk(t, "testdata/scenarios", func(t *testing.T, path string) {
		s := newScenario()
		datadriven.RunTest(t, path, func(t *testing.T, d *datadriven.TestData) string {
			run, ok := s.commands[d.Cmd]
			if !ok {
				d.Fatalf(t, "no command %q", d.Cmd)
			}
			return run(t, d)
		})
	})
}

type command func(t *testing.T, d *datadriven.TestData) string

type scenario struct {
	commands map[string]command

	usage *device.NodeUsage             // see node
	pods  map[string]*device.Allocation // see record
	lock  string                        // see take
}

func newScenario() *scenario {
	s := &scenario{pods: map[string]*device.Allocation{}}
	s.commands = map[string]command{
		// Registration: texts of node annotations.
		"read-register":  s.readRegister,
		"write-register": s.writeRegister,
		"read-legacy":    s.readLegacy,
		"write-legacy":   s.writeLegacy,
		"read-links":     s.readLinks,
		"write-links":    s.writeLinks,

		// Allocation: texts of pod annotations.
		"read-allocation":    s.readAllocation,
		"write-allocation":   s.writeAllocation,
		"read-reservations":  s.readReservations,
		"write-reservations": s.writeReservations,

		// Accounting: what a pod holds.
		"classes":  s.classes,
		"collapse": s.collapse,
		"node":     s.node,
		"record":   s.record,
		"release":  s.release,
		"remove":   s.remove,

		// The rest.
		"reasons":       s.reasons,
		"parse-reasons": s.parseReasons,
		"select-id":     s.selectID,
		"select-type":   s.selectType,
		"handshake":     s.handshake,
		"take":          s.take,
		"release-lock":  s.releaseLock,
		"parse-lock":    s.parseLock,
	}
	return s
}

// lines returns the lines of the input, each read by text.
func lines(t *testing.T, d *datadriven.TestData) []string {
	t.Helper()
	var out []string
	for line := range strings.SplitSeq(d.Input, "\n") {
		out = append(out, text(t, d, line))
	}
	return out
}

func text(t *testing.T, d *datadriven.TestData, line string) string {
	t.Helper()
	if !strings.HasPrefix(line, `"`) && !strings.HasPrefix(line, "`") {
		return line
	}
	out, err := strconv.Unquote(line)
	if err != nil {
		d.Fatalf(t, "line %s: %v", line, err)
	}
	return out
}

// fields reads a line of words key=value; a word without = has the value true.
func fields(line string) map[string]string {
	out := map[string]string{}
	for word := range strings.FieldsSeq(line) {
		key, value, ok := strings.Cut(word, "=")
		if !ok {
			value = "true"
		}
		out[key] = value
	}
	return out
}

func number(t *testing.T, d *datadriven.TestData, word string) int64 {
	t.Helper()
	if word == "" {
		return 0
	}
	n, err := strconv.ParseInt(word, 10, 64)
	if err != nil {
		d.Fatalf(t, "%v", err)
	}
	return n
}

// word is a text as the scenario files show it: bare where that leaves no doubt.
func word(s string) string {
	if s == "" || strings.ContainsAny(s, " \t\n\"") {
		return strconv.Quote(s)
	}
	return s
}

func classOf(t *testing.T, d *datadriven.TestData, name string) device.ContainerClass {
	t.Helper()
	switch name {
	case "app":
		return device.App
	case "init":
		return device.Init
	case "sidecar":
		return device.Sidecar
	}
	d.Fatalf(t, "no class %q", name)
	return 0
}

func className(c device.ContainerClass) string {
	return [...]string{device.App: "app", device.Init: "init", device.Sidecar: "sidecar"}[c]
}

func yes(b bool) string {
	if b {
		return "yes"
	}
	return "no"
}

// report joins lines, and says so when there are none.
func report(out []string, none string) string {
	if len(out) == 0 {
		return none
	}
	return strings.Join(out, "\n")
}

func failure(err error) string { return fmt.Sprintf("error: %v", err) }
