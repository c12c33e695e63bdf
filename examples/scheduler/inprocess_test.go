package main

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/kubernetes/fake"
	clienttesting "k8s.io/client-go/testing"
	"k8s.io/client-go/tools/events"
	"k8s.io/klog/v2"
	fwk "k8s.io/kube-scheduler/framework"
	"k8s.io/kubernetes/pkg/scheduler"
	kubeschedulerconfig "k8s.io/kubernetes/pkg/scheduler/apis/config"
	frameworkruntime "k8s.io/kubernetes/pkg/scheduler/framework/runtime"
	"k8s.io/kubernetes/pkg/scheduler/profile"

	"github.com/accelfit/accelfit/device"
	"github.com/accelfit/accelfit/examples/schedulerplugin"
	"github.com/accelfit/accelfit/internal/testkit"
	"github.com/accelfit/accelfit/usage"
	"github.com/accelfit/accelfit/vendors"
)

// obstacle is a plugin that fails pods at one point, as long as it is told to.
type obstacle struct {
	mu     sync.Mutex
	point  string         // where pods fail; empty: nowhere
	failed map[string]int // how many did, by point
}

func (o *obstacle) Name() string { return "Obstacle" }

func (o *obstacle) at(point string) error {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.point != point {
		return nil
	}
	o.failed[point]++
	return errors.New("failed at " + point)
}

func (o *obstacle) set(point string) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.point = point
}

func (o *obstacle) count(point string) int {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.failed[point]
}

func (o *obstacle) Permit(context.Context, fwk.CycleState, *corev1.Pod, string) (*fwk.Status, time.Duration) {
	return fwk.AsStatus(o.at("permit")), 0
}

func (o *obstacle) PreBindPreFlight(context.Context, fwk.CycleState, *corev1.Pod, string) (*fwk.PreBindPreFlightResult, *fwk.Status) {
	return nil, nil
}

func (o *obstacle) PreBind(context.Context, fwk.CycleState, *corev1.Pod, string) *fwk.Status {
	return fwk.AsStatus(o.at("prebind"))
}

// inProcess is a kube-scheduler in this process, with a client that only pretends.
type inProcess struct {
	client   *fake.Clientset
	obstacle *obstacle
}

func startInProcess(t *testing.T, args string, objects ...runtime.Object) *inProcess {
	t.Helper()
	p := &inProcess{fake.NewClientset(objects...), &obstacle{failed: map[string]int{}}}
	p.client.PrependReactor("create", "pods", p.onBind)
	c := config(t, configText(t)).Profiles[0]
	c.Plugins.MultiPoint.Enabled = append(c.Plugins.MultiPoint.Enabled, kubeschedulerconfig.Plugin{Name: "Obstacle"})
	for i := range c.PluginConfig {
		if c.PluginConfig[i].Name == schedulerplugin.Name {
			c.PluginConfig[i].Args = &runtime.Unknown{Raw: []byte(args)}
		}
	}
	ctx, cancel := context.WithCancel(klog.NewContext(t.Context(), klog.Logger{}))
	informers := scheduler.NewInformerFactory(p.client, 0, nil)
	broadcaster := events.NewBroadcaster(&events.EventSinkImpl{Interface: p.client.EventsV1()})
	s, err := scheduler.New(ctx, p.client, informers, nil, profile.NewRecorderFactory(broadcaster), scheduler.WithProfiles(c),
		scheduler.WithPodInitialBackoffSeconds(1), scheduler.WithPodMaxBackoffSeconds(1),
		scheduler.WithFrameworkOutOfTreeRegistry(frameworkruntime.Registry{
			schedulerplugin.Name: new(schedulerplugin.Factory).New,
			"Obstacle":           func(context.Context, runtime.Object, fwk.Handle) (fwk.Plugin, error) { return p.obstacle, nil },
		}))
	require.NoError(t, err)
	informers.Start(ctx.Done())
	informers.WaitForCacheSync(ctx.Done())
	require.NoError(t, s.WaitForHandlersSync(ctx))
	var wg sync.WaitGroup
	wg.Go(func() { s.Run(ctx) })
	t.Cleanup(func() {
		cancel()
		wg.Wait()
		informers.Shutdown()
		broadcaster.Shutdown()
	})
	return p
}

// onBind binds pods as the API server does.
func (p *inProcess) onBind(a clienttesting.Action) (handled bool, _ runtime.Object, err error) {
	binding, ok := a.(clienttesting.CreateAction).GetObject().(*corev1.Binding)
	if !ok || a.GetSubresource() != "binding" {
		return false, nil, nil
	}
	if err := p.obstacle.at("bind"); err != nil {
		return true, nil, err
	}
	pods := corev1.SchemeGroupVersion.WithResource("pods")
	object, err := p.client.Tracker().Get(pods, a.GetNamespace(), binding.Name)
	if err != nil {
		return true, nil, err
	}
	pod := object.(*corev1.Pod).DeepCopy()
	pod.Spec.NodeName = binding.Target.Name
	return true, binding, p.client.Tracker().Update(pods, pod, a.GetNamespace())
}

