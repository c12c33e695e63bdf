// Package e2e tests the extender's binary with a real control plane: a kube-scheduler that calls it, an API server that it talks
// to.
package e2e

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"testing"

	"go.uber.org/goleak"

	"github.com/accelfit/accelfit/examples/testbed/testbed"
)

var bed testbed.Shared

// binary builds the extender, the first time that a test asks for it.
var binary = sync.OnceValues(func() (string, error) {
	path := filepath.Join(binaries, "extender")
	out, err := exec.Command("go", "build", "-o", path, "..").CombinedOutput()
	if err != nil {
		return "", fmt.Errorf("go build: %w: %s", err, out)
	}
	return path, nil
})

// binaries is where the extender is built.
var binaries string

func TestMain(m *testing.M) { os.Exit(run(m)) }

func run(m *testing.M) int {
	var err error
	if binaries, err = os.MkdirTemp("", "extender-e2e-"); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer os.RemoveAll(binaries)
	code := bed.Run(m)
	if err := goleak.Find(); err != nil && code == 0 {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return code
}
