package command

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/jedib0t/go-pretty/v6/text"

	"github.com/accelfit/accelfit/examples/whatif/internal/demo"
)

// screens are one command line of each kind that prints tables. demo.yaml is the demo cluster.
var screens = map[string][]string{
	"table":           {"table", "-f", "demo.yaml"},
	"table-mixed":     {"table", "-f", "mixed.yaml"},
	"why":             {"why", "research/finetune", "-f", "demo.yaml"},
	"place":           {"place", "shop/chat", "research/notebook-d", "shop/rerank", "-f", "demo.yaml"},
	"scaleup":         {"scaleup", "-f", "demo.yaml"},
	"capacity":        {"capacity", "-f", "demo.yaml"},
	"fragmentation":   {"fragmentation", "-f", "demo.yaml"},
	"makeroom":        {"makeroom", "shop/rerank", "-f", "demo.yaml"},
	"drain":           {"drain", "l4-1", "-f", "demo.yaml", "--fail-device", "h100-1/GPU-c17f", "--cordon-node", "a100-1"},
	"verify":          {"verify", "-f", "growing.yaml", "--profiles", "profiles.yaml"},
	"explain-request": {"explain-request", "shop/render", "-f", "demo.yaml"},
	"lint":            {"lint", "-f", "faulty.yaml"},
	"diff":            {"diff", "demo.yaml", "--b", "fail-device=l4-2/GPU-2ac", "--b", "cordon-node=a100-1"},
	"anonymize-names": {"anonymize", "--names", "-f", "demo.yaml"},
}

// screen is what a command prints on a terminal.
func screen(t *testing.T, width int, colour bool, args ...string) string {
	t.Helper()
	var out, errs strings.Builder
	terminal := Terminal{In: strings.NewReader(""), Out: &out, Err: &errs, Width: width, Colour: colour}
	if code := Run(context.Background(), args, terminal); code == ExitBadInput || errs.Len() > 0 {
		t.Fatalf("whatif %s: exit code %d, %s", strings.Join(args, " "), code, errs.String())
	}
	return out.String()
}

// inputs makes the files of screens the ones of the working directory, and returns the directory of the golden files.
func inputs(t *testing.T) string {
	t.Helper()
	here, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	t.Chdir(t.TempDir())
	for _, name := range []string{"mixed.yaml", "growing.yaml", "profiles.yaml", "faulty.yaml"} {
		if err := os.Symlink(filepath.Join(here, "../../testdata", name), name); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile("demo.yaml", demo.Cluster, 0o600); err != nil {
		t.Fatal(err)
	}
	return filepath.Join(here, "testdata")
}

// TestScreens holds what each command prints on terminals of 80 and 160 columns, with and without colour; in the files ␛ stands for
// the escape character.
func TestScreens(t *testing.T) {
	dir := inputs(t)
	for name, args := range screens {
		for _, width := range []int{80, 160} {
			folder := fmt.Sprintf("terminal-%d-columns", width)
			plain, coloured := screen(t, width, false, args...), screen(t, width, true, args...)
			goldenFile(t, filepath.Join(dir, folder, name+".txt"), plain)
			goldenFile(t, filepath.Join(dir, folder+"-coloured", name+".txt"), strings.ReplaceAll(coloured, "\x1b", "␛"))
			if d := cmp.Diff(plain, escapes.ReplaceAllString(coloured, "")); d != "" {
				t.Errorf("%s: colours change more than colours (-plain +coloured):\n%s", name, d)
			}
		}
	}
}

var escapes = regexp.MustCompile("\x1b\\[[0-9;]*m")

// TestScreensFit checks that no line is wider than the terminal unless it is a single word, and that colours end with their lines.
func TestScreensFit(t *testing.T) {
	inputs(t)
	for name, args := range screens {
		for _, width := range []int{60, 61, 72, 79, 100, 121, 133, 161, 200, 250} {
			for line := range strings.Lines(screen(t, width, true, args...)) {
				line = strings.TrimSuffix(line, "\n")
				if n := text.StringWidthWithoutEscSequences(line); n > width && len(strings.Fields(line)) > 1 {
					t.Errorf("%s: %d cells of %d: %s", name, n, width, line)
				}
				if all := escapes.FindAllString(line, -1); len(all) > 0 && all[len(all)-1] != "\x1b[0m" {
					t.Errorf("%s at %d: a colour does not end: %q", name, width, line)
				}
			}
		}
	}
}

// TestScreensSayTheSame checks that every word of an answer is there at any width, in the table too that is not for a terminal.
func TestScreensSayTheSame(t *testing.T) {
	inputs(t)
	for name, args := range screens {
		want := wordsOf(screen(t, 0, false, args...))
		for _, width := range []int{40, 60, 80, 100, 160, 250} {
			got := wordsOf(screen(t, width, false, args...))
			for word := range want {
				if !got[word] {
					t.Errorf("%s at %d: no %q", name, width, word)
				}
			}
		}
	}
}

// wordsOf is the words of a text in small letters, without bars, strips and commas. The header of models is only where there is room.
func wordsOf(s string) map[string]bool {
	out := map[string]bool{}
	for word := range strings.FieldsSeq(s) {
		if word = strings.ToLower(strings.Trim(word, ",;")); !strings.ContainsAny(word, "█░[·─") && word != "model" {
			out[word] = true
		}
	}
	return out
}

// TestScreenOfWideCharacters checks that the columns of devices are aligned where models are written in other scripts.
func TestScreenOfWideCharacters(t *testing.T) {
	var devices []string
	for i, model := range []string{"昇腾 910B", "가속기", "e\u0301e\u0301", "GPU 🚀", "L4"} {
		devices = append(devices, fmt.Sprintf(`{"id":"g%d","count":1,"devmem":1,"type":%q,"mode":"m","health":true}`, i, model))
	}
	cluster := file(t, "cluster.json", register("["+strings.Join(devices, ",")+"]"))
	for _, width := range []int{0, 60, 100, 200} {
		at, seen := map[int]bool{}, 0
		for line := range strings.Lines(screen(t, width, false, "table", "-f", cluster)) {
			if i := strings.Index(line, " ok "); i >= 0 {
				at[text.StringWidthWithoutEscSequences(line[:i])] = true
				seen++
			}
		}
		if len(at) != 1 {
			t.Errorf("%d columns: not aligned, at cells %v", width, at)
		}
		if seen != len(devices) {
			t.Errorf("%d columns: %d devices", width, seen)
		}
	}
}
