package schedulerplugin

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/kubernetes/fake"
	clienttesting "k8s.io/client-go/testing"
	fwk "k8s.io/kube-scheduler/framework"

	"github.com/accelfit/accelfit/device"
	"github.com/accelfit/accelfit/usage"
)

// bench is a scheduler with one node of two cards, and pods that the API server has.
type bench struct {
	*Plugin
	t      *testing.T
	node   *fakeNode
	client *fake.Clientset
	handle *fakeHandle
}

func newBench(t *testing.T, args string, pods ...*corev1.Pod) *bench {
	object := l4s(t, "n", 2, 11441)
	objects := []runtime.Object{object}
	for _, pod := range pods {
		objects = append(objects, pod.DeepCopy())
	}
	client := fake.NewClientset(objects...)
	node := infoOf(object.DeepCopy())
	handle := &fakeHandle{client: client, nodes: map[string]fwk.NodeInfo{"n": node}}
	p := pluginOf(t, handle, args)
	p.now = func() time.Time { return time.Unix(1700000000, 0) }
	return &bench{p, t, node, client, handle}
}

// reserve runs a cycle up to Reserve, with the pod assumed on the node.
func (b *bench) reserve(pod *corev1.Pod) (fwk.CycleState, *corev1.Pod, *fwk.Status) {
	b.t.Helper()
	state := newState()
	_, status := b.PreFilter(ctx, state, pod, nil)
	require.True(b.t, status.IsSuccess())
	require.True(b.t, b.Filter(ctx, state, pod, b.node).IsSuccess())
	assumed := pod.DeepCopy()
	assumed.Spec.NodeName = "n"
	return state, assumed, b.Reserve(ctx, state, assumed, "n")
}

func (b *bench) pod(name string) *corev1.Pod {
	b.t.Helper()
	pod, err := b.client.CoreV1().Pods("team").Get(ctx, name, metav1.GetOptions{})
	require.NoError(b.t, err)
	return pod
}

func (b *bench) locked() string {
	b.t.Helper()
	node, err := b.client.CoreV1().Nodes().Get(ctx, "n", metav1.GetOptions{})
	require.NoError(b.t, err)
	return node.Annotations[device.AnnotationLock]
}

// What was reserved counts wherever the pod is on the node, until the pod says the same itself.
func TestReserve(t *testing.T) {
	pod := wants("p", "2", "6000")
	b := newBench(t, `{}`, pod)
	_, assumed, status := b.reserve(pod)
	require.True(t, status.IsSuccess(), status.Message())
	b.node.add(assumed)
	assert.Equal(t, []int64{6000, 6000}, memories(b.state(ctx, b.node, b.node.object).Usage))
	h, ok := b.book.held(assumed)
	require.True(t, ok)
	assert.Equal(t, "n", h.Node)
	_, ok = b.book.held(pod)
	assert.False(t, ok, "the pod is not on the node")

	again := b.Reserve(ctx, newState(), assumed, "n")
	assert.True(t, again.IsSuccess(), "no cycle: no devices")
	state := newState()
	_, _ = b.PreFilter(ctx, state, pod, nil)
	assert.ErrorIs(t, b.Reserve(ctx, state, assumed, "n").AsError(), usage.ErrHeld)
	assert.True(t, b.Reserve(ctx, state, assumed, "elsewhere").IsError())
	assert.Equal(t, 1, b.book.len())

	b.Unreserve(ctx, state, assumed, "n")
	b.Unreserve(ctx, state, assumed, "n")
	assert.Zero(t, b.book.len())
	assert.Empty(t, b.client.Actions(), "nothing was written, so nothing is taken back")
}

// A node that has no room any more, or has the pod already, is judged as it is.
func TestReserveAfterAChange(t *testing.T) {
	pod := wants("p", "2", "6000")
	b := newBench(t, `{}`, pod)
	state := newState()
	_, _ = b.PreFilter(ctx, state, pod, nil)
	b.node.add(pod)
	assert.True(t, b.Reserve(ctx, state, pod, "n").IsSuccess(), "the pod itself is on the node")
	b.Unreserve(ctx, state, pod, "n")

	b.node.add(wants("other", "2", "6000"))
	status := b.Reserve(ctx, state, pod, "n")
	assert.Equal(t, fwk.Unschedulable, status.Code())
	assert.Contains(t, status.Message(), "CardInsufficientMemory")
	assert.Zero(t, b.book.len())
	b.node.object, b.node.generation = nil, nextGeneration()
	assert.True(t, b.Reserve(ctx, state, pod, "n").IsError())
}