// create creates a pod for the scheduler of the manifests.
func (p *inProcess) create(t *testing.T, pod *corev1.Pod) {
	t.Helper()
	pod.Spec.SchedulerName = "accelfit-scheduler"
	_, err := p.client.CoreV1().Pods(pod.Namespace).Create(t.Context(), pod, metav1.CreateOptions{})
	require.NoError(t, err)
}

func (p *inProcess) waitBound(t *testing.T, name string) *corev1.Pod {
	t.Helper()
	var pod *corev1.Pod
	require.Eventually(t, func() bool {
		var err error
		pod, err = p.client.CoreV1().Pods("team").Get(t.Context(), name, metav1.GetOptions{})
		return err == nil && pod.Spec.NodeName != ""
	}, 30*time.Second, 5*time.Millisecond, "pod %s is not bound", name)
	return pod
}

func (p *inProcess) waitFailed(t *testing.T, point string) {
	t.Helper()
	require.Eventually(t, func() bool { return p.obstacle.count(point) > 0 }, 30*time.Second, time.Millisecond)
}

// A pod that fails after its devices were reserved leaves nothing behind: another gets all there is.
func TestFailuresAfterReserve(t *testing.T) {
	before := goleak.IgnoreCurrent()
	t.Cleanup(func() {
		require.NoError(t, goleak.Find(before))
	})
	for _, point := range []string{"permit", "prebind", "bind"} {
		t.Run(point, func(t *testing.T) {
			p := startInProcess(t, `{}`, cards("n", 1))
			p.obstacle.set(point)
			p.create(t, wants("victim", "1", "11000"))
			p.waitFailed(t, point)
			require.NoError(t, p.client.CoreV1().Pods("team").Delete(t.Context(), "victim", metav1.DeleteOptions{}))
			p.obstacle.set("")
			p.create(t, wants("heir", "1", "11000"))
			heir := p.waitBound(t, "heir")
			h, ok, problems := usage.Read(vendors.Default(), heir)
			require.True(t, ok, "%v", problems)
			assert.Equal(t, []device.ContainerDevice{{Vendor: "NVIDIA", ID: "GPU-n-0", Memory: 11000}}, h.Allocation.Devices)
			node, err := p.client.CoreV1().Nodes().Get(t.Context(), "n", metav1.GetOptions{})
			require.NoError(t, err)
			assert.Contains(t, node.Annotations[device.AnnotationLock], ",team,heir", "the lock is the heir's until its agent releases it")
		})
	}
}

// A pod that failed is itself tried again, and what was written on it before is replaced.
func TestRetryAfterAFailedBind(t *testing.T) {
	p := startInProcess(t, `{"nodeLock":{"disabled":true}}`, cards("n", 2))
	p.obstacle.set("bind")
	p.create(t, wants("p", "2", "6000"))
	p.waitFailed(t, "bind")
	require.Eventually(t, func() bool {
		pod, err := p.client.CoreV1().Pods("team").Get(t.Context(), "p", metav1.GetOptions{})
		return err == nil && pod.Annotations[device.AnnotationBindPhase] == device.BindFailed
	}, 10*time.Second, time.Millisecond)
	p.obstacle.set("")
	pod := p.waitBound(t, "p")
	assert.Equal(t, device.BindAllocating, pod.Annotations[device.AnnotationBindPhase])
	h, ok, _ := usage.Read(vendors.Default(), pod)
	require.True(t, ok)
	assert.Len(t, h.Allocation.Devices, 2)
}

// cards is a node that registers NVIDIA cards of 11441 MiB.
func cards(name string, count int) *corev1.Node {
	var list []device.DeviceInfo
	for i := range count {
		list = append(list, testkit.Card(fmt.Sprintf("GPU-%s-%d", name, i), 11441))
	}
	node := testkit.Node(name, list...)
	node.Status.Allocatable = corev1.ResourceList{"cpu": resource.MustParse("64"), "pods": resource.MustParse("250")}
	return node
}

// wants is a pod that asks for NVIDIA cards.
func wants(name, count, memory string) *corev1.Pod {
	return &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{Namespace: "team", Name: name, UID: types.UID("uid-" + name)},
		Spec: corev1.PodSpec{Containers: []corev1.Container{{
			Name: "main", Resources: corev1.ResourceRequirements{Limits: corev1.ResourceList{
				"nvidia.com/gpu": resource.MustParse(count), "nvidia.com/gpumem": resource.MustParse(memory),
			}},
		}}},
	}
}
