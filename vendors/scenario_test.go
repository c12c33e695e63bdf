package vendors_test

import (
	"path/filepath"
	"testing"

	"github.com/cockroachdb/datadriven"

	"github.com/accelfit/accelfit/internal/scenario"
)

// TestScenarios runs the transcripts in testdata and in the testdata of every vendor; see package scenario for their
// commands.
func TestScenarios(t *testing.T) {
	for _, pattern := range []string{"testdata/*.txt", "*/testdata/*.txt"} {
		files, err := filepath.Glob(pattern)
		if err != nil || len(files) == 0 {
			t.Fatalf("no scenario in %s: %v", pattern, err)
		}
		for _, file := range files {
			t.Run(file, func(t *testing.T) { play(t, file) })
		}
	}
}

func play(t *testing.T, file string) {
	w := scenario.New()
	datadriven.RunTest(t, file, func(t *testing.T, d *datadriven.TestData) string {
		args := make([]scenario.Arg, len(d.CmdArgs))
		for i, a := range d.CmdArgs {
			args[i] = scenario.Arg{Key: a.Key, Vals: a.Vals}
		}
		text, err := w.Do(d.Cmd, args, d.Input)
		if err != nil {
			d.Fatalf(t, "%v", err)
		}
		return text
	})
}
