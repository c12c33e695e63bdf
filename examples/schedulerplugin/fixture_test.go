package schedulerplugin

import (
	"context"
	"fmt"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	"k8s.io/klog/v2"
	fwk "k8s.io/kube-scheduler/framework"

	"github.com/accelfit/accelfit/device"
	"github.com/accelfit/accelfit/vendors"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// ctx is no test's own: nothing here waits for it.
var ctx = context.Background()

// counter numbers contents, as the framework does.
var counter struct {
	sync.Mutex
	n int64
}

func nextGeneration() int64 {
	counter.Lock()
	defer counter.Unlock()
	counter.n++
	return counter.n
}

// fakeNode is what the plugin reads of the framework's node; anything else panics.
type fakeNode struct {
	fwk.NodeInfo
	object     *corev1.Node
	pods       []fwk.PodInfo
	generation int64
}

type fakePod struct {
	fwk.PodInfo
	pod *corev1.Pod
}

func (p fakePod) GetPod() *corev1.Pod { return p.pod }

func (n *fakeNode) Node() *corev1.Node     { return n.object }
func (n *fakeNode) GetPods() []fwk.PodInfo { return n.pods }
func (n *fakeNode) GetGeneration() int64   { return n.generation }
func (n *fakeNode) AddPodInfo(p fwk.PodInfo) {
	n.pods, n.generation = append(n.pods, p), nextGeneration()
}

func (n *fakeNode) add(pods ...*corev1.Pod) *fakeNode {
	for _, pod := range pods {
		n.AddPodInfo(fakePod{pod: pod})
	}
	return n
}

// remove takes out a pod as the framework does: the last moves into the hole.
func (n *fakeNode) remove(i int) {
	end := len(n.pods) - 1
	n.pods[i] = n.pods[end]
	n.pods, n.generation = n.pods[:end], nextGeneration()
}

func infoOf(object *corev1.Node, pods ...*corev1.Pod) *fakeNode {
	return (&fakeNode{object: object, generation: nextGeneration()}).add(pods...)
}

// fakeState is a cycle's state.
type fakeState struct {
	fwk.CycleState
	data map[fwk.StateKey]fwk.StateData
}

func newState() *fakeState { return &fakeState{data: map[fwk.StateKey]fwk.StateData{}} }

func (s *fakeState) Write(key fwk.StateKey, value fwk.StateData) { s.data[key] = value }

func (s *fakeState) Read(key fwk.StateKey) (fwk.StateData, error) {
	if value, ok := s.data[key]; ok {
		return value, nil
	}
	return nil, fwk.ErrNotFound
}

func (s *fakeState) Clone() fwk.CycleState {
	next := newState()
	for key, value := range s.data {
		next.data[key] = value.Clone()
	}
	return next
}

// fakeHandle is a host: with a client it is kube-scheduler, without one cluster-autoscaler.
type fakeHandle struct {
	fwk.Handle
	client    kubernetes.Interface
	informer  informers.SharedInformerFactory
	nodes     map[string]fwk.NodeInfo
	mu        sync.Mutex
	activated []string
}

func (h *fakeHandle) ClientSet() kubernetes.Interface                        { return h.client }
func (h *fakeHandle) SharedInformerFactory() informers.SharedInformerFactory { return h.informer }
func (h *fakeHandle) SnapshotSharedLister() fwk.SharedLister                 { return fakeLister{nodes: h.nodes} }

func (h *fakeHandle) Activate(_ klog.Logger, pods map[string]*corev1.Pod) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for key := range pods {
		h.activated = append(h.activated, key)
	}
}

type fakeLister struct {
	fwk.SharedLister
	fwk.NodeInfoLister
	nodes map[string]fwk.NodeInfo
}

func (l fakeLister) NodeInfos() fwk.NodeInfoLister { return l }

func (l fakeLister) Get(name string) (fwk.NodeInfo, error) {
	if n := l.nodes[name]; n != nil {
		return n, nil
	}
	return nil, fmt.Errorf("no node %q", name)
}

// pluginOf makes a plugin with arguments in JSON.
func pluginOf(t testing.TB, handle fwk.Handle, args string) *Plugin {
	t.Helper()
	p, err := New(ctx, &runtime.Unknown{Raw: []byte(args)}, handle)
	require.NoError(t, err)
	return p.(*Plugin)
}

// l4s is a node that registers NVIDIA cards.
func l4s(t testing.TB, name string, count int, memory int64) *corev1.Node {
	t.Helper()
	node := &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: name}}
	var devices []device.DeviceInfo
	for i := range count {
		devices = append(devices, device.DeviceInfo{
			ID: fmt.Sprintf("GPU-%s-%d", name, i), Vendor: "NVIDIA", Index: i, Mode: "hami-core", Type: "NVIDIA L4",
			Slots: 10, Memory: memory, Cores: 100, Healthy: true,
		})
	}
	require.NoError(t, vendors.Default().Backend("NVIDIA").Describe(node, devices))
	return node
}

// wants is a pod that asks for NVIDIA cards.
func wants(name, cards, memory string) *corev1.Pod {
	return &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{Namespace: "team", Name: name, UID: types.UID("uid-" + name)},
		Spec: corev1.PodSpec{Containers: []corev1.Container{{
			Name: "main", Resources: corev1.ResourceRequirements{Limits: corev1.ResourceList{
				"nvidia.com/gpu": resource.MustParse(cards), "nvidia.com/gpumem": resource.MustParse(memory),
			}},
		}}},
	}
}

// placed is a pod that holds what a fit on an otherwise empty node gives it.
func placed(t testing.TB, pod *corev1.Pod, node *corev1.Node) *corev1.Pod {
	t.Helper()
	set := vendors.Default()
	r, err := set.Request(pod)
	require.NoError(t, err)
	info := set.Inventory(node)
	fit := set.Fit(r, device.NewNodeUsage(info))
	require.True(t, fit.OK())
	out := pod.DeepCopy()
	out.Spec.NodeName = node.Name
	out.Annotations = set.Annotations(pod, info, fit.Allocation, out.CreationTimestamp.Time)
	return out
}

// try runs PreFilter and Filter.
func (p *Plugin) try(t testing.TB, pod *corev1.Pod, node fwk.NodeInfo) *fwk.Status {
	t.Helper()
	state := newState()
	_, status := p.PreFilter(ctx, state, pod, []fwk.NodeInfo{node})
	require.True(t, status.IsSuccess(), status.Message())
	return p.Filter(ctx, state, pod, node)
}

func newQuantity(n int64) *resource.Quantity { return resource.NewQuantity(n, resource.DecimalSI) }
