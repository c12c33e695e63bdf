package main

import (
	"context"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/accelfit/accelfit/examples/testbed/testbed"
	"github.com/accelfit/accelfit/simulate"
	"github.com/accelfit/accelfit/vendors"
)

// The demo has devices of several vendors, all of which are read; its pods run, but one, and what they hold is read back.
func TestDemo(t *testing.T) {
	demo, err := loadDemo(time.Unix(0, 0))
	if err != nil {
		t.Fatal(err)
	}
	set := vendors.Default()
	snap, problems := simulate.New(set, demo.Nodes, demo.Pods)
	if len(problems) > 0 {
		t.Error(problems)
	}
	var pending []string
	for _, pod := range demo.Pods {
		if pod.Spec.NodeName == "" {
			pending = append(pending, pod.Name)
		} else if node, ok := snap.PlacedOn(pod.Namespace + "/" + pod.Name); !ok || node != pod.Spec.NodeName {
			t.Errorf("%s: on %q, read back on %q", pod.Name, pod.Spec.NodeName, node)
		}
	}
	if len(pending) != 1 || pending[0] != "giant" {
		t.Errorf("pending: %q", pending)
	}
	seen := map[string]bool{}
	for _, node := range demo.Nodes {
		for _, v := range set.Inventory(node).Vendors() {
			seen[string(v)] = true
		}
	}
	for _, v := range []string{"NVIDIA", "Ascend910B3", "MLU", "DCU"} {
		if !seen[v] {
			t.Errorf("no node has devices of %s", v)
		}
	}
}

// waiting is the output of up, which ends it when it has said all.
type waiting struct {
	strings.Builder
	done func(said string)
}

func (w *waiting) Write(p []byte) (int, error) {
	n, err := w.Builder.Write(p)
	if strings.Contains(w.String(), "capacity") {
		w.done(w.String())
	}
	return n, err
}

// up loads the demo, tells a kubeconfig that is there, and leaves nothing behind.
func TestUp(t *testing.T) {
	testbed.Binaries(t)
	dir := t.TempDir()
	t.Setenv("TMPDIR", dir)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	out := &waiting{done: func(said string) {
		_, rest, _ := strings.Cut(said, "KUBECONFIG=")
		path, _, _ := strings.Cut(rest, "\n")
		if _, err := os.Stat(path); err != nil {
			t.Error(err)
		}
		cancel()
	}}
	if err := (upOptions{rbac: true}).up(ctx, out, io.Discard); err != nil {
		t.Error(err)
	}
	if !strings.Contains(out.String(), testbed.Version) {
		t.Errorf("said:\n%s", out.String())
	}
	if left, _ := filepath.Glob(filepath.Join(dir, "*")); len(left) > 0 {
		t.Errorf("left behind: %q", left)
	}
}

// A command line that makes no sense is refused before anything starts.
func TestCommandLine(t *testing.T) {
	for _, args := range [][]string{{"up", "extra"}, {"up", "--no-such"}, {"build", "extra"}, {"nothing"}, {"up", "--port=x"}} {
		cmd := command()
		cmd.SetArgs(args)
		cmd.SetOut(io.Discard)
		cmd.SetErr(io.Discard)
		if err := cmd.ExecuteContext(t.Context()); err == nil {
			t.Errorf("%q is taken", args)
		}
	}
}
