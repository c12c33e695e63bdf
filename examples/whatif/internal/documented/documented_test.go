package documented

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"sigs.k8s.io/yaml"

	"github.com/accelfit/accelfit/examples/whatif/internal/demo"
)

// readers are the pages whose command lines are run.
var readers = []string{"README.md", "docs/*.md", "examples/whatif/README.md"}

// examples are what placeholders stand for when a command line is tried.
var examples = map[string]string{"POD": "shop/rerank", "NODE": "l4-1", "FILE": "report.html", "A": "demo.yaml", "B": "cluster.json"}

// unsaid is what sentences and tables leave out of a command line; of commands that are not listed it is the input.
var unsaid = map[string]string{
	"verify": " -f testdata/growing.yaml --profiles testdata/profiles.yaml", "diff": "", "demo": "", "completion": "",
}

// TestCommands runs the command lines of the pages and compares what they print with what is shown below them.
func TestCommands(t *testing.T) {
	all := pages(t, readers...)
	prepare(t)
	t.Setenv("KUBECONFIG", "no-such-file")
	ran, shown, used := 0, 0, map[string]bool{}
	for _, p := range all {
		for _, c := range p.commands() {
			if runElsewhere(c.line) {
				continue
			}
			ran++
			if c.shown != "" {
				shown++
			}
			t.Run(c.where, func(t *testing.T) { try(t, c, used) })
		}
	}
	if ran < 80 || shown < 44 {
		t.Errorf("%d command lines were run, %d with what they print: some are no longer found", ran, shown)
	}
	for name := range examples {
		if !used[name] {
			t.Errorf("no command line has the placeholder %s", name)
		}
	}
}

// TestFilesAreShown: pages that show an input file show it as it is.
func TestFilesAreShown(t *testing.T) {
	file := content(t, "../../testdata/groups.yaml")
	if p := pages(t, "docs/profiles.md")[0]; !strings.Contains(string(p.src), "```text\n"+file+"```") {
		t.Errorf("%s does not show groups.yaml", p.path)
	}
}

// prepare moves to a folder with the files that the pages speak of.
func prepare(t *testing.T) {
	t.Helper()
	dir := t.TempDir()
	if err := os.CopyFS(filepath.Join(dir, "testdata"), os.DirFS("../../testdata")); err != nil {
		t.Fatal(err)
	}
	t.Chdir(dir)
	asJSON, err := yaml.YAMLToJSON(demo.Cluster)
	if err != nil {
		t.Fatal(err)
	}
	write(t, "demo.yaml", demo.Cluster)
	write(t, "cluster.json", asJSON)
}

func write(t *testing.T, name string, text []byte) {
	t.Helper()
	if err := os.WriteFile(name, text, 0o600); err != nil {
		t.Fatal(err)
	}
}

// try runs a command line, which must answer, and print what the page shows.
func try(t *testing.T, c command, used map[string]bool) {
	line := c.line
	if c.shown == "" {
		line = filled(c, used)
	}
	file := written(line)
	if file != "" {
		if err := os.Remove(file); err != nil && !os.IsNotExist(err) {
			t.Fatal(err)
		}
	}
	p, err := shell(t.Context(), line)
	if err != nil {
		t.Fatalf("%s: %v; run it here, or add it to elsewhere with the test that does", c, err)
	}
	if p.code > 1 {
		t.Fatalf("%s: exit code %d, %s", c, p.code, p.errs)
	}
	if file != "" {
		p.out = content(t, file)
	}
	if p.out == "" {
		t.Errorf("%s: prints nothing", c)
	}
	if c.shown != "" && !like(p.out, c.shown) {
		t.Errorf("%s: something else is shown than what it prints:\n%s", c, p.out)
	}
}

// filled is a command line with values for its placeholders, and with what a sentence leaves out.
func filled(c command, used map[string]bool) string {
	words := strings.Fields(c.line)
	for i, w := range words {
		name := strings.TrimRight(strings.Trim(w, "[]"), ".…")
		if value, found := examples[name]; found {
			words[i], used[name] = value, true
		}
	}
	line := strings.Join(words, " ")
	if !c.prose || words[0] != "whatif" || slices.Contains(words, "-f") {
		return line
	}
	more, found := unsaid[words[1]]
	if !found {
		more = " -f demo.yaml"
	}
	return line + more
}

// written is the file that a command line writes; empty: it prints.
func written(line string) string {
	words := strings.Fields(line)
	for i, w := range words[:len(words)-1] {
		if next := words[i+1]; w == ">" || w == "-o" && strings.Contains(next, ".") {
			return next
		}
	}
	return ""
}

func content(t *testing.T, name string) string {
	t.Helper()
	b, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// problems begins the section on what is wrong with the input, which comes last and may be left out.
const problems = "\nProblems\n"

// like says whether printed is what is shown, where a line with … stands for any lines.
func like(printed, shown string) bool {
	if !strings.Contains(shown, problems) {
		printed, _, _ = strings.Cut(printed, problems)
	}
	pattern := regexp.MustCompile(`(?m)^…\n`).ReplaceAllString(regexp.QuoteMeta(shown), `(?:.*\n)*`)
	return regexp.MustCompile(`\A` + pattern + `\z`).MatchString(printed)
}

// TestLike holds what … stands for.
func TestLike(t *testing.T) {
	const printed = "a\nb\nc\nd\n\nProblems\n  x\n"
	for shown, same := range map[string]bool{
		"a\nb\nc\nd\n": true, printed: true, "a\n…\nd\n": true, "…\nd\n": true, "a\n…\n": true, "a\n…\nc\n…\n": true, "…\nb\n…\nc\nd\n": true, "…\n": true,
		"a\n": false, "b\n…\n": false, "a\n…\nc\n": false, "…\nc\n…\nb\n…\n": false, "…\n \n…\n": false, "a\nb\nc\nd\n\nProblems\n": false, "a\nb\n…\nb\n…\n": false,
	} {
		if like(printed, shown) != same {
			t.Errorf("%q is like it: %v, want %v", shown, !same, same)
		}
	}
}
