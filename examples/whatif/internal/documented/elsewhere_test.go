package documented

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// elsewhere are the command lines that are not run here: each with the file that runs it, or tells what it does, and where in
// that file. … stands for the rest of a line.
var elsewhere = []struct {
	file, says string
	lines      []string
}{
	{".ci/run", `eval "$(readme tests)"`, []string{
		"go test ./... && go -C examples/whatif test ./... && go -C examples/custombackend test ./...",
	}},
	{".ci/run", `eval "$(readme integration)"`, []string{
		`go -C examples/testbed run . build && export K8S_BIN="$PWD/examples/testbed/bin"`,
		"(set -e; for m in testbed …",
	}},
	{".ci/run", `"$fuzzall" -minutes "$FUZZMINUTES"`, []string{"go run ./internal/fuzzall -minutes 10"}},
	{".ci/run", "go test -count=1 -race -v -run 'TestSoak$' ./internal/soak", []string{
		"ACCELFIT_SOAK=10m go test -race ./internal/soak",
	}},
	{".ci/run", "go test -short -run '^$' -bench . -benchtime 1x ./...", []string{"go test ./simulate -run xxx -bench BenchmarkScale"}},
	{".ci/run", `eval "$(readme demo)"`, []string{"go -C examples/whatif build -o ../../bin/ ."}}, // builds the same program
	{"examples/testbed/main_test.go", "func TestUp(", []string{"go -C examples/testbed run . up"}},
	{"examples/whatif/internal/command/golden_test.go", `flag.Bool("update"`, []string{"go test ./internal/command -update"}},
	{"examples/whatif/internal/report/browser_test.go", `os.Getenv("WHATIF_CHROMIUM")`, []string{
		"WHATIF_CHROMIUM=chromium go test ./internal/report",
	}},
	{"examples/whatif/e2e/readme_test.go", "func TestReadme(", []string{
		"kubectl apply -f manifests/rbac.yaml",
		"kubectl create clusterrolebinding jane-whatif --clusterrole=accelfit-whatif --user=jane",
		"whatif table --context staging", "whatif diff monday.json --context staging",
		"whatif diff --a context=staging --b context=production",
		`install plugin/kubectl_complete-whatif_devices "$HOME/bin/"`, `go build -o "$HOME/bin/kubectl-whatif_devices" .`, `install plugin/kubectl_complete-whatif_devices "$HOME/bin/"`,
		`kubectl whatif-devices why shop/rerank --context staging`,
	}},
	{"examples/custombackend/guide_test.go", "func TestCommands(", []string{
		"mkdir nimbus && cd nimbus", "go mod init example.com/nimbus", "go get github.com/accelfit/accelfit@latest",
		"go test ./...", "go test -race -shuffle=on ./...", "go test -race -shuffle=on",
		"go test -run '^$' -fuzz '^FuzzLaws$' -fuzztime 10m", "go test -run '^$' -fuzz '^FuzzHostile$' -fuzztime 10m",
		"go test -run '^$' -bench .",
	}},
	{"examples/custombackend/guide_test.go", "func TestBrokenRule(", []string{"go test -run TestConformance/no_over-commit"}},
	{"docs/writing-a-backend.md", "copied from a real", []string{"kubectl get node NAME -o yaml"}}, // kubectl's own
}

func runElsewhere(line string) bool {
	for _, e := range elsewhere {
		if slices.ContainsFunc(e.lines, func(known string) bool { return same(known, line) }) {
			return true
		}
	}
	return false
}

func same(known, line string) bool {
	begin, open := strings.CutSuffix(known, "…")
	return known == line || open && strings.HasPrefix(line, begin)
}

// TestElsewhere: what runs a command line is still there, and so is the command line.
func TestElsewhere(t *testing.T) {
	var found []string
	for _, p := range pages(t, readers...) {
		for _, c := range p.commands() {
			found = append(found, c.line)
		}
	}
	for _, e := range elsewhere {
		if text := content(t, filepath.Join(repository, filepath.FromSlash(e.file))); !strings.Contains(text, e.says) {
			t.Errorf("%s: %s does not say %s", e.lines, e.file, e.says)
		}
		for _, line := range e.lines {
			if !slices.ContainsFunc(found, func(f string) bool { return same(line, f) }) {
				t.Errorf("no page has the command line %s", line)
			}
		}
	}
}
