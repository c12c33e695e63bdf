package testbed_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/accelfit/accelfit/examples/testbed/testbed"
)

// startScheduler starts a scheduler that the test stops.
func startScheduler(t *testing.T, c *testbed.Cluster, o testbed.SchedulerOptions) *testbed.Scheduler {
	t.Helper()
	s, err := c.StartScheduler(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Stop(); err != nil {
			t.Error(err)
		}
	})
	return s
}

// The scheduler as it comes binds a plain pod, under the role that every cluster has for it, and says why it does not bind one
// that asks for what no node has.
func TestDefaultScheduler(t *testing.T) {
	c := bed.Cluster(t)
	startScheduler(t, c, testbed.SchedulerOptions{})
	if _, err := c.CreateNodes(t.Context(), nodeOf("n1")); err != nil {
		t.Fatal(err)
	}
	defer clear(t, c)
	pods, err := c.CreatePods(t.Context(), podOf("", "plain", "cpu=1"), podOf("", "greedy", "nvidia.com/gpu=1"))
	if err != nil {
		t.Fatal(err)
	}
	bound, err := c.WaitBound(t.Context(), pods[0])
	if err != nil {
		t.Fatal(err)
	}
	if bound[0].Spec.NodeName != "n1" {
		t.Errorf("bound to %q", bound[0].Spec.NodeName)
	}
	message, err := c.WaitRefused(t.Context(), pods[1])
	if err != nil || !strings.Contains(message, "Insufficient nvidia.com/gpu") {
		t.Errorf("refused: %q, %v", message, err)
	}
}

// Schedulers side by side take the pods that name them, also after one has been killed.
func TestSchedulersByName(t *testing.T) {
	c := bed.Cluster(t)
	const config = "profiles: [{schedulerName: NAME}]"
	first := startScheduler(t, c, testbed.SchedulerOptions{Config: strings.ReplaceAll(config, "NAME", "first")})
	startScheduler(t, c, testbed.SchedulerOptions{Config: strings.ReplaceAll(config, "NAME", "second"), Flags: []string{"-v=2"}})
	if _, err := c.CreateNodes(t.Context(), nodeOf("n1"), nodeOf("n2")); err != nil {
		t.Fatal(err)
	}
	defer clear(t, c)
	pods, err := c.CreatePods(t.Context(), podOf("first", "a"), podOf("second", "b"))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := c.WaitBound(t.Context(), pods...); err != nil {
		t.Fatal(err)
	}
	first.Kill()
	if pods, err = c.CreatePods(t.Context(), podOf("first", "c"), podOf("second", "d")); err != nil {
		t.Fatal(err)
	}
	if _, err := c.WaitBound(t.Context(), pods[1]); err != nil {
		t.Fatal(err)
	}
	startScheduler(t, c, testbed.SchedulerOptions{Config: strings.ReplaceAll(config, "NAME", "first")})
	if _, err := c.WaitBound(t.Context(), pods[0]); err != nil {
		t.Fatal(err)
	}
}

// What kube-scheduler says of a bad configuration is in the error.
func TestBadSchedulers(t *testing.T) {
	inTemp(t)
	c := start(t, testbed.Options{})
	for _, bad := range []struct {
		why, says string
		options   testbed.SchedulerOptions
	}{
		{"an unknown plugin", "NoSuch", testbed.SchedulerOptions{
			Config: "profiles: [{schedulerName: x, plugins: {multiPoint: {enabled: [{name: NoSuch}]}}}]",
		}},
		{"an unknown field", "noSuch", testbed.SchedulerOptions{Config: "noSuch: 1"}},
		{"no YAML", "scheduler configuration", testbed.SchedulerOptions{Config: "a: ["}},
		{"a list", "scheduler configuration", testbed.SchedulerOptions{Config: "[]"}},
		{"no binary", "no/such", testbed.SchedulerOptions{Binary: "no/such"}},
	} {
		_, err := c.StartScheduler(t.Context(), bad.options)
		if err == nil || !strings.Contains(err.Error(), bad.says) {
			t.Errorf("%s: %v", bad.why, err)
		}
		var p *testbed.ProcessError
		if errors.As(err, &p) && !strings.HasPrefix(p.Log, c.Logs()) {
			t.Errorf("%s: the log is %s", bad.why, p.Log)
		}
	}
}
