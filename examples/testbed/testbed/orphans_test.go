package testbed_test

import (
	"bufio"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"testing"

	"github.com/accelfit/accelfit/examples/testbed/testbed"
)

// helperVariable makes TestHelper start a cluster and wait for its end.
const helperVariable = "TESTBED_HELPER"

func TestHelper(t *testing.T) {
	if os.Getenv(helperVariable) == "" {
		t.Skip("for TestOrphans")
	}
	if _, err := testbed.Start(t.Context(), testbed.Options{}); err != nil {
		t.Fatal(err)
	}
	fmt.Println("started")
	select {}
}

// A test run that is killed leaves no processes.
func TestOrphans(t *testing.T) {
	testbed.Binaries(t)
	if runtime.GOOS != "linux" {
		t.Skip("only Linux kills children with their parent")
	}
	dir := t.TempDir()
	cmd := exec.Command(os.Args[0], "-test.run=^TestHelper$")
	cmd.Env = append(os.Environ(), helperVariable+"=1", "TMPDIR="+dir)
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewScanner(out)
	for lines.Scan() && lines.Text() != "started" {
		t.Log(lines.Text())
	}
	if running := commands(t, dir); len(running) != 2 {
		t.Errorf("running: %q", running)
	}
	_ = cmd.Process.Kill() // fails only if it has ended
	_ = cmd.Wait()         // that it was killed is no news
	gone := func() error {
		if running := commands(t, dir); len(running) > 0 {
			return fmt.Errorf("still running: %q", running)
		}
		return nil
	}
	if err := eventually(gone); err != nil {
		t.Error(err)
	}
	if lines.Err() != nil && !errors.Is(lines.Err(), os.ErrClosed) {
		t.Error(lines.Err())
	}
}
