package vectors

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/accelfit/accelfit/device"
)

func TestVectors(t *testing.T) {
	files, err := filepath.Glob("testdata/*.jsonl.gz")
	if err != nil || len(files) == 0 {
		t.Fatalf("no vectors: %v", err)
	}
	if dir := os.Getenv("ACCELFIT_VECTORS"); dir != "" {
		more, err := filepath.Glob(filepath.Join(dir, "*.jsonl.gz"))
		if err != nil || len(more) == 0 {
			t.Fatalf("ACCELFIT_VECTORS: no vectors in %s: %v", dir, err)
		}
		files = append(files, more...)
	}
	for _, f := range files {
		t.Run(filepath.Base(f), func(t *testing.T) {
			t.Parallel()
			runFile(t, f)
		})
	}
}

// forced are the files of which deviations that cannot be left out make more than a tenth of the steps deviate.
var forced = map[string]string{
	"awsneuron":    "nD1 and nD2: cores per device, masks of more than two cores",
	"enflame-vgcu": "eD1: slices are counted, also of cards with fewer slices than a profile",
	"kunlun-vxpu":  "kD1: wings by slot instead of by the order of the list",
	"kunlun-xpu":   "kD1; D22: the node score under spread",
	"metax-gpu":    "DG2: unknown topology is the worst; DG1: pods with several containers fit",
	"mixed":        "D13: nothing is written about vendors that nobody asked for",
}

// runFile replays a file as accelfit decides, and, but in short mode, once more with every quirk on: then fewer steps deviate.
func runFile(t *testing.T, path string) {
	plain := replay(t, path, 0)
	t.Log(plain.String())
	why, known := forced[strings.TrimSuffix(filepath.Base(path), ".jsonl.gz")]
	switch {
	case plain.Share() <= 10:
	case known:
		t.Logf("more than 10 %%: %s", why)
	default:
		t.Errorf("%.1f %% of the exact steps deviate, want at most 10 %%", plain.Share())
	}
	if testing.Short() {
		return
	}
	quirky := replay(t, path, device.AllQuirks)
	t.Logf("with all quirks %d exact steps deviate (%.1f %%)", quirky.DeviatingExact, quirky.Share())
	if quirky.DeviatingExact > plain.DeviatingExact {
		t.Errorf("with all quirks %d exact steps deviate, without %d", quirky.DeviatingExact, plain.DeviatingExact)
	}
}

func replay(t *testing.T, path string, quirks device.Quirks) Totals {
	t.Helper()
	var sum Totals
	err := ReadFile(path, func(h Header, s Sequence) error {
		totals, differences, err := Run(h, &s, quirks, deviations())
		sum.Add(totals)
		for _, d := range differences {
			if len(d.Claims) != 1 {
				t.Errorf("quirks %b: claimed by %v: %s", quirks, d.Claims, d)
			}
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return sum
}

// TestDeviationsAreDocumented compares the ids with docs/deviations.md.
func TestDeviationsAreDocumented(t *testing.T) {
	text, err := os.ReadFile("../../docs/deviations.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range deviations() {
		if !strings.Contains(string(text), "| "+d.ID+" |") {
			t.Errorf("%s is not in docs/deviations.md", d.ID)
		}
	}
}

// TestDifferencesAreSeen changes single recorded fields and wants the run to notice each.
func TestDifferencesAreSeen(t *testing.T) {
	changes := map[string]func(*Step){
		"fit":         func(s *Step) { edit(s, func(v *Verdict) { v.Fit = !v.Fit }) },
		"reason":      func(s *Step) { edit(s, func(v *Verdict) { v.Reason += "x" }) },
		"score":       func(s *Step) { edit(s, func(v *Verdict) { v.Score = "12345" }) },
		"alloc":       func(s *Step) { edit(s, func(v *Verdict) { v.Alloc = Alloc{"NVIDIA": {{{UUID: "other"}}}} }) },
		"requests":    func(s *Step) { s.Requests = append(s.Requests, map[string]Request{}) },
		"chosen":      func(s *Step) { s.Chosen = new(string) },
		"annotations": func(s *Step) { s.Notes = map[string]string{"hami.io/vgpu-node": "other"} },
		"error":       func(s *Step) { s.Error = "other" },
		"passthrough": func(s *Step) { s.Pass = true },
	}
	for kind, change := range changes {
		t.Run(kind, func(t *testing.T) {
			seen := false
			err := ReadFile("testdata/nvidia.jsonl.gz", func(h Header, s Sequence) error {
				if s.ID != "nvidia/h-fill-and-free" {
					return nil
				}
				change(&s.Steps[0])
				_, differences, err := Run(h, &s, 0, deviations())
				for _, d := range differences {
					seen = seen || d.Step == 0 && d.Kind == kind && len(d.Claims) == 0
				}
				return err
			})
			if err != nil || !seen {
				t.Errorf("a changed %s went unnoticed (%v)", kind, err)
			}
		})
	}
}

func edit(s *Step, change func(*Verdict)) {
	for name, v := range s.Nodes {
		change(&v)
		s.Nodes[name] = v
	}
}
