package render

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/accelfit/accelfit/examples/whatif/internal/answer"
	"github.com/accelfit/accelfit/examples/whatif/internal/problem"
)

// TestFit lays out one table in terminals that are narrower and narrower.
func TestFit(t *testing.T) {
	columns := []column{{name: "POD", max: 44}, {name: "NODE", max: 44}, {name: "N", right: true}, {name: "WHY", max: 30}, {name: "NONE"}}
	rows := [][]string{
		{"shop/search", "gpu-node-1", "8000", "not enough memory", ""},
		{"", "gpu-node-2", "50", "taint (want toleration)", ""},
		{"shop/chat", "", "", "", ""},
	}
	for width, want := range map[int]string{
		60: `
POD          NODE           N  WHY
shop/search  gpu-node-1  8000  not enough memory
             gpu-node-2    50  taint (want toleration)
shop/chat
`,
		50: `
POD          NODE           N  WHY
shop/search  gpu-node-1  8000  not enough memory
             gpu-node-2    50  taint (want
                               toleration)
shop/chat
`,
		44: `
POD
  NODE           N  WHY
shop/search
  gpu-node-1  8000  not enough memory
  gpu-node-2    50  taint (want toleration)
shop/chat
`,
		26: `
POD          NODE
     N  WHY
shop/search  gpu-node-1
  8000  not enough memory
             gpu-node-2
    50  taint (want
        toleration)
shop/chat
`,
		12: `
POD
  NODE
       N
      WHY
shop/search
  gpu-node-1
    8000
      not
      enough
      memory
  gpu-node-2
      50
      taint
      (want
      toleration)
shop/chat
`,
	} {
		t.Run(fmt.Sprint(width), func(t *testing.T) {
			if d := cmp.Diff(want[1:], Style{Width: width}.grid(0, columns, rows)); d != "" {
				t.Errorf("(-want +got):\n%s", d)
			}
		})
	}
}

// TestFitRepeats checks that a band that says what it said of the row before is left out, but never the last one.
func TestFitRepeats(t *testing.T) {
	rows := [][]string{{"name-1", "first"}, {"name-1", "first"}, {"name-2", "first"}}
	want := "name-1\n  first\n  first\nname-2\n  first\n"
	if d := cmp.Diff(want, Style{Width: 9}.grid(0, []column{{}, {}}, rows)); d != "" {
		t.Errorf("(-want +got):\n%s", d)
	}
}

// TestWideCharacters checks that columns are aligned in cells, not in characters.
func TestWideCharacters(t *testing.T) {
	rows := [][]string{{"机架-一", "x"}, {"e\u0301te\u0301", "x"}, {"🚀", "x"}, {"한국어", "x"}, {"ascii", "x"}}
	for _, s := range []Style{{}, {Width: 80}, {Width: 80, Colour: true}} {
		for line := range strings.Lines(s.grid(0, []column{{name: "MODEL", max: 20}, {name: "X"}}, rows)) {
			if at := strings.IndexAny(strings.ToLower(line), "x"); at < 0 || cellWidth(line[:at]) != 9 {
				t.Errorf("not aligned: %q", line)
			}
		}
	}
}

// TestWidth checks that no line is wider than the terminal unless it is a single word, however long names are.
func TestWidth(t *testing.T) {
	for _, size := range []int{5, 30, 63, 253, 1000} {
		long := strings.Repeat("long-name-", size/10+1)[:size]
		table := &answer.Table{
			Nodes: []answer.NodeRow{{
				Name: long, Cordoned: true,
				Devices: []answer.DeviceRow{{
					ID: long + "1", Type: long, Mode: long, State: "unhealthy", Pods: []answer.DevicePod{{Pod: long, Slots: 2}, {Pod: "a/b"}},
					MIG: &answer.MIGStrip{Slices: 64, Instances: []answer.MIGInstance{{Profile: "1g." + long, Size: 1}}},
				}},
			}},
			NoDevices: strings.Fields(strings.Repeat("cpu-1 ", 100)),
			Remarks:   answer.Remarks{Problems: []problem.Problem{{Object: "node " + long, Why: strings.Repeat("why ", 100)}}},
		}
		for width := 40; width <= 250; width++ {
			var out strings.Builder
			Style{Width: width, FullIDs: true}.Table(&out, table)
			for line := range strings.SplitSeq(out.String(), "\n") {
				if n := cellWidth(line); n > width && len(strings.Fields(line)) > 1 {
					t.Fatalf("names of %d: %d cells of %d: %s", size, n, width, line)
				}
			}
			if !strings.Contains(out.String(), "a/b") || size <= mostColumns && !strings.Contains(out.String(), long+"1") {
				t.Fatalf("names of %d: something is missing:\n%s", size, out.String())
			}
		}
	}
}