// Two plugins of one factory know of each other's reservations.
func TestProfilesShareReservations(t *testing.T) {
	var f Factory
	pod := wants("p", "2", "6000")
	b := newBench(t, `{}`, pod)
	first, err := f.New(ctx, nil, b.handle)
	require.NoError(t, err)
	second, err := f.New(ctx, &runtime.Unknown{Raw: []byte(`{"devicePolicy":"binpack"}`)}, b.handle)
	require.NoError(t, err)
	b.Plugin = first.(*Plugin)
	_, assumed, status := b.reserve(pod)
	require.True(t, status.IsSuccess())
	_, ok := second.(*Plugin).book.held(assumed)
	assert.True(t, ok)
}

// PreBind writes what a scheduler writes, and holds the lock until the node agent releases it.
func TestPreBind(t *testing.T) {
	pod := wants("p", "1", "6000")
	pod.Annotations = map[string]string{"hami.io/vgpu-devices-allocated": "old,NVIDIA,1,1:;", "keep": "this"}
	b := newBench(t, `{}`, pod)
	state, assumed, status := b.reserve(pod)
	require.True(t, status.IsSuccess())
	result, status := b.PreBindPreFlight(ctx, state, assumed, "n")
	require.True(t, status.IsSuccess())
	assert.False(t, result.AllowParallel)
	require.True(t, b.PreBind(ctx, state, assumed, "n").IsSuccess())
	assert.Contains(t, b.locked(), ",team,p")

	written := b.pod("p")
	h, _ := b.book.get("uid-p")
	want := b.set.Annotations(pod, b.set.Inventory(b.node.object), h.holding.Allocation, b.now())
	want["keep"] = "this"
	want[device.AnnotationBindPhase], want[device.AnnotationBindTime] = device.BindAllocating, "1700000000"
	assert.Equal(t, want, written.Annotations)
	assert.Equal(t, "n", written.Labels[device.AnnotationNode])

	written.Spec.NodeName = "n"
	_, held := b.book.held(written)
	assert.False(t, held, "the annotations say it now")
	_, held = b.book.held(assumed)
	assert.True(t, held, "an old copy does not")
	assert.Equal(t, memories(NodeUsage(b.set, infoOf(b.node.object, written), b.options).Usage),
		memories(NodeUsage(b.set, infoOf(b.node.object, assumed), b.options).Usage))

	_, status = b.PreBindPreFlight(ctx, newState(), &corev1.Pod{}, "n")
	assert.True(t, status.IsSkip(), "a pod without devices")
	assert.True(t, b.PreBind(ctx, state, wants("stranger", "1", "1"), "n").IsError())
	assert.True(t, b.PreBind(ctx, newState(), assumed, "n").IsError())
	b.handle.client = nil
	assert.ErrorContains(t, b.PreBind(ctx, state, assumed, "n").AsError(), "no client")
}

// A failure at any point leaves no residue: no reservation, no lock, and the pod says that it failed.
func TestUnreserveLeavesNothing(t *testing.T) {
	for _, test := range []struct {
		verb, resource string
		phase          string // on the pod afterwards
	}{
		{"patch", "pods", ""}, {"patch", "nodes", ""}, {"list", "pods", ""}, {"get", "nodes", ""}, {"", "", device.BindFailed},
	} {
		name := test.verb + " " + test.resource
		pod := wants("p", "1", "6000")
		b := newBench(t, `{}`, pod)
		state, assumed, status := b.reserve(pod)
		require.True(t, status.IsSuccess())
		broken := true
		boom := errors.New("boom")
		b.client.PrependReactor(test.verb, test.resource, func(clienttesting.Action) (bool, runtime.Object, error) {
			return broken && test.verb != "", nil, boom
		})
		status = b.PreBind(ctx, state, assumed, "n")
		assert.Equal(t, test.verb == "", status.IsSuccess(), name)
		if test.verb != "" {
			assert.ErrorIs(t, status.AsError(), boom, name)
		}
		broken = false
		b.Unreserve(ctx, state, assumed, "n")
		assert.Zero(t, b.book.len(), name)
		assert.Empty(t, b.locked(), name)
		now := b.pod("p")
		_, holds, _ := usage.Read(b.set, now)
		assert.False(t, holds, name)
		if test.phase != "" {
			assert.Equal(t, test.phase, now.Annotations[device.AnnotationBindPhase], name)
		}
	}
}

