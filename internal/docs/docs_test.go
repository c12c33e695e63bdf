// Package docs keeps README.md and docs/ true: snippets stand in examples that are run, output is what is printed, and every
// deviation has a test.
package docs

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/accelfit/accelfit/vendors"
)

func TestSnippetsAreExamples(t *testing.T) {
	readme := read(t, "../../README.md")
	examples := squeeze(read(t, "example_test.go"))
	blocks := regexp.MustCompile("(?s)```go\n(.*?)```").FindAllStringSubmatch(readme, -1)
	if len(blocks) < 2 {
		t.Fatalf("%d Go snippets in README.md, want at least 2", len(blocks))
	}
	for _, b := range blocks {
		if !strings.Contains(examples, squeeze(b[1])) {
			t.Errorf("no example has this snippet of README.md:\n%s", b[1])
		}
	}
}

// TestOutputIsPrinted: what README.md says the demonstration prints is what its golden file holds.
func TestOutputIsPrinted(t *testing.T) {
	readme := read(t, "../../README.md")
	golden := read(t, "../../examples/whatif/internal/command/testdata/golden/demo.txt")
	block := regexp.MustCompile("(?s)```text\n(.*?)```").FindStringSubmatch(readme)
	if block == nil {
		t.Fatal("no output in README.md")
	}
	for part := range strings.SplitSeq(block[1], "…\n") {
		if part = strings.TrimSpace(part); part == "" || !strings.Contains(golden, part) {
			t.Errorf("the demonstration does not print:\n%s", part)
		}
	}
}

// TestEveryDeviationHasATest: the ids of docs/deviations.md are named in the tests or scenario files that hold them.
func TestEveryDeviationHasATest(t *testing.T) {
	named := map[string]bool{}
	word := regexp.MustCompile(`\b` + deviationID + `\b`)
	err := filepath.WalkDir("../..", func(path string, e fs.DirEntry, err error) error {
		scenario := strings.Contains(path, "testdata") && strings.HasSuffix(path, ".txt")
		if err != nil || e.IsDir() || !strings.HasSuffix(path, "_test.go") && !scenario {
			return err
		}
		for _, id := range word.FindAllString(read(t, path), -1) {
			named[id] = true
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	ids := regexp.MustCompile(`(?m)^\| (`+deviationID+`) \|`).FindAllStringSubmatch(read(t, "../../docs/deviations.md"), -1)
	if len(ids) < 100 {
		t.Errorf("only %d deviations are listed", len(ids))
	}
	for _, id := range ids {
		if !named[id[1]] {
			t.Errorf("no test names %s", id[1])
		}
	}
}

// deviationID is D1 and the like for all vendors, or a vendor's own.
const deviationID = `(?:[DNMA]|[abcehikmnv]D|DG|DS)\d+`

// TestEveryVendorIsDescribed: docs/vendors.md names the vendor words, resources and annotations of every backend; chips that
// share a model are <w>.
func TestEveryVendorIsDescribed(t *testing.T) {
	text := read(t, "../../docs/vendors.md")
	for _, b := range vendors.Default().Backends() {
		n, word := b.Names(), string(b.Vendor())
		names := append([]string{
			word, n.Count, n.Memory, n.Percent, n.Cores, n.Register, n.Handshake, n.ToAllocate, n.Allocated, n.Lock,
		}, slices.Concat(n.Others, n.Writes, n.PodKeys, n.NodeKeys)...)
		for _, name := range names {
			if !strings.Contains(text, "`"+name+"`") && !strings.Contains(text, "`"+strings.ReplaceAll(name, word, "<w>")+"`") && name != "" {
				t.Errorf("%s: %s is not in docs/vendors.md", word, name)
			}
		}
	}
}

// TestEveryQuirkHasAScenario: each quirk is turned on in some scenario file, and docs/deviations.md says what it restores.
func TestEveryQuirkHasAScenario(t *testing.T) {
	scenarios := ""
	for _, pattern := range []string{"../../vendors/testdata/*.txt", "../../vendors/*/testdata/*.txt"} {
		files, _ := filepath.Glob(pattern)
		for _, f := range files {
			scenarios += read(t, f)
		}
	}
	deviations := read(t, "../../docs/deviations.md")
	quirks := regexp.MustCompile(`(?m)^\t([A-Z]\w+)(?: Quirks = 1 << iota)?$`).FindAllStringSubmatch(read(t, "../../device/quirk.go"), -1)
	if len(quirks) < 8 {
		t.Fatalf("only %d quirks found", len(quirks))
	}
	for _, q := range quirks {
		if !strings.Contains(scenarios, "quirks=("+q[1]+")") {
			t.Errorf("no scenario turns %s on", q[1])
		}
		if !strings.Contains(deviations, "`"+q[1]+"`") {
			t.Errorf("docs/deviations.md does not name %s", q[1])
		}
	}
}

// squeeze drops indentation and alignment.
func squeeze(text string) string {
	return regexp.MustCompile(`[ \t]+`).ReplaceAllString(regexp.MustCompile(`(?m)^[ \t]+`).ReplaceAllString(text, ""), " ")
}

func read(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}
