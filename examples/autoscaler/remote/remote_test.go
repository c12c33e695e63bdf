package remote_test

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	extenderv1 "k8s.io/kube-scheduler/extender/v1"
	fwk "k8s.io/kube-scheduler/framework"
	schedulerapi "k8s.io/kubernetes/pkg/scheduler/apis/config"
	"k8s.io/kubernetes/pkg/scheduler/framework"

	"github.com/accelfit/accelfit/examples/autoscaler/remote"
)

// extender answers filter calls and keeps what it was asked.
type extender struct {
	refuse, never map[string]string
	status        int
	invent        string
	asked         []extenderv1.ExtenderArgs
}

func (x *extender) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	var args extenderv1.ExtenderArgs
	if err := json.NewDecoder(r.Body).Decode(&args); err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	x.asked = append(x.asked, args)
	if x.status != 0 {
		w.WriteHeader(x.status)
		return
	}
	result := extenderv1.ExtenderFilterResult{
		Nodes: &corev1.NodeList{}, FailedNodes: x.refuse, FailedAndUnresolvableNodes: x.never,
	}
	for _, n := range args.Nodes.Items {
		if x.refuse[n.Name] == "" && x.never[n.Name] == "" {
			result.Nodes.Items = append([]corev1.Node{n}, result.Nodes.Items...) // the other way round
		}
	}
	if x.invent != "" {
		result.Nodes.Items = append(result.Nodes.Items, corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: x.invent}})
	}
	_ = json.NewEncoder(w).Encode(result)
}

func (x *extender) config(t *testing.T, managed ...string) schedulerapi.Extender {
	server := httptest.NewServer(x)
	t.Cleanup(server.Close)
	c := schedulerapi.Extender{URLPrefix: server.URL, FilterVerb: "filter-simulation", HTTPTimeout: metav1.Duration{Duration: time.Minute}}
	for _, name := range managed {
		c.ManagedResources = append(c.ManagedResources, schedulerapi.ExtenderManagedResource{Name: name})
	}
	return c
}

func client(t *testing.T, configs ...schedulerapi.Extender) *remote.Extenders {
	t.Helper()
	e, err := remote.New(configs)
	require.NoError(t, err)
	return e
}

func nodes(names ...string) (out []fwk.NodeInfo) {
	for _, name := range names {
		n := framework.NewNodeInfo()
		n.SetNode(&corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: name}})
		out = append(out, n)
	}
	return out
}

func pod(name string) *corev1.Pod {
	return &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{Namespace: "team", Name: name},
		Spec: corev1.PodSpec{Containers: []corev1.Container{{
			Name: "main", Env: []corev1.EnvVar{{Name: "SECRET", Value: "x"}},
			Resources: corev1.ResourceRequirements{Limits: corev1.ResourceList{"nvidia.com/gpu": resource.MustParse("1")}},
		}}},
	}
}

func names(infos []fwk.NodeInfo) []string {
	out := []string{}
	for _, n := range infos {
		out = append(out, n.Node().Name)
	}
	return out
}

func TestExtendersAreAskedInOrder(t *testing.T) {
	first, second := &extender{refuse: map[string]string{"a": "full"}}, &extender{never: map[string]string{"b": "no devices"}}
	in := nodes("a", "b", "c", "d")
	e := client(t, first.config(t), second.config(t))
	answer, err := e.Filter(pod("p"), in)
	require.NoError(t, err)
	assert.Equal(t, []string{"c", "d"}, names(answer.Nodes), "in the caller's order")
	assert.Same(t, in[2], answer.Nodes[0], "the caller's own")
	assert.Equal(t, "full", answer.Refused["a"].Reason)
	assert.False(t, answer.Refused["a"].Unresolvable)
	assert.Equal(t, "no devices", answer.Refused["b"].Reason)
	assert.True(t, answer.Refused["b"].Unresolvable)
	assert.Len(t, second.asked[0].Nodes.Items, 3, "is fed what the first has left")
}