// A pod that is bound although the scheduler was told otherwise keeps what it has; one that is gone, or was made anew, is left
// alone.
func TestUnreserveOfABoundPod(t *testing.T) {
	for _, what := range []string{"bound", "gone", "anew"} {
		pod := wants("p", "1", "6000")
		b := newBench(t, `{}`, pod)
		state, assumed, _ := b.reserve(pod)
		require.True(t, b.PreBind(ctx, state, assumed, "n").IsSuccess())
		now := b.pod("p")
		require.NoError(t, b.client.Tracker().Delete(corev1.SchemeGroupVersion.WithResource("pods"), "team", "p"))
		switch what {
		case "bound":
			now.Spec.NodeName = "n"
			require.NoError(t, b.client.Tracker().Add(now))
		case "anew":
			fresh := wants("p", "1", "1")
			fresh.UID = "other"
			require.NoError(t, b.client.Tracker().Add(fresh))
		}
		b.Unreserve(ctx, state, assumed, "n")
		assert.Zero(t, b.book.len())
		assert.Equal(t, what == "bound", b.locked() != "", what)
		switch what {
		case "bound":
			assert.Equal(t, device.BindAllocating, b.pod("p").Annotations[device.AnnotationBindPhase])
		case "anew":
			assert.Empty(t, b.pod("p").Annotations)
		}
	}
}

// Devices that went, or that another scheduler gave away, stop the pod before it is bound.
func TestPreBindFindsChanges(t *testing.T) {
	rival := placed(t, wants("rival", "2", "8000"), l4s(t, "n", 2, 11441))
	for _, test := range []struct {
		why, args string
		change    func(*bench)
		ok        bool
	}{
		{"nothing", `{}`, func(*bench) {}, true},
		{"taken", `{}`, func(b *bench) { require.NoError(t, b.client.Tracker().Add(rival)) }, false},
		{"taken, without lock", `{"nodeLock":{"disabled":true}}`, func(b *bench) { require.NoError(t, b.client.Tracker().Add(rival)) }, true},
		{"gone", `{}`, func(b *bench) { b.reregister(l4s(t, "n", 0, 0)) }, false},
		{"gone, without lock", `{"nodeLock":{"disabled":true}}`, func(b *bench) { b.reregister(l4s(t, "n", 0, 0)) }, false},
		{"smaller", `{}`, func(b *bench) { b.reregister(l4s(t, "n", 2, 3000)) }, false},
	} {
		pod := wants("p", "2", "6000")
		b := newBench(t, test.args, pod)
		state, assumed, status := b.reserve(pod)
		require.True(t, status.IsSuccess())
		test.change(b)
		status = b.PreBind(ctx, state, assumed, "n")
		assert.Equal(t, test.ok, status.IsSuccess(), "%s: %s", test.why, status.Message())
		if !test.ok {
			assert.ErrorIs(t, status.AsError(), ErrChanged, test.why)
			b.Unreserve(ctx, state, assumed, "n")
			assert.Empty(t, b.locked(), test.why)
			assert.Empty(t, b.pod("p").Annotations, test.why)
		}
	}
}

// reregister puts another description in the place of the node's.
func (b *bench) reregister(node *corev1.Node) {
	require.NoError(b.t, b.client.Tracker().Update(corev1.SchemeGroupVersion.WithResource("nodes"), node, ""))
}

// The lock of a node is for one pod at a time.
func TestPreBindUnderAForeignLock(t *testing.T) {
	pod := wants("p", "1", "6000")
	b := newBench(t, `{}`, pod, wants("rival", "1", "1"))
	node := b.node.object.DeepCopy()
	node.Annotations[device.AnnotationLock] = b.now().Format(time.RFC3339) + ",team,rival"
	b.reregister(node)
	state, assumed, _ := b.reserve(pod)
	assert.ErrorIs(t, b.PreBind(ctx, state, assumed, "n").AsError(), device.ErrLockContention)
	b.Unreserve(ctx, state, assumed, "n")
	assert.True(t, strings.HasSuffix(b.locked(), ",rival"))
}
