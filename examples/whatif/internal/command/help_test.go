package command

import (
	"context"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/jedib0t/go-pretty/v6/text"
)

// TestHelpFits checks that help texts are as wide as the terminal, but for lines to be copied, and say the same at any width.
func TestHelpFits(t *testing.T) {
	help := func(width int, name string) string {
		var out strings.Builder
		if code := Run(context.Background(), []string{name, "--help"}, Terminal{Out: &out, Err: &out, Width: width}); code != ExitAnswered {
			t.Fatalf("exit code %d: %s", code, out.String())
		}
		return out.String()
	}
	for _, c := range newRoot(&Terminal{}).Commands() {
		for _, width := range []int{80, 100, 200} {
			got := help(width, c.Name())
			if d := cmp.Diff(strings.Fields(help(0, c.Name())), strings.Fields(got)); d != "" {
				t.Errorf("%s at %d says something else (-at no terminal +there):\n%s", c.Name(), width, d)
			}
			for line := range strings.Lines(got) {
				if n := text.StringWidthWithoutEscSequences(strings.TrimSuffix(line, "\n")); n > width && !(line[0] == ' ' && strings.Contains(c.Long, line)) {
					t.Errorf("%s: %d cells of %d: %s", c.Name(), n, width, line)
				}
			}
		}
	}
}

// TestHelpCommands checks the list of commands, whose texts are hung below each other.
func TestHelpCommands(t *testing.T) {
	var out strings.Builder
	Run(context.Background(), []string{"--help"}, Terminal{Out: &out, Err: &out, Width: 80})
	want := "\n  anonymize       Print the cluster with all names replaced, for others to look\n                  at; all answers stay the same\n"
	if !strings.Contains(out.String(), want) {
		t.Errorf("no %q in:\n%s", want, out.String())
	}
}
