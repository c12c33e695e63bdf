package remote_test

import (
	"fmt"
	"net"
	"net/http"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/klog/v2"
	fwk "k8s.io/kube-scheduler/framework"
	schedulerapi "k8s.io/kubernetes/pkg/scheduler/apis/config"
	"k8s.io/kubernetes/pkg/scheduler/framework"

	"github.com/accelfit/accelfit/examples/autoscaler/remote"
	"github.com/accelfit/accelfit/vendors"
)

// simulations builds and runs accelfit's extender for simulations, and returns its address.
func simulations(t *testing.T) string {
	t.Helper()
	if testing.Short() {
		t.Skip("builds the extender")
	}
	binary := filepath.Join(t.TempDir(), "extender")
	build := exec.Command("go", "build", "-o", binary, ".")
	build.Dir = "../../extender"
	output, err := build.CombinedOutput()
	require.NoError(t, err, string(output))
	address := free(t)
	run := exec.CommandContext(t.Context(), binary, "--simulation-only", "--http_bind", address, "--metrics-bind-address", free(t))
	require.NoError(t, run.Start())
	t.Cleanup(func() { _ = run.Wait() })
	require.Eventually(t, func() bool {
		r, err := http.Get("http://" + address + "/healthz")
		if err == nil {
			_ = r.Body.Close()
		}
		return err == nil
	}, 10*time.Second, 10*time.Millisecond)
	return "http://" + address
}

func free(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	defer l.Close()
	return l.Addr().String()
}

// template is a node of two cards of 11441 MiB.
func template(name string) fwk.NodeInfo {
	n := framework.NewNodeInfo()
	n.SetNode(&corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: name, Annotations: map[string]string{"hami.io/node-nvidia-register": `[
		{"id":"GPU-0","index":0,"count":10,"devmem":11441,"devcore":100,"type":"NVIDIA-Tesla T4","mode":"hami-core","health":true},
		{"id":"GPU-1","index":1,"count":10,"devmem":11441,"devcore":100,"type":"NVIDIA-Tesla T4","mode":"hami-core","health":true}]`}}})
	return n
}

func train(i int) *corev1.Pod {
	p := pod(fmt.Sprint("train-", i))
	p.UID = types.UID(p.Name)
	p.Spec.Containers[0].Resources.Limits["nvidia.com/gpumem"] = resource.MustParse("6000")
	return p
}

// TestEstimate counts nodes as an autoscaler does, a pod at a time on the nodes that it has thought of so far: ten pods of
// 6000 MiB need five nodes of two cards of 11441 MiB. The extender keeps nothing from one call to the next; taking a pod off a
// node again makes room for another.
func TestEstimate(t *testing.T) {
	c := schedulerapi.Extender{
		URLPrefix: simulations(t), FilterVerb: "filter-simulation", HTTPTimeout: metav1.Duration{Duration: 10 * time.Second},
	}
	for _, name := range vendors.Default().ManagedResources() {
		c.ManagedResources = append(c.ManagedResources, schedulerapi.ExtenderManagedResource{Name: name})
	}
	e, err := remote.New([]schedulerapi.Extender{c})
	require.NoError(t, err)
	var nodes []fwk.NodeInfo
	for i := range 10 {
		answer, err := e.Filter(train(i), nodes)
		require.NoError(t, err)
		if len(answer.Nodes) == 0 {
			for _, r := range answer.Refused {
				assert.Equal(t, "2/2 CardInsufficientMemory", r.Reason)
			}
			nodes = append(nodes, template(fmt.Sprint("new-", len(nodes))))
			answer.Nodes = nodes[len(nodes)-1:]
		}
		put(t, answer.Nodes[0], train(i))
	}
	assert.Len(t, nodes, 5)

	first := nodes[0].GetPods()[0].GetPod()
	require.NoError(t, nodes[0].(*framework.NodeInfo).RemovePod(klog.Background(), first))
	answer, err := e.Filter(train(10), nodes)
	require.NoError(t, err)
	assert.Equal(t, []string{"new-0"}, names(answer.Nodes))
	put(t, nodes[0], train(10))
	answer, err = e.Filter(train(11), nodes)
	require.NoError(t, err)
	assert.Empty(t, answer.Nodes)
}

func put(t *testing.T, n fwk.NodeInfo, p *corev1.Pod) {
	t.Helper()
	info, err := framework.NewPodInfo(p)
	require.NoError(t, err)
	n.AddPodInfo(info)
}
