package e2e

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	extenderv1 "k8s.io/kube-scheduler/extender/v1"

	"github.com/accelfit/accelfit/examples/testbed/testbed"
)

// loadFor in the environment says how long TestLoad loads the extender in each form, as "60s"; empty: the test is skipped.
const loadFor = "ACCELFIT_LOAD"

// Eight clients at a time have a thousand nodes of eight cards filtered, as names and as objects: no call fails. What it takes is
// logged.
func TestLoad(t *testing.T) {
	if os.Getenv(loadFor) == "" {
		t.Skip(loadFor + " is not set")
	}
	long, err := time.ParseDuration(os.Getenv(loadFor))
	if err != nil {
		t.Fatal(err)
	}
	c := bed.Cluster(t)
	nodes := createLargeCluster(t, c)
	e := startExtender(t, c, nil, "--kube-api-qps=5000", "--kube-api-burst=5000", "--log-level=warn")
	pods, err := c.CreatePods(t.Context(), podsOf("nobody", 8*len(wishes))...)
	if err != nil {
		t.Fatal(err)
	}
	pods = slices.DeleteFunc(pods, func(p *corev1.Pod) bool { return !strings.Contains(fmt.Sprint(p.Spec), "nvidia.com/gpu") })[:8]
	names := make([]string, len(nodes))
	list := &corev1.NodeList{}
	for i, n := range nodes {
		names[i] = n.Name
		list.Items = append(list.Items, *n)
	}
	t.Logf("memory before: %s", memory(t, e))
	for _, form := range []struct {
		name, route string
		args        func(pod *corev1.Pod) *extenderv1.ExtenderArgs
	}{
		{"names", "/filter", func(pod *corev1.Pod) *extenderv1.ExtenderArgs {
			return &extenderv1.ExtenderArgs{Pod: pod, NodeNames: &names}
		}},
		{"objects", "/filter", func(pod *corev1.Pod) *extenderv1.ExtenderArgs { return &extenderv1.ExtenderArgs{Pod: pod, Nodes: list} }},
		{"simulation", "/filter-simulation", func(pod *corev1.Pod) *extenderv1.ExtenderArgs {
			return &extenderv1.ExtenderArgs{Pod: pod, Nodes: list}
		}},
	} {
		took := load(t, e, form.route, pods, long, form.args)
		t.Logf("%s: %.0f calls/s, p50 %s, p99 %s, memory %s", form.name, float64(len(took))/long.Seconds(),
			took[len(took)/2], took[len(took)*99/100], memory(t, e))
	}
}

// load has each pod filtered again and again, all at a time, and returns what each call took, ascending.
func load(
	t *testing.T, e *extender, route string, pods []*corev1.Pod, long time.Duration, args func(*corev1.Pod) *extenderv1.ExtenderArgs,
) (took []time.Duration) {
	t.Helper()
	var mu sync.Mutex
	var wg sync.WaitGroup
	end := time.Now().Add(long)
	for _, pod := range pods {
		body, err := json.Marshal(args(pod))
		if err != nil {
			t.Fatal(err)
		}
		wg.Go(func() {
			for time.Now().Before(end) {
				began := time.Now()
				filterOnce(t, e, route, body)
				mu.Lock()
				took = append(took, time.Since(began))
				mu.Unlock()
			}
		})
	}
	wg.Wait()
	slices.Sort(took)
	return took
}

func createLargeCluster(t *testing.T, c *testbed.Cluster) []*corev1.Node {
	t.Helper()
	var text strings.Builder
	for i := range 1000 {
		fmt.Fprintf(&text, `---
apiVersion: v1
kind: Node
metadata: {name: node-%04d, annotations: {testbed.accelfit.dev/devices: "[{model: NVIDIA L4, count: 8}]"}}
`, i)
	}
	return createAll(t, c, text.String())
}

func filterOnce(t *testing.T, e *extender, route string, body []byte) {
	r, err := e.client.Post(e.scheme+"://"+e.address+route, "application/json", bytes.NewReader(body))
	if err != nil {
		t.Error(err)
		return
	}
	var result struct{ Error string } // reading the nodes would cost more than making the answer
	if err := json.NewDecoder(r.Body).Decode(&result); err != nil || result.Error != "" {
		t.Errorf("filter: %v %s", err, result.Error)
	}
	_ = r.Body.Close()
}

// memory is what the extender's process has resident.
func memory(t *testing.T, e *extender) string {
	t.Helper()
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", e.process.Process.Pid))
	if err != nil {
		t.Skip(err)
	}
	_, after, _ := strings.Cut(string(text), "VmRSS:")
	line, _, _ := strings.Cut(after, "\n")
	return strings.TrimSpace(line)
}
