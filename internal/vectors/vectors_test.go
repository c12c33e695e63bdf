package vectors

import (
	"os"
	"path/filepath"
	"testing"
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
		t.Run(filepath.Base(f), func(t *testing.T) { runFile(t, f) })
	}
}

func runFile(t *testing.T, path string) {
	var sum Totals
	err := ReadFile(path, func(h Header, s Sequence) error {
		totals, differences, err := Run(h, &s, 0, deviations())
		sum.Add(totals)
		for _, d := range differences {
			if len(d.Claims) != 1 {
				t.Errorf("claimed by %v: %s", d.Claims, d)
			}
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Log(sum.String())
}
