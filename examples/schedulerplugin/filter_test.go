package schedulerplugin

import (
	"errors"
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	fwk "k8s.io/kube-scheduler/framework"

	"github.com/accelfit/accelfit/device"
)

func TestPreFilter(t *testing.T) {
	p := pluginOf(t, nil, `{}`)
	_, status := p.PreFilter(ctx, newState(), &corev1.Pod{}, nil)
	assert.True(t, status.IsSkip(), "a pod without devices")

	impossible := wants("p", "1", "1")
	impossible.Spec.Containers[0].Resources.Limits["nvidia.com/gpumem"] = resource.MustParse("1500m")
	_, status = p.PreFilter(ctx, newState(), impossible, nil)
	assert.Equal(t, fwk.UnschedulableAndUnresolvable, status.Code())
	var typed *device.RequestError
	require.ErrorAs(t, status.AsError(), &typed)
	assert.Equal(t, "nvidia.com/gpumem", typed.Key)
	assert.Equal(t, []string{typed.Error()}, status.Reasons())
}

func TestFilterNeedsPreFilterAndANode(t *testing.T) {
	p := pluginOf(t, nil, `{}`)
	pod := wants("p", "1", "1")
	assert.ErrorIs(t, p.Filter(ctx, newState(), pod, infoOf(l4s(t, "n", 1, 1000))).AsError(), errNoCycle)
	assert.True(t, p.try(t, pod, infoOf(nil)).IsError())
}

// The reasons are counted in the reference's words, and say whether evicting pods could help.
func TestFilterReasons(t *testing.T) {
	p := pluginOf(t, nil, `{}`)
	full := infoOf(l4s(t, "n", 2, 11441), wants("a", "2", "8000"))
	for _, test := range []struct {
		why    string
		node   fwk.NodeInfo
		pod    *corev1.Pod
		code   fwk.Code
		reason string
	}{
		{"room", infoOf(l4s(t, "n", 2, 11441)), wants("p", "1", "6000"), fwk.Success, ""},
		{"pods in the way", full, wants("p", "1", "6000"), fwk.Unschedulable, "2/2 CardInsufficientMemory"},
		{"cards too small", full, wants("p", "1", "12000"), fwk.UnschedulableAndUnresolvable, "2/2 CardInsufficientMemory"},
		{"no cards", infoOf(&corev1.Node{}), wants("p", "1", "1"), fwk.UnschedulableAndUnresolvable, "node unregistered"},
	} {
		for _, again := range []string{"new state", "known state"} {
			status := p.try(t, test.pod, test.node)
			assert.Equal(t, test.code, status.Code(), "%s, %s", test.why, again)
			assert.Equal(t, test.reason, status.Message(), "%s, %s", test.why, again)
			if status != nil {
				status.SetPlugin(again) // as the framework does: the next answer must not have it
				assert.NotSame(t, status, p.try(t, test.pod, test.node))
			}
		}
	}
}

// 10 pods × 6000 MiB on nodes of 2 × 11441 MiB need 5 nodes, whatever order the host keeps the pods in.
func TestPacking(t *testing.T) {
	p := pluginOf(t, nil, `{}`)
	var nodes []*fakeNode
	for i := range 10 {
		pod := wants(fmt.Sprint("p", i), "1", "6000")
		if i := fits(t, p, pod, nodes); i >= 0 {
			nodes[i].add(pod)
			continue
		}
		next := infoOf(l4s(t, fmt.Sprint("n", len(nodes)), 2, 11441))
		nodes = append(nodes, next.add(pod))
	}
	assert.Len(t, nodes, 5)
	for range 3 {
		moved := nodes[0].pods[0]
		nodes[0].remove(0)
		assert.Equal(t, 0, fits(t, p, moved.GetPod(), nodes))
		nodes[0].AddPodInfo(moved)
		assert.Equal(t, -1, fits(t, p, wants("q", "1", "6000"), nodes))
	}
}

// fits is the first node on which a pod fits, or -1.
func fits(t *testing.T, p *Plugin, pod *corev1.Pod, nodes []*fakeNode) int {
	for i, n := range nodes {
		if p.try(t, pod, n).IsSuccess() {
			return i
		}
	}
	return -1
}

