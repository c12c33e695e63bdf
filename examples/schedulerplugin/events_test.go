package schedulerplugin

import (
	"maps"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes/fake"
	"k8s.io/client-go/tools/cache"
	"k8s.io/klog/v2"
	fwk "k8s.io/kube-scheduler/framework"

	"github.com/accelfit/accelfit/device"
)

// hint asks the hint that is registered for an event on a resource.
func hint(t *testing.T, p *Plugin, on fwk.EventResource, pod *corev1.Pod, before, after any) fwk.QueueingHint {
	t.Helper()
	events, err := p.EventsToRegister(ctx)
	require.NoError(t, err)
	i := slices.IndexFunc(events, func(e fwk.ClusterEventWithHint) bool { return e.Event.Resource == on })
	require.GreaterOrEqual(t, i, 0, on)
	h, err := events[i].QueueingHintFn(klog.Background(), pod, before, after)
	require.NoError(t, err)
	return h
}

func TestAfterNode(t *testing.T) {
	p := pluginOf(t, nil, `{}`)
	pod := wants("p", "2", "6000")
	empty, two := &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: "n"}}, l4s(t, "n", 2, 11441)
	with := func(key, value string) *corev1.Node {
		n := two.DeepCopy()
		n.Annotations[key] = value
		return n
	}
	for _, test := range []struct {
		why           string
		before, after any
		want          fwk.QueueingHint
	}{
		{"a node comes", nil, two, fwk.Queue},
		{"a node without devices comes", nil, empty, fwk.QueueSkip},
		{"devices are registered", empty, two, fwk.Queue},
		{"too few are", empty, l4s(t, "n", 1, 11441), fwk.QueueSkip},
		{"devices go", two, empty, fwk.QueueSkip},
		{"a handshake", two, with(p.set.Backend("NVIDIA").Names().Handshake, "Requesting_2026"), fwk.QueueSkip},
		{"a lock", two, with(device.AnnotationLock, "x"), fwk.QueueSkip},
		{"a cordon is lifted", with(device.AnnotationCordon, "GPU-n-0"), two, fwk.Queue},
		{"a cordon", two, with(device.AnnotationCordon, "GPU-n-0"), fwk.QueueSkip},
	} {
		assert.Equal(t, test.want, hint(t, p, fwk.Node, pod, test.before, test.after), test.why)
	}
	assert.Equal(t, fwk.QueueSkip, hint(t, p, fwk.Node, wants("p", "-1", "1"), nil, two), "no node helps")
	_, err := p.afterNode(klog.Background(), pod, nil, pod)
	assert.Error(t, err)
}

func TestAfterPod(t *testing.T) {
	p := pluginOf(t, nil, `{}`)
	pod := wants("p", "1", "6000")
	node := l4s(t, "n", 2, 11441)
	running := placed(t, wants("running", "1", "6000"), node)
	init := running.DeepCopy()
	init.Spec.InitContainers, init.Spec.Containers = init.Spec.Containers, []corev1.Container{{Name: "app"}}
	init.Annotations["hami.io/vgpu-devices-allocated"] += ";"
	done := init.DeepCopy()
	done.Status.InitContainerStatuses = []corev1.ContainerStatus{{
		Name: "main", State: corev1.ContainerState{Terminated: &corev1.ContainerStateTerminated{}},
	}}
	other := wants("other", "1", "1")
	other.Spec.Containers[0].Resources.Limits = corev1.ResourceList{"hygon.com/dcunum": *newQuantity(1)}
	for _, test := range []struct {
		why           string
		before, after any
		want          fwk.QueueingHint
	}{
		{"a pod goes", running, nil, fwk.Queue},
		{"one that was only assumed goes", wants("a", "1", "1"), nil, fwk.Queue},
		{"one of another vendor goes", other, nil, fwk.QueueSkip},
		{"one without devices goes", &corev1.Pod{}, nil, fwk.QueueSkip},
		{"one that asks for the impossible goes", wants("a", "-1", "1"), nil, fwk.QueueSkip},
		{"one changes", running, running, fwk.QueueSkip},
		{"init containers end", init, done, fwk.Queue},
	} {
		assert.Equal(t, test.want, hint(t, p, fwk.AssignedPod, pod, test.before, test.after), test.why)
	}
	assert.Equal(t, fwk.QueueSkip, hint(t, p, fwk.AssignedPod, wants("p", "-1", "1"), running, nil))
	_, err := p.afterPod(klog.Background(), pod, nil, nil)
	assert.Error(t, err)
}

