package render

import (
	"strings"
	"testing"

	"github.com/accelfit/accelfit/examples/whatif/internal/answer"
	"github.com/accelfit/accelfit/examples/whatif/internal/problem"
)

func TestBar(t *testing.T) {
	for want, x := range map[string]answer.Share{
		"░░░░░░░░░░": {Used: 0, All: 100}, "█░░░░░░░░░": {Used: 1, All: 100000}, "█████░░░░░": {Used: 50, All: 100},
		"█████████░": {Used: 99999, All: 100000}, "██████████": {Used: 300, All: 100},
	} {
		if got := (Style{}).bar(x, barCells); got != want {
			t.Errorf("%v: %s, want %s", x, got, want)
		}
	}
	if got := (Style{}).bar(answer.Share{}, barCells); got != "░░░░░░░░░░" {
		t.Errorf("a device without memory: %s", got)
	}
}

func TestStrip(t *testing.T) {
	for _, c := range []struct {
		slices int
		in     []answer.MIGInstance
		want   string
	}{
		{4, nil, "[··|··|··|··]"},
		{0, nil, "[]"},
		{8, []answer.MIGInstance{{Profile: "7g.40gb", Start: 0, Size: 8}}, "[7g─────────────────────]"},
		{6, []answer.MIGInstance{{Profile: "1g.5gb", Start: 0, Size: 1}, {Profile: "1g.5gb", Start: 1, Size: 1}, {Profile: "2g.10gb", Start: 4, Size: 2}},
			"[1g|1g|··|··|2g───]"},
		// Reservations that overlap, or lie outside of the card, come from broken annotations: nothing is drawn twice.
		{4, []answer.MIGInstance{{Profile: "2g", Start: 0, Size: 2}, {Profile: "2g", Start: 1, Size: 2}}, "[2g───|2g|··]"},
		{2, []answer.MIGInstance{{Profile: "2g", Start: 1, Size: 1 << 31}, {Profile: "1g", Start: 1 << 31, Size: 1}}, "[··|2g]"},
		{2, []answer.MIGInstance{{Profile: "a-long-name", Start: 0, Size: 1}}, "[a-|··]"},
	} {
		if got := (Style{}).strip(&answer.MIGStrip{Slices: c.slices, Instances: c.in}, shortSlice, 0); got != c.want {
			t.Errorf("%v: %s, want %s", c.in, got, c.want)
		}
	}
}

// TestStripOnTerminal checks that names of profiles are in full where there is room, and that no strip is wider than there is.
func TestStripOnTerminal(t *testing.T) {
	two := []answer.MIGInstance{{Profile: "1g.5gb", Start: 0, Size: 1}, {Profile: "2g.10gb", Start: 2, Size: 2}}
	for _, c := range []struct {
		slices, slice, room int
		want                string
	}{
		{4, 6, 29, "[1g.5gb|······|2g.10gb──────]"},
		{4, 6, 28, "[1g|··|2g───]"},
		{4, 2, 13, "[1g|··|2g───]"},
		{4, 6, 12, "4 slices, 1g.5gb at 0, 2g.10gb at 2"},
		{5, 3, 80, "[1g.|···|2g.10gb|···]"},
	} {
		got := Style{Width: 80}.strip(&answer.MIGStrip{Slices: c.slices, Instances: two}, c.slice, c.room)
		if got != c.want {
			t.Errorf("%v: %s", c, got)
		}
	}
	if got := sliceFor(&answer.MIGStrip{Slices: 4, Instances: two}); got != 6 {
		t.Errorf("slices of %d cells, want 6", got)
	}
}

// TestBarOfAnySize checks that bars are as long as asked for, and coloured from the part on that leaves little.
func TestBarOfAnySize(t *testing.T) {
	s := Style{Colour: true, Width: 80}
	for want, x := range map[string]answer.Share{
		"████████████████\x1b[2m░░░░\x1b[0m": {Used: 80, All: 100}, "\x1b[33m██████████████████\x1b[0m\x1b[2m░░\x1b[0m": {Used: 90, All: 100},
		"\x1b[33m████████████████████\x1b[0m": {Used: 100, All: 100}, "\x1b[2m░░░░░░░░░░░░░░░░░░░░\x1b[0m": {All: 1},
		"                    ": {},
	} {
		if got := s.bar(x, 20); got != want {
			t.Errorf("%v: %q, want %q", x, got, want)
		}
	}
}

func TestIDs(t *testing.T) {
	x := Style{}.ids([]string{"GPU-11112222-aaaa-bbbb", "GPU-11112222-aaaa-cccc-dddd", "GPU-33334444-aaaa-bbbb", "g0", "new-1/GPU-55556666-aaaa-bbbb"})
	for id, want := range map[string]string{
		"GPU-11112222-aaaa-bbbb": "GPU-11112222-aaaa-bbbb", "GPU-11112222-aaaa-cccc-dddd": "GPU-11112222-aaaa-",
		"GPU-33334444-aaaa-bbbb": "GPU-33334444", "g0": "g0", "new-1/GPU-55556666-aaaa-bbbb": "GPU-55556666", "other": "other",
	} {
		if got := x.of(id); got != want {
			t.Errorf("%s: %s, want %s", id, got, want)
		}
	}
}

// TestIDsOfWideCharacters checks that no character is cut in two.
func TestIDsOfWideCharacters(t *testing.T) {
	id := "a" + strings.Repeat("生", 10)
	if got, want := (Style{}).ids([]string{id}).of(id), "a生生生"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

func TestProblemsOnce(t *testing.T) {
	var out strings.Builder
	Style{}.Problems(&out, []problem.Problem{
		{Object: "pod a/p", Why: "bad", LeftOut: "the pod"}, {Object: "node n", Why: "bad", LeftOut: "the pod"},
		{Object: "pod a/q", Why: "bad", LeftOut: "the pod"}, {Object: "pod a/r", Why: "bad", LeftOut: "the pod"},
	})
	want := "\nProblems\n  pod a/p (and 2 more): bad (left out: the pod)\n  node n: bad (left out: the pod)\n"
	if out.String() != want {
		t.Errorf("got %q", out.String())
	}
}
