// Package e2e tests the scheduler's binary with a real control plane.
package e2e

import (
	"context"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/accelfit/accelfit/examples/testbed/testbed"
)

var bed testbed.Shared

// program is the scheduler.
var program = testbed.Program{Name: "scheduler", Dir: ".."}

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

// unlocked are arguments of the plugin for clusters without node agents, where nobody releases locks.
const unlocked = `{nodeLock: {disabled: true}}`

// start runs the scheduler under a name. Its configuration is that of the manifests but for name, arguments, election, and that
// nothing but the plugin scores nodes, so that what it chooses can be foretold.
func start(t *testing.T, c *testbed.Cluster, name, args string) *testbed.Scheduler {
	t.Helper()
	return startAs(t, c, name, args, "")
}

// startAs is start for a user; empty: the user that may do what kube-scheduler may.
func startAs(t *testing.T, c *testbed.Cluster, name, args, user string) *testbed.Scheduler {
	t.Helper()
	config, err := os.ReadFile("../manifests/config.yaml")
	require.NoError(t, err)
	_, profiles, ok := strings.Cut(string(config), "profiles:")
	require.True(t, ok)
	text := strings.NewReplacer(
		"schedulerName: accelfit-scheduler", "schedulerName: "+name,
		"args: {}", "args: "+args,
		"      filter:\n", "      score:\n        disabled: [{name: '*'}]\n        enabled: [{name: Accelfit}]\n      filter:\n",
	).Replace("profiles:" + profiles)
	s, err := c.StartScheduler(t.Context(), testbed.SchedulerOptions{Config: text, Binary: program.Path(t), User: user})
	require.NoError(t, err)
	t.Cleanup(func() { _ = s.Stop() }) // some tests kill it
	return s
}

// fleet are twenty nodes of five vendors.
var fleet = []string{
	"model: NVIDIA L4, count: 4", "model: NVIDIA L4, count: 4", "model: NVIDIA L4, count: 4", "model: NVIDIA L4, count: 2",
	"model: NVIDIA L4, count: 2", "model: NVIDIA L4, count: 8", "model: NVIDIA H100 NVL, count: 4", "model: NVIDIA H100 NVL, count: 4",
	"model: NVIDIA H100 NVL, count: 2", "model: NVIDIA A100-SXM4-40GB, count: 4, mode: mig", "model: Ascend910B3, count: 8",
	"model: Ascend910B3, count: 8", "model: Ascend910B3, count: 8", "model: DCU-K100_AI, count: 4", "model: DCU-K100_AI, count: 4",
	"model: MR-V100, count: 4", "model: DCU-K100_AI, count: 4", "vendor: MLU, model: MLU, memoryMiB: 49152, count: 4",
	"vendor: MLU, model: MLU, memoryMiB: 49152, count: 4", "model: NVIDIA L4, count: 4",
}

// createNodes creates nodes with devices, and deletes everything when the test is over.
func createNodes(t *testing.T, c *testbed.Cluster, devices ...string) []*corev1.Node {
	t.Helper()
	var text strings.Builder
	for i, d := range devices {
		fmt.Fprintf(&text, `---
apiVersion: v1
kind: Node
metadata: {name: node-%02d, annotations: {testbed.accelfit.dev/devices: "[{%s}]"}}
status: {allocatable: {cpu: "96", memory: 512Gi, pods: "250"}}
`, i, d)
	}
	objects, err := testbed.ReadObjects([]byte(text.String()))
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, c.DeleteAll(context.Background())) })
	nodes, err := c.CreateNodes(t.Context(), objects.Nodes...)
	require.NoError(t, err)
	return nodes
}

// wishes are what pods ask for, in turn.
var wishes = []map[corev1.ResourceName]string{
	{"nvidia.com/gpu": "1", "nvidia.com/gpumem": "4000", "nvidia.com/gpucores": "10"},
	{"huawei.com/Ascend910B3": "1", "huawei.com/Ascend910B3-memory": "16384"},
	{"hygon.com/dcunum": "1", "hygon.com/dcumem": "4000", "hygon.com/dcucores": "10"},
	{"nvidia.com/gpu": "2", "nvidia.com/gpumem": "3000"},
	{"iluvatar.ai/MR-V100-vgpu": "1", "iluvatar.ai/MR-V100.vCore": "10", "iluvatar.ai/MR-V100.vMem": "2"},
	{"cambricon.com/vmlu": "1", "cambricon.com/mlu.smlu.vmemory": "8", "cambricon.com/mlu.smlu.vcore": "5"},
	{"nvidia.com/gpu": "1", "nvidia.com/gpumem-percentage": "20"},
	{"hygon.com/dcunum": "1", "hygon.com/dcumem": "2000", "hygon.com/dcucores": "5"},
}

func podOf(scheduler, name string, wish map[corev1.ResourceName]string) *corev1.Pod {
	limits := corev1.ResourceList{}
	for resourceName, value := range wish {
		limits[resourceName] = resource.MustParse(value)
	}
	return &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{Namespace: "e2e", Name: name},
		Spec: corev1.PodSpec{
			SchedulerName: scheduler,
			Containers:    []corev1.Container{{Name: "main", Resources: corev1.ResourceRequirements{Limits: limits}}},
		},
	}
}

func podsOf(scheduler string, n int, wishes ...map[corev1.ResourceName]string) (pods []*corev1.Pod) {
	for i := range n {
		pods = append(pods, podOf(scheduler, fmt.Sprintf("%s-%04d", scheduler, i), wishes[i%len(wishes)]))
	}
	return pods
}
