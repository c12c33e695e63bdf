package vendors_test

import (
	"path/filepath"
	"testing"

	"github.com/cockroachdb/datadriven"

	"github.com/accelfit/accelfit/internal/scenario"
)

// TestScenarios runs the transcripts in testdata; see package scenario for their commands.
func TestScenarios(t *testing.T) {
	files, err := filepath.Glob("testdata/*.txt")
	if err != nil || len(files) == 0 {
		t.Fatalf("no scenario: %v", err)
	}
	for _, file := range files {
		t.Run(filepath.Base(file), func(t *testing.T) {
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
		})
	}
}
