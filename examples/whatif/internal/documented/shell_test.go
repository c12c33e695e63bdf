package documented

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"mvdan.cc/sh/v3/interp"
	"mvdan.cc/sh/v3/syntax"
	"sigs.k8s.io/yaml"

	whatif "github.com/accelfit/accelfit/examples/whatif/internal/command"
	"github.com/accelfit/accelfit/examples/whatif/internal/demo"
)

// printed is what a command line left behind.
type printed struct {
	out, errs string
	code      int
}

// shell runs a command line in this process, in the current directory. The error tells of one that it cannot run.
func shell(ctx context.Context, line string) (printed, error) {
	script, err := syntax.NewParser().Parse(strings.NewReader(line), "")
	if err != nil {
		return printed{}, err
	}
	var out, errs bytes.Buffer
	runner, err := interp.New(interp.StdIO(strings.NewReader(""), &out, &errs), interp.Params("-o", "pipefail"),
		interp.ExecHandlers(func(interp.ExecHandlerFunc) interp.ExecHandlerFunc { return execute }))
	if err != nil {
		return printed{}, err
	}
	err = runner.Run(ctx, script)
	p := printed{out: out.String(), errs: errs.String()}
	if status := interp.ExitStatus(0); errors.As(err, &status) {
		p.code, err = int(status), nil
	}
	return p, err
}

// names are those by which whatif is documented; the last is that from the root of the repository.
var names = [][]string{{"whatif"}, {"go", "run", "."}, {"go", "-C", "examples/whatif", "run", "."}}

// execute runs whatif, and a stand-in for kubectl that prints the demo cluster.
func execute(ctx context.Context, args []string) error {
	h := interp.HandlerCtx(ctx)
	for _, name := range names {
		if !hasPrefix(args, name) {
			continue
		}
		code := whatif.Run(ctx, args[len(name):], whatif.Terminal{In: h.Stdin, Out: h.Stdout, Err: h.Stderr})
		return status(code)
	}
	if hasPrefix(args, []string{"kubectl", "get", "nodes,pods,resourcequotas", "-A", "-o", "json"}) && len(args) == 6 {
		text, err := yaml.YAMLToJSON(demo.Cluster)
		if err == nil {
			_, err = h.Stdout.Write(text)
		}
		return err
	}
	return fmt.Errorf("%q is not run here", args)
}

func status(code int) error {
	if code == 0 {
		return nil
	}
	return interp.ExitStatus(code)
}

func hasPrefix(args, prefix []string) bool {
	return len(args) >= len(prefix) && slices.Equal(args[:len(prefix)], prefix)
}

// TestShell: what fails in the middle of a command line fails it, and nothing but what execute knows is run.
func TestShell(t *testing.T) {
	for line, want := range map[string]int{
		"whatif demo --data | whatif table -f -":           0,
		"whatif table -f - --no-such-flag | whatif demo":   2,
		"whatif demo --data | go run . lint -f - --fail":   1,
		"kubectl get nodes,pods,resourcequotas -A -o json": 0,
	} {
		if p, err := shell(t.Context(), line); err != nil || p.code != want || want == 0 && p.out == "" {
			t.Errorf("%s: %d, %v, want %d: %s%s", line, p.code, err, want, p.out, p.errs)
		}
	}
	for _, line := range []string{"cat /dev/null", "kubectl get nodes", "kubectl delete pods --all", "go test ./..."} {
		if _, err := shell(t.Context(), line); err == nil {
			t.Errorf("%s was run", line)
		}
	}
	if _, err := shell(t.Context(), "whatif 'table"); err == nil {
		t.Error("half a command line was run")
	}
}
