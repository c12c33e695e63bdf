package nimbus_test

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/accelfit/accelfit/device/devicetest"
)

// These tests keep docs/writing-a-backend.md true. Leave them out of a copy.

const guide = "../../docs/writing-a-backend.md"

// TestSize: a model, and what proves it, are small.
func TestSize(t *testing.T) {
	tests, err := filepath.Glob("*_test.go")
	if err != nil {
		t.Fatal(err)
	}
	all, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	model := slices.DeleteFunc(all, func(name string) bool { return slices.Contains(tests, name) })
	for _, part := range []struct {
		name  string
		files []string
		below int
	}{{"the model", model, 250}, {"conformance, fuzz and race tests", []string{"conformance_test.go"}, 60}} {
		lines := 0
		for _, file := range part.files {
			lines += strings.Count(text(t, file), "\n")
		}
		t.Logf("%s: %d lines", part.name, lines)
		if lines >= part.below {
			t.Errorf("%s: want fewer than %d lines", part.name, part.below)
		}
	}
}

// TestSnippets: what the guide shows stands in the files that it names.
func TestSnippets(t *testing.T) {
	snippets := regexp.MustCompile("(?s)(?:`([^`\n]+)`\n)?```go\n(.*?)```").FindAllStringSubmatch(text(t, guide), -1)
	if len(snippets) < 10 {
		t.Errorf("only %d snippets", len(snippets))
	}
	for _, s := range snippets {
		if s[1] == "" || !strings.Contains(text(t, s[1]), s[2]) {
			t.Errorf("%q has no such lines:\n%s", s[1], s[2])
		}
	}
}

// TestLaws: the guide says of every law what breaks it.
func TestLaws(t *testing.T) {
	var want, got []string
	for _, l := range devicetest.Laws() {
		want = append(want, l.Name)
	}
	_, table, _ := strings.Cut(text(t, guide), "| Law |")
	table, _, _ = strings.Cut(table, "\n\n")
	for _, row := range regexp.MustCompile(`(?m)^\| ([a-z -]+) \|`).FindAllStringSubmatch(table, -1) {
		got = append(got, row[1])
	}
	if !slices.Equal(got, want) {
		t.Errorf("the guide has the laws %q, want %q", got, want)
	}
}

// TestReadme: what the README shows is a part of what the command is known to print.
func TestReadme(t *testing.T) {
	_, shown, _ := strings.Cut(text(t, "README.md"), "```text\n")
	shown, _, _ = strings.Cut(shown, "```")
	printed := regexp.MustCompile(`(?m)^\t// ?`).ReplaceAllString(text(t, "cmd/nimbusfit/main_test.go"), "")
	if shown == "" || !strings.Contains(printed, shown) {
		t.Errorf("nimbusfit does not print:\n%s", shown)
	}
}

// TestCommands runs the commands of the guide in an empty folder. What would be downloaded is this repository, what would take
// long is cut short.
func TestCommands(t *testing.T) {
	if testing.Short() {
		t.Skip("builds a module of its own")
	}
	script := "set -euxo pipefail\n"
	for _, block := range regexp.MustCompile("(?s)```sh\n(.*?)```").FindAllStringSubmatch(text(t, guide), -1) {
		script += block[1]
	}
	for _, change := range []struct{ command, instead string }{
		{"go get github.com/accelfit/accelfit@latest", `cp "$MODEL"/*.go . && rm guide_test.go && cp "$MODEL"/go.sum . &&
			go mod edit -require github.com/accelfit/accelfit@v0.0.0 -replace "github.com/accelfit/accelfit=$MODEL/../.."`},
		{"go test ./...", "go test -short ./..."},
		{"-race -shuffle=on", "-race -short -shuffle=on -run 'Conformance/(rules|conserve)|Example'"},
		{"'^FuzzLaws$' -fuzztime 10m", "'^FuzzLaws$' -fuzztime 10x"},
		{"'^FuzzHostile$' -fuzztime 10m", "'^FuzzHostile$' -fuzztime 10x"},
		{"-bench .", "-bench . -benchtime 10x"},
	} {
		if strings.Count(script, change.command) != 1 {
			t.Fatalf("%q is not in the guide", change.command)
		}
		script = strings.ReplaceAll(script, change.command, change.instead)
	}
	if out, err := run(t, t.TempDir(), "bash", "-c", script); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
}

// TestBrokenRule: what the guide shows is what the kit says of a model without the rule.
func TestBrokenRule(t *testing.T) {
	if testing.Short() {
		t.Skip("builds a module of its own")
	}
	const rule = "rules.Add(kit.Memory())"
	if !strings.Contains(text(t, guide), "`"+rule+"`") {
		t.Fatalf("the guide does not break %s", rule)
	}
	dir := copied(t)
	write(t, filepath.Join(dir, "rules.go"), strings.Replace(text(t, "rules.go"), rule, "", 1))
	out, err := run(t, dir, "go", "test", "-run", "TestConformance", ".")
	shown := regexp.MustCompile("(?s)```text\n(.*?)```").FindStringSubmatch(text(t, guide))
	if err == nil || shown == nil || !strings.HasPrefix(settled(out), settled(shown[1])+"FAIL\n") {
		t.Errorf("the kit says:\n%s", out)
	}
}

// settled leaves out of the output of a test what changes from run to run, and where in the kit it was printed.
func settled(out string) string {
	out = regexp.MustCompile(`\d+\.\d+s`).ReplaceAllString(out, "0.00s")
	return regexp.MustCompile(`law\.go:\d+`).ReplaceAllString(out, "law.go")
}

// copied is a folder with the model and its conformance test.
func copied(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	root, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{
		"doc.go", "backend.go", "device.go", "request.go", "rules.go", "choose.go", "conformance_test.go", "go.mod", "go.sum",
	} {
		write(t, filepath.Join(dir, name), strings.Replace(text(t, name), "=> ../..", "=> "+filepath.ToSlash(root), 1))
	}
	return dir
}

// run runs a command with what is already downloaded.
func run(t *testing.T, dir, name string, args ...string) (string, error) {
	t.Helper()
	model, err := filepath.Abs(".")
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	cmd := exec.Command(name, args...)
	cmd.Dir, cmd.Stdout, cmd.Stderr = dir, &out, &out
	cmd.Env = append(os.Environ(), "MODEL="+model, "GOFLAGS=-mod=mod", "GOPROXY=off", "GOWORK=off")
	err = cmd.Run()
	return out.String(), err
}

func text(t *testing.T, name string) string {
	t.Helper()
	b, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

func write(t *testing.T, name, text string) {
	t.Helper()
	if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}