func TestNoNodesNoFurtherCalls(t *testing.T) {
	first, second := &extender{refuse: map[string]string{"a": "full"}}, &extender{}
	answer, err := client(t, first.config(t), second.config(t)).Filter(pod("p"), nodes("a"))
	require.NoError(t, err)
	assert.Empty(t, answer.Nodes)
	assert.Empty(t, second.asked)
}

func TestManagedResources(t *testing.T) {
	every, gpu, npu := &extender{}, &extender{}, &extender{}
	configs := []schedulerapi.Extender{every.config(t), gpu.config(t, "nvidia.com/gpu"), npu.config(t, "huawei.com/Ascend910B")}
	_, err := client(t, configs...).Filter(pod("p"), nodes("a"))
	require.NoError(t, err)
	assert.Len(t, every.asked, 1)
	assert.Len(t, gpu.asked, 1)
	assert.Empty(t, npu.asked)

	none := client(t, configs[2])
	assert.False(t, none.Interested(pod("p")))
	in := nodes("a")
	answer, err := none.Filter(pod("p"), in)
	require.NoError(t, err)
	assert.Same(t, in[0], answer.Nodes[0])
	assert.Empty(t, npu.asked)

	init := pod("p")
	init.Spec.InitContainers, init.Spec.Containers = init.Spec.Containers, nil
	assert.True(t, client(t, configs[1]).Interested(init))
}

func TestIgnorable(t *testing.T) {
	down, up := &extender{status: http.StatusInternalServerError}, &extender{refuse: map[string]string{"a": "full"}}
	c := down.config(t)
	_, err := client(t, c, up.config(t)).Filter(pod("p"), nodes("a", "b"))
	assert.ErrorContains(t, err, "code 500")
	assert.Empty(t, up.asked, "the evaluation has ended")

	c.Ignorable = true
	answer, err := client(t, c, up.config(t)).Filter(pod("p"), nodes("a", "b"))
	require.NoError(t, err)
	assert.Equal(t, []string{"b"}, names(answer.Nodes))
	assert.Len(t, answer.Skipped, 1)
}

func TestInventedNodes(t *testing.T) {
	_, err := client(t, (&extender{invent: "z"}).config(t)).Filter(pod("p"), nodes("a"))
	assert.ErrorContains(t, err, `it was not asked for: ["z"]`)
}

func TestCacheCapableIsRefused(t *testing.T) {
	c := (&extender{}).config(t)
	c.NodeCacheCapable = true
	_, err := remote.New([]schedulerapi.Extender{c})
	assert.ErrorContains(t, err, c.URLPrefix)
}

// TestAssumedPods: nodes are sent with the pods on them, whose environment stays home, and are not changed.
func TestAssumedPods(t *testing.T) {
	x := &extender{}
	in := nodes("a", "b")
	first, err := framework.NewPodInfo(pod("first"))
	require.NoError(t, err)
	in[0].AddPodInfo(first)
	in[1].Node().Annotations = map[string]string{remote.AnnotationAssumed: "of another host"}
	_, err = client(t, x.config(t)).Filter(pod("p"), in)
	require.NoError(t, err)

	sent := x.asked[0].Nodes.Items
	var pods []corev1.Pod
	require.NoError(t, json.Unmarshal([]byte(sent[0].Annotations[remote.AnnotationAssumed]), &pods))
	require.Len(t, pods, 1)
	assert.Equal(t, "first", pods[0].Name)
	assert.Equal(t, pod("").Spec.Containers[0].Resources, pods[0].Spec.Containers[0].Resources)
	assert.NotContains(t, sent[0].Annotations[remote.AnnotationAssumed], "SECRET")
	assert.NotContains(t, sent[1].Annotations, remote.AnnotationAssumed)
	assert.Empty(t, in[0].Node().Annotations)
	assert.Len(t, in[1].Node().Annotations, 1)
}
