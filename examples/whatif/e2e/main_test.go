// Package e2e tests the whatif binary, as a plugin of kubectl, with a real API server.
package e2e

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/accelfit/accelfit/examples/testbed/testbed"
)

const (
	plugin = "kubectl-whatif_devices"
	module = ".." // of the plugin
)

var bed = testbed.Shared{Options: testbed.Options{
	RBAC: true,
	APIServerFlags: []string{ // every request of a service account
		"--audit-policy-file=" + filepath.Join(files, "policy.yaml"), "--audit-log-path=" + filepath.Join(files, "audit.log"),
		"--audit-log-mode=blocking-strict",
	},
}}

// built is the plugin.
var built = testbed.Program{Name: plugin, Dir: module}

// files is the folder of the audit log, and of programs that kubectl finds.
var files = filepath.Join(os.TempDir(), fmt.Sprintf("whatif-e2e-%d", os.Getpid()))

const auditPolicy = `
apiVersion: audit.k8s.io/v1
kind: Policy
omitStages: [RequestReceived]
rules:
  - level: Metadata
    userGroups: ["system:serviceaccounts"]
  - level: None
`

func TestMain(m *testing.M) { os.Exit(run(m)) }

func run(m *testing.M) int {
	err := errors.Join(os.Mkdir(files, 0o700), os.WriteFile(filepath.Join(files, "policy.yaml"), []byte(auditPolicy), 0o600))
	defer os.RemoveAll(files)
	defer built.Remove()
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return bed.Run(m)
}

// program is something to run and what its environment has besides a path.
type program struct {
	path string
	env  []string
}

// whatif is the plugin with a kubeconfig.
func whatif(t *testing.T, kubeconfig string) program {
	t.Helper()
	return program{built.Path(t), []string{"KUBECONFIG=" + kubeconfig, "HOME=" + t.TempDir()}}
}

// limit bounds every run of a program.
const limit = time.Minute

// run runs the program and returns what it printed and its exit code.
func (p program) run(t *testing.T, args ...string) (out, errs string, code int) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), limit)
	defer cancel()
	cmd := exec.CommandContext(ctx, p.path, args...)
	folders := []string{files, filepath.Dir(built.Path(t)), os.Getenv("PATH")}
	cmd.Env = append([]string{"PATH=" + strings.Join(folders, string(os.PathListSeparator))}, p.env...)
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	err := cmd.Run()
	if exit := (*exec.ExitError)(nil); err != nil && !errors.As(err, &exit) {
		t.Fatal(err)
	}
	return stdout.String(), stderr.String(), cmd.ProcessState.ExitCode()
}

// answers runs the program, which must answer without a word besides.
func (p program) answers(t *testing.T, args ...string) string {
	t.Helper()
	out, errs, code := p.run(t, args...)
	if code != 0 || errs != "" {
		t.Fatalf("%q: exit code %d: %s", args, code, errs)
	}
	return out
}

// refuses runs the program, which must end as it does for bad input, and say some things.
func (p program) refuses(t *testing.T, args []string, want ...string) {
	t.Helper()
	out, errs, code := p.run(t, args...)
	if code != 2 || out != "" || strings.Count(errs, "\n") != 1 {
		t.Errorf("%q: exit code %d, output %.200q, or more than one line of errors: %s", args, code, out, errs)
	}
	for _, w := range want {
		if !strings.Contains(errs, w) {
			t.Errorf("%q says %q, want %q in it", args, errs, w)
		}
	}
}
