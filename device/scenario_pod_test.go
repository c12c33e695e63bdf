package device_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/cockroachdb/datadriven"

	"github.com/accelfit/accelfit/device"
)

// reasons renders counts, one a line: <code> <count>; a code of a node as a whole stands alone.
func (s *scenario) reasons(t *testing.T, d *datadriven.TestData) string {
	var r device.Reasons
	d.ScanArgs(t, "total", &r.Total)
	for _, line := range lines(t, d) {
		name, count, counted := strings.Cut(line, ": ")
		code, ok := device.CodeOf(name)
		switch {
		case name == "":
		case !ok:
			d.Fatalf(t, "no code %q", name)
		case counted:
			r.Add(code, int(number(t, d, count)))
		default:
			r.Node = code
		}
	}
	if r.String() == "" {
		return "(empty)"
	}
	return r.String()
}

func (s *scenario) parseReasons(t *testing.T, d *datadriven.TestData) string {
	counts := device.ParseReasons(text(t, d, d.Input))
	var out []string
	for _, code := range device.Codes() {
		if n, ok := counts[code]; ok {
			out = append(out, fmt.Sprintf("%s: %d", code, n))
		}
	}
	return report(out, "nothing")
}

// The selection commands read lines "use: <list>", "no-use: <list>" and then what is selected from.
func (s *scenario) selectID(t *testing.T, d *datadriven.TestData) string {
	use, no, subjects := selection(t, d)
	sel := device.ParseIDs(use, no)
	var out []string
	for _, id := range subjects {
		out = append(out, id+": "+yes(sel.AllowsID(id)))
	}
	return strings.Join(append(out, "everything: "+yes(sel.Everything())), "\n")
}

func (s *scenario) selectType(t *testing.T, d *datadriven.TestData) string {
	use, no, subjects := selection(t, d)
	sel := device.ParseTypes(use, no)
	var out []string
	for _, model := range subjects {
		node := device.NewNodeInfo("n1", device.Inventory{Vendor: vendorOfScenarios, Devices: []device.DeviceInfo{{Type: model}}})
		out = append(out, model+": "+yes(sel.AllowsType(node, 0)))
	}
	return strings.Join(append(out, "everything: "+yes(sel.Everything())), "\n")
}

func selection(t *testing.T, d *datadriven.TestData) (use, no string, subjects []string) {
	for line := range strings.SplitSeq(d.Input, "\n") {
		key, value, _ := strings.Cut(line, ":")
		value = text(t, d, strings.TrimSpace(value))
		switch key {
		case "use":
			use = value
		case "no-use":
			no = value
		default:
			subjects = append(subjects, value)
		}
	}
	return use, no, subjects
}

func (s *scenario) handshake(t *testing.T, d *datadriven.TestData) string {
	var allocatable int64
	d.ScanArgs(t, "allocatable", &allocatable)
	answer := device.Handshake(text(t, d, d.Input), allocatable, s.time(t, d, "now").In(s.zone(t, d)))
	out := fmt.Sprintf("healthy=%t renew=%t", answer.Healthy, answer.Renew)
	if answer.Announce != "" {
		out += " announce=" + answer.Announce
	}
	return out
}

// zone is the argument zone: hours east of UTC.
func (s *scenario) zone(t *testing.T, d *datadriven.TestData) *time.Location {
	hours := 0
	d.MaybeScanArgs(t, "zone", &hours)
	if hours == 0 {
		return time.UTC
	}
	return time.FixedZone("", hours*3600)
}

func (s *scenario) time(t *testing.T, d *datadriven.TestData, key string) time.Time {
	var value string
	d.ScanArgs(t, key, &value)
	at, err := time.Parse(time.RFC3339, value)
	if err != nil {
		d.Fatalf(t, "%v", err)
	}
	return at
}

// take tries to lock node n1 for a pod, five minutes being the time after which a lock is void. The input, if any,
// replaces what the annotation says.
func (s *scenario) take(t *testing.T, d *datadriven.TestData) string {
	if d.Input != "" {
		s.lock = text(t, d, d.Input)
	}
	mine := s.owner(t, d)
	mine.At = s.time(t, d, "at")
	held, err := mine.Take("n1", s.lock, 5*time.Minute, s.exists(d))
	switch {
	case errors.Is(err, device.ErrLockContention):
		return "contended: " + err.Error()
	case err != nil:
		return failure(err)
	case held:
		return "held already: " + s.lock
	}
	s.lock = mine.String()
	return "taken: " + s.lock
}

// exists knows the pods of the argument alive.
func (s *scenario) exists(d *datadriven.TestData) func(namespace, pod string) bool {
	var alive []string
	if arg, ok := d.Arg("alive"); ok {
		alive = arg.Vals
	}
	return func(namespace, pod string) bool { return slices.Contains(alive, namespace+"/"+pod) }
}

func (s *scenario) owner(t *testing.T, d *datadriven.TestData) device.Lock {
	namespace, name, ok := strings.Cut(s.pod(t, d), "/")
	if !ok {
		d.Fatalf(t, "pod=<namespace>/<name> is missing")
	}
	return device.Lock{Namespace: namespace, Pod: name}
}

func (s *scenario) releaseLock(t *testing.T, d *datadriven.TestData) string {
	if !s.owner(t, d).Releases(s.lock) {
		return "not released: " + word(s.lock)
	}
	s.lock = ""
	return "released"
}

func (s *scenario) parseLock(t *testing.T, d *datadriven.TestData) string {
	lock, err := device.ParseLock(text(t, d, d.Input))
	if err != nil {
		return failure(err)
	}
	return fmt.Sprintf("at=%s namespace=%s pod=%s\n%s",
		lock.At.Format(time.RFC3339), word(lock.Namespace), word(lock.Pod), lock)
}
