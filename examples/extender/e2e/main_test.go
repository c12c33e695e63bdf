// Package e2e tests the extender's binary with a real control plane: a kube-scheduler that calls it, an API server that it talks
// to.
package e2e

import (
	"fmt"
	"os"
	"testing"

	"go.uber.org/goleak"

	"github.com/accelfit/accelfit/examples/testbed/testbed"
)

var bed testbed.Shared

// program is the extender.
var program = testbed.Program{Name: "extender", Dir: ".."}

func TestMain(m *testing.M) { os.Exit(run(m)) }

func run(m *testing.M) int {
	defer program.Remove()
	code := bed.Run(m)
	if err := goleak.Find(); err != nil && code == 0 {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return code
}