func TestAfterQuota(t *testing.T) {
	p := pluginOf(t, nil, `{}`)
	q := &unstructured.Unstructured{Object: map[string]any{"metadata": map[string]any{"namespace": "team"}}}
	assert.Equal(t, fwk.Queue, hint(t, p, resourceQuotas, wants("p", "1", "1"), nil, q))
	assert.Equal(t, fwk.Queue, hint(t, p, resourceQuotas, wants("p", "1", "1"), q, nil))
	assert.Equal(t, fwk.QueueSkip, hint(t, p, resourceQuotas, &corev1.Pod{}, nil, q))
	_, err := p.afterQuota(klog.Background(), &corev1.Pod{}, nil, "q")
	assert.Error(t, err)

	events, err := pluginOf(t, nil, `{"ignoreQuotas":true}`).EventsToRegister(ctx)
	require.NoError(t, err)
	for _, e := range events {
		assert.NotEqual(t, resourceQuotas, e.Event.Resource)
	}
}

// Quotas count what pods have, whoever placed them, and waiting pods are tried again when a quota leaves more.
func TestQuotasAreWatched(t *testing.T) {
	object := l4s(t, "n", 2, 11441)
	running, waiting := placed(t, wants("running", "1", "6000"), object), wants("waiting", "1", "6000")
	client := fake.NewClientset(object, running, waiting, quotaOf("team", "8000"))
	handle := &fakeHandle{client: client, informer: informers.NewSharedInformerFactory(client, 0)}
	p := pluginOf(t, handle, `{}`)
	stop := make(chan struct{})
	handle.informer.Start(stop)
	defer handle.informer.Shutdown()
	defer close(stop)
	for kind, synced := range handle.informer.WaitForCacheSync(stop) {
		require.True(t, synced, kind)
	}
	node := infoOf(object)
	fits := func(want bool, why string) {
		t.Helper()
		require.Eventually(t, func() bool { return p.try(t, waiting, node).IsSuccess() == want }, 10*time.Second, time.Millisecond, why)
	}
	fits(false, "6000 of 8000 are taken")
	quotas := client.CoreV1().ResourceQuotas("team")
	_, err := quotas.Update(ctx, quotaOf("team", "20000"), metav1.UpdateOptions{})
	require.NoError(t, err)
	fits(true, "the quota was raised")
	_, err = quotas.Update(ctx, quotaOf("team", "7000"), metav1.UpdateOptions{})
	require.NoError(t, err)
	fits(false, "the quota was lowered")

	handle.mu.Lock()
	handle.activated = nil
	handle.mu.Unlock()
	require.NoError(t, client.CoreV1().Pods("team").Delete(ctx, "running", metav1.DeleteOptions{}))
	fits(true, "the other pod is gone")
	require.Eventually(t, func() bool {
		handle.mu.Lock()
		defer handle.mu.Unlock()
		return slices.Contains(handle.activated, "team/waiting")
	}, 10*time.Second, time.Millisecond, "the waiting pod is tried again")
	require.NoError(t, quotas.Delete(ctx, "q", metav1.DeleteOptions{}))
	require.Eventually(t, func() bool { return p.tenants.quotas().Headroom("team") == nil }, 10*time.Second, time.Millisecond)
}

// A reservation is forgotten with its pod: deleted, ended, made anew.
func TestReservationsGoWithTheirPods(t *testing.T) {
	for _, gone := range []func(*bench, *corev1.Pod){
		func(b *bench, pod *corev1.Pod) { b.onPodGone(pod) },
		func(b *bench, pod *corev1.Pod) { pod.Status.Phase = corev1.PodSucceeded; b.onPod(pod) },
		func(b *bench, pod *corev1.Pod) {
			anew := wants("p", "1", "1")
			anew.UID = "other"
			b.onPodUpdate(pod, anew)
		},
	} {
		b := newBench(t, `{}`, wants("p", "1", "6000"))
		b.tenants.setQuota(quotaOf("team", "8000"))
		_, assumed, status := b.reserve(wants("p", "1", "6000"))
		require.True(t, status.IsSuccess())
		taken := b.tenants.quotas().Headroom("team")
		gone(b, assumed)
		assert.Zero(t, b.book.len())
		assert.False(t, maps.Equal(taken, b.tenants.quotas().Headroom("team")))
		assert.Empty(t, b.tenants.charged)
	}
}

func TestLast(t *testing.T) {
	pod := &corev1.Pod{}
	assert.Same(t, pod, last(pod))
	assert.Same(t, pod, last(cache.DeletedFinalStateUnknown{Obj: pod}))
	assert.Implements(t, (*runtime.Object)(nil), last(pod))
}