func TestSignPod(t *testing.T) {
	p := pluginOf(t, nil, `{}`)
	sign := func(pod *corev1.Pod) any {
		fragments, status := p.SignPod(ctx, pod)
		require.True(t, status.IsSuccess())
		require.Len(t, fragments, 1)
		assert.Equal(t, Name, fragments[0].Key)
		return fragments[0].Value
	}
	assert.Equal(t, sign(wants("a", "1", "6000")), sign(wants("b", "1", "6000")))
	assert.NotEqual(t, sign(wants("a", "1", "6000")), sign(wants("a", "1", "6001")))
	assert.Equal(t, "", sign(&corev1.Pod{}))

	p.tenants.setQuota(quotaOf("team", "8000"))
	_, status := p.SignPod(ctx, wants("a", "1", "6000"))
	assert.Equal(t, fwk.Unschedulable, status.Code(), "under a quota")
	_, status = p.SignPod(ctx, wants("a", "-1", "6000"))
	assert.Equal(t, fwk.Unschedulable, status.Code(), "impossible")
}

func quotaOf(namespace, memory string) *corev1.ResourceQuota {
	q := &corev1.ResourceQuota{Spec: corev1.ResourceQuotaSpec{Hard: corev1.ResourceList{
		"limits.nvidia.com/gpumem": resource.MustParse(memory),
	}}}
	q.Namespace, q.Name = namespace, "q"
	return q
}

// Victims of a preemption give back their quota within the cycle, and only there.
func TestQuotaWithinACycle(t *testing.T) {
	p := pluginOf(t, nil, `{}`)
	p.tenants.setQuota(quotaOf("team", "8000"))
	object := l4s(t, "n", 2, 11441)
	running := placed(t, wants("running", "1", "6000"), object)
	known := func(string) *device.NodeInfo { return p.set.Inventory(object) }
	p.tenants.observe(running, known)
	with, without := infoOf(object, running), infoOf(object)

	state := newState()
	pod := wants("p", "1", "3000")
	_, status := p.PreFilter(ctx, state, pod, nil)
	require.True(t, status.IsSuccess())
	refused := p.Filter(ctx, state, pod, with)
	assert.Equal(t, fwk.Unschedulable, refused.Code(), "a victim would help")
	assert.Equal(t, "2/2 ResourceQuotaNotFit", refused.Message())

	tried := state.Clone()
	assert.True(t, p.RemovePod(ctx, tried, pod, fakePod{pod: running}, without).IsSuccess())
	assert.True(t, p.Filter(ctx, tried, pod, without).IsSuccess())
	assert.True(t, p.AddPod(ctx, tried, pod, fakePod{pod: running}, with).IsSuccess())
	assert.False(t, p.Filter(ctx, tried, pod, with).IsSuccess())
	assert.False(t, p.Filter(ctx, state, pod, with).IsSuccess(), "the cycle itself is as before")

	other := wants("other", "1", "3000")
	other.Namespace = "free"
	assert.True(t, p.try(t, other, with).IsSuccess(), "other namespaces are free")
	assert.True(t, p.RemovePod(ctx, newState(), &corev1.Pod{}, fakePod{pod: running}, without).IsSuccess(), "a pod without devices")
}

func TestAllocations(t *testing.T) {
	p := pluginOf(t, nil, `{}`)
	node := infoOf(l4s(t, "n", 8, 11441), wants("a", "8", "6000"))
	for _, test := range []struct {
		pod  *corev1.Pod
		code fwk.Code
	}{{wants("p", "1", "1000"), fwk.Success}, {wants("p", "1", "6000"), fwk.Unschedulable}} {
		state := newState()
		_, status := p.PreFilter(ctx, state, test.pod, nil)
		require.True(t, status.IsSuccess())
		got := testing.AllocsPerRun(1000, func() {
			if p.Filter(ctx, state, test.pod, node).Code() != test.code {
				panic(errors.New("another answer"))
			}
		})
		assert.Zero(t, got, "of a known state, %v", test.code)
	}
}
