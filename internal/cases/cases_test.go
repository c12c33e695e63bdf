package cases

import (
	"os"
	"path/filepath"
	"testing"
)

// supported are the vendors whose backends exist.
var supported = map[string]bool{"nvidia": true}

func TestCases(t *testing.T) {
	config, err := os.ReadFile("testdata/device-config.yaml")
	if err != nil {
		t.Fatal(err)
	}
	runDir(t, "testdata", config)
	if dir := os.Getenv("ACCELFIT_CASES"); dir != "" {
		if own, err := os.ReadFile(filepath.Join(dir, "device-config.yaml")); err == nil {
			config = own
		}
		runDir(t, dir, config)
	}
}

func runDir(t *testing.T, dir string, config []byte) {
	files, err := filepath.Glob(filepath.Join(dir, "*.jsonl"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no cases in %s: %v", dir, err)
	}
	for _, f := range files {
		cases, err := ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		run, other := 0, map[string]int{}
		for i := range cases {
			c := &cases[i]
			if !supported[c.Vendor] {
				other[c.Vendor]++
				continue
			}
			run++
			t.Run(c.ID, func(t *testing.T) { runCase(t, c, config) })
		}
		t.Logf("%s: %d cases run; of vendors without a backend: %v", f, run, other)
	}
}

func runCase(t *testing.T, c *Case, config []byte) {
	bad, err := Run(c, config)
	if err != nil {
		t.Fatal(err)
	}
	for _, b := range bad {
		t.Errorf("%s (%s)", b, c.Expect.Note)
	}
}
