package command

import (
	"context"
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/spf13/pflag"
	"go.uber.org/goleak"

	"github.com/accelfit/accelfit/examples/extender/internal/live"
	"github.com/accelfit/accelfit/vendors"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// recorder is a service that ends as told and remembers what it was given.
type recorder struct {
	run func(ctx context.Context) error

	name      string
	set       *vendors.Set
	scheduler *live.Scheduler
	log       *slog.Logger
}

func (r *recorder) AddFlags(flags *pflag.FlagSet) { flags.StringVar(&r.name, "own", "", "") }

func (r *recorder) Run(ctx context.Context, set *vendors.Set, scheduler *live.Scheduler, log *slog.Logger) error {
	r.set, r.scheduler, r.log = set, scheduler, log
	if r.run == nil {
		return nil
	}
	return r.run(ctx)
}

func execute(t *testing.T, r *recorder, args ...string) (string, error) {
	t.Helper()
	c := New(r)
	c.SetArgs(args)
	var out strings.Builder
	c.SetOut(&out)
	c.SetErr(&out)
	err := c.ExecuteContext(t.Context())
	return out.String(), err
}

func write(t *testing.T, name, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// nobody is a kubeconfig for an API server that is not there.
const nobody = `
apiVersion: v1
kind: Config
clusters: [{name: c, cluster: {server: "https://127.0.0.1:1"}}]
contexts: [{name: c, context: {cluster: c}}]
current-context: c
`

func TestSimulationOnlyNeedsNoCluster(t *testing.T) {
	r := &recorder{}
	config := write(t, "devices.yaml", "nvidia: {resourceCountName: example.com/gpu, unknown: 1}")
	out, err := execute(t, r, "--simulation-only", "--own=x", "--device-config-file="+config,
		"--node-scheduler-policy=spread", "--gpu-scheduler-policy=binpack")
	if err != nil || r.scheduler != nil || r.name != "x" {
		t.Fatalf("error %v, scheduler %v, own flag %q", err, r.scheduler, r.name)
	}
	if o := r.set.Options(); o.NodePolicy != "spread" || o.DevicePolicy != "binpack" {
		t.Errorf("policies: %+v", o)
	}
	if r.set.Config().NVIDIA.ResourceCountName != "example.com/gpu" {
		t.Errorf("device configuration: %+v", r.set.Config().NVIDIA)
	}
	if !strings.Contains(out, `"level":"WARN"`) || !strings.Contains(out, "unknown") {
		t.Errorf("want a warning about the unknown key as JSON, got %s", out)
	}
}

func TestFlagsThatCannotBeUsed(t *testing.T) {
	kubeconfig := write(t, "kubeconfig", nobody)
	for flag, args := range map[string][]string{
		"--log-level":                       {"--log-level=loud"},
		"--device-config-file":              {"--device-config-file=nowhere.yaml"},
		"--kubeconfig":                      {"--kubeconfig=nowhere"},
		"--node-label-selector":             {"--kubeconfig", kubeconfig, "--node-label-selector=a in (("},
		"--leader-elect-resource-namespace": {"--kubeconfig", kubeconfig, "--leader-elect"},
	} {
		var bad *FlagError
		if _, err := execute(t, &recorder{}, args...); !errors.As(err, &bad) || bad.Flag != flag {
			t.Errorf("want an error of %s, got %v", flag, err)
		}
	}
}

// Without an API server the service goes on, and live calls fail in the time they may take.
func TestServesWithoutAnAPIServer(t *testing.T) {
	r := &recorder{}
	r.run = func(ctx context.Context) error {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if err := r.scheduler.Ready(); !errors.Is(err, live.ErrNotSynced) {
			t.Errorf("ready: %v", err)
		}
		began := time.Now()
		_ = r.scheduler.Bind(ctx, nil)
		if took := time.Since(began); took > 5*time.Second {
			t.Errorf("a call took %s", took)
		}
		return errors.New("port taken")
	}
	_, err := execute(t, r, "--kubeconfig", write(t, "kubeconfig", nobody), "--timeout=100ms", "--log-level=error")
	if err == nil || !strings.Contains(err.Error(), "port taken") {
		t.Errorf("want the service's error, got %v", err)
	}
}
