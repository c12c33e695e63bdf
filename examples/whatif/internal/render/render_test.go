package render

import (
	"strings"
	"testing"

	"github.com/jedib0t/go-pretty/v6/text"

	"github.com/accelfit/accelfit/examples/whatif/internal/answer"
	"github.com/accelfit/accelfit/examples/whatif/internal/problem"
)

func TestBar(t *testing.T) {
	for want, x := range map[string]answer.Share{
		"░░░░░░░░░░": {Used: 0, All: 100}, "█░░░░░░░░░": {Used: 1, All: 100000}, "█████░░░░░": {Used: 50, All: 100},
		"█████████░": {Used: 99999, All: 100000}, "██████████": {Used: 300, All: 100},
	} {
		if got := bar(x); got != want {
			t.Errorf("%v: %s, want %s", x, got, want)
		}
	}
	if got := bar(answer.Share{}); got != "░░░░░░░░░░" {
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
		if got := strip(&answer.MIGStrip{Slices: c.slices, Instances: c.in}); got != c.want {
			t.Errorf("%v: %s, want %s", c.in, got, c.want)
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

// TestWidth checks that long names neither break the layout nor run over the line.
func TestWidth(t *testing.T) {
	long := strings.Repeat("very-long-", 30)
	table := &answer.Table{
		Nodes: []answer.NodeRow{{
			Name: "n1", Ready: true,
			Devices: []answer.DeviceRow{{
				ID: long + "1", Type: long, Mode: long, State: "ok", Pods: []answer.DevicePod{{Pod: long}, {Pod: "a/b"}},
				MIG: &answer.MIGStrip{Slices: 8},
			}},
		}},
		NoDevices: strings.Fields(strings.Repeat("cpu-1 ", 100)),
		Remarks:   answer.Remarks{Problems: []problem.Problem{{Object: "node n1", Why: strings.Repeat("why ", 100)}}},
	}
	var out strings.Builder
	Style{}.Table(&out, table)
	for line := range strings.SplitSeq(out.String(), "\n") {
		if n := text.StringWidth(line); n > 160 {
			t.Errorf("%d columns: %s", n, line)
		}
	}
	if !strings.Contains(out.String(), "a/b ") {
		t.Errorf("the second pod is missing:\n%s", out.String())
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
