// Package readme keeps README.md true: its Go snippets stand in examples that are compiled and run.
package readme

import (
	"os"
	"regexp"
	"strings"
	"testing"
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
