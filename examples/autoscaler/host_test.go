package autoscaler_test

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes/fake"
	"k8s.io/klog/v2"
	fwk "k8s.io/kube-scheduler/framework"
	kubeschedulerconfig "k8s.io/kubernetes/pkg/scheduler/apis/config"
	"k8s.io/kubernetes/pkg/scheduler/framework"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins"
	frameworkruntime "k8s.io/kubernetes/pkg/scheduler/framework/runtime"
	"k8s.io/kubernetes/pkg/scheduler/metrics"

	"github.com/accelfit/accelfit/device"
	"github.com/accelfit/accelfit/examples/schedulerplugin"
	"github.com/accelfit/accelfit/internal/testkit"
)

// host runs the scheduling framework on a snapshot of its own, as cluster-autoscaler does: PreFilter and Filter for each try, no
// Reserve, no client.
type host struct {
	t      testing.TB
	fw     framework.Framework
	lister *lister
}

// lister is a snapshot that can be forked.
type lister struct {
	fwk.SharedLister                           // nil: nobody asks for storage or pod groups
	layers           []map[string]fwk.NodeInfo // the last is in force
}

func (l *lister) NodeInfos() fwk.NodeInfoLister       { return l }
func (l *lister) StorageInfos() fwk.StorageInfoLister { return nil }

func (l *lister) top() map[string]fwk.NodeInfo { return l.layers[len(l.layers)-1] }

func (l *lister) List() (out []fwk.NodeInfo, err error) {
	for _, name := range slices.Sorted(maps.Keys(l.top())) {
		out = append(out, l.top()[name])
	}
	return out, nil
}

func (l *lister) Get(name string) (fwk.NodeInfo, error) {
	if n, ok := l.top()[name]; ok {
		return n, nil
	}
	return nil, fmt.Errorf("no node %q", name)
}

// The lists of nodes with pods that have some affinity, for the built-in plugin.

func (l *lister) HavePodsWithAffinityList() ([]fwk.NodeInfo, error) {
	return l.with(fwk.NodeInfo.GetPodsWithAffinity)
}

func (l *lister) HavePodsWithRequiredAntiAffinityList() ([]fwk.NodeInfo, error) {
	return l.with(fwk.NodeInfo.GetPodsWithRequiredAntiAffinity)
}

func (l *lister) HavePodsWithRequiredNonHostScopedAntiAffinityList() ([]fwk.NodeInfo, error) {
	return l.with(fwk.NodeInfo.GetPodsWithRequiredNonHostScopedAntiAffinity)
}

func (l *lister) with(pods func(fwk.NodeInfo) []fwk.PodInfo) ([]fwk.NodeInfo, error) {
	all, err := l.List()
	return slices.DeleteFunc(all, func(n fwk.NodeInfo) bool { return len(pods(n)) == 0 }), err
}

// fork opens a layer; it keeps the generations of the nodes.
func (l *lister) fork() {
	next := map[string]fwk.NodeInfo{}
	for name, n := range l.top() {
		next[name] = n.Snapshot()
	}
	l.layers = append(l.layers, next)
}

func (l *lister) revert() { l.layers = l.layers[:len(l.layers)-1] }

func (l *lister) commit() {
	l.layers = slices.Delete(l.layers, len(l.layers)-2, len(l.layers)-1)
}

// newHost builds the framework as a fork does: the built-in plugins and ours, with the configuration that is made for it.
func newHost(t testing.TB) *host {
	t.Helper()
	metrics.Register()
	ctx := klog.NewContext(t.Context(), klog.Logger{})
	registry := plugins.NewInTreeRegistry()
	require.NoError(t, registry.Register(schedulerplugin.Name, schedulerplugin.New))
	config := profile(t, schedulerplugin.Args{})
	config.Plugins.MultiPoint.Enabled = slices.DeleteFunc(config.Plugins.MultiPoint.Enabled, func(p kubeschedulerconfig.Plugin) bool {
		return p.Name == "DynamicResources" // needs a manager of resource claims, which a host without them has not
	})
	h := &host{t: t, lister: &lister{layers: []map[string]fwk.NodeInfo{{}}}}
	factory := informers.NewSharedInformerFactory(fake.NewClientset(), 0)
	var err error
	h.fw, err = frameworkruntime.NewFramework(ctx, registry, &config, frameworkruntime.WithSnapshotSharedLister(h.lister),
		frameworkruntime.WithInformerFactory(factory), frameworkruntime.WithLogger(klog.Logger{}))
	require.NoError(t, err)
	factory.Start(ctx.Done())
	factory.WaitForCacheSync(ctx.Done())
	t.Cleanup(func() { require.NoError(t, h.fw.Close()) })
	return h
}

// add adds a node with pods on it.
func (h *host) add(object *corev1.Node, pods ...*corev1.Pod) {
	n := framework.NewNodeInfo()
	n.SetNode(object)
	h.lister.top()[object.Name] = n
	for _, pod := range pods {
		h.put(pod, object.Name)
	}
}

// put puts a pod on a node, as it is.
func (h *host) put(pod *corev1.Pod, node string) {
	info, err := framework.NewPodInfo(pod)
	require.NoError(h.t, err)
	h.lister.top()[node].AddPodInfo(info)
}

// take takes a pod off a node: the last pod moves into the hole.
func (h *host) take(pod *corev1.Pod, node string) {
	require.NoError(h.t, h.lister.top()[node].RemovePod(klog.Logger{}, pod))
}

// try says whether a pod fits on a node, and if not, why.
func (h *host) try(pod *corev1.Pod, node string) (bool, string) {
	ctx := context.Background()
	state := framework.NewCycleState()
	_, status, _ := h.fw.RunPreFilterPlugins(ctx, state, pod)
	if status.IsSuccess() {
		status = h.fw.RunFilterPlugins(ctx, state, pod, h.lister.top()[node])
	}
	return status.IsSuccess(), status.Message()
}

// place puts a pod on the first node, by name, on which it fits.
func (h *host) place(pod *corev1.Pod) (node string, ok bool) {
	for _, name := range slices.Sorted(maps.Keys(h.lister.top())) {
		if ok, _ := h.try(pod, name); ok {
			h.put(pod, name)
			return name, true
		}
	}
	return "", false
}

// cards is a node that registers NVIDIA cards, each with memory in MiB.
func cards(name string, count int, memory int64) *corev1.Node {
	var list []device.DeviceInfo
	for i := range count {
		list = append(list, testkit.Card(fmt.Sprintf("GPU-%s-%d", name, i), memory))
	}
	node := testkit.Node(name, list...)
	node.Status.Allocatable = corev1.ResourceList{
		"cpu": resource.MustParse("64"), "memory": resource.MustParse("512Gi"), "pods": resource.MustParse("250"),
	}
	node.Status.Capacity = node.Status.Allocatable.DeepCopy()
	return node
}

// asks is a pod that asks for NVIDIA cards, and some CPU and memory.
func asks(name, count, memory string) *corev1.Pod {
	return &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{Namespace: "team", Name: name, UID: types.UID("uid-" + name)},
		Spec: corev1.PodSpec{Containers: []corev1.Container{{
			Name: "main", Resources: corev1.ResourceRequirements{
				Requests: corev1.ResourceList{
					"cpu": resource.MustParse("100m"), "memory": resource.MustParse("64Mi"), "nvidia.com/gpu": resource.MustParse(count),
				},
				Limits: corev1.ResourceList{
					"nvidia.com/gpu": resource.MustParse(count), "nvidia.com/gpumem": resource.MustParse(memory),
				},
			},
		}}},
	}
}
