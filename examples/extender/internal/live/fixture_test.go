package live

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/kubernetes/fake"
	k8stesting "k8s.io/client-go/testing"
	extenderv1 "k8s.io/kube-scheduler/extender/v1"

	"github.com/accelfit/accelfit/device"
	"github.com/accelfit/accelfit/vendors"
	"github.com/accelfit/accelfit/vendors/nvidia"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// nvidiaNode is a node with healthy cards of 10000 MiB.
func nvidiaNode(t testing.TB, name string, ids ...string) *corev1.Node {
	t.Helper()
	var cards []device.DeviceInfo
	for i, id := range ids {
		cards = append(cards, device.DeviceInfo{
			ID: id, Index: i, Type: "NVIDIA-NVIDIA L4", Slots: 10, Memory: 10000, Cores: 100, Healthy: true,
		})
	}
	text, err := device.EncodeRegistration(cards)
	if err != nil {
		t.Fatal(err)
	}
	return &corev1.Node{
		ObjectMeta: metav1.ObjectMeta{Name: name, Annotations: map[string]string{nvidia.AnnotationRegister: text}},
		Status: corev1.NodeStatus{Allocatable: corev1.ResourceList{
			"nvidia.com/gpu": *resource.NewQuantity(int64(10*len(ids)), ""),
		}},
	}
}

// asking is a pod that asks for one card with some memory and cores.
func asking(name string, memory, cores int64) *corev1.Pod {
	pod := plain(name)
	pod.Spec.Containers[0].Resources.Limits = corev1.ResourceList{
		"nvidia.com/gpu":      *resource.NewQuantity(1, ""),
		"nvidia.com/gpumem":   *resource.NewQuantity(memory, ""),
		"nvidia.com/gpucores": *resource.NewQuantity(cores, ""),
	}
	return pod
}

func plain(name string) *corev1.Pod {
	return &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{Namespace: "team", Name: name, UID: types.UID("uid-" + name)},
		Spec:       corev1.PodSpec{Containers: []corev1.Container{{Name: "main"}}},
	}
}

// holding is a pod that was given something of a node.
func holding(pod *corev1.Pod, node, allocated string) *corev1.Pod {
	pod.Annotations = map[string]string{device.AnnotationNode: node, nvidia.AnnotationAllocated: allocated}
	return pod
}

// cluster is a fake API server that counts resource versions, keeps to preconditions, and binds.
type cluster struct {
	*fake.Clientset
	t testing.TB

	mu       sync.Mutex
	revision int
	fail     map[string]error // by verb and resource, as "patch pods", "create pods/binding"
	lose     map[string]error // the same, but what was asked is done all the same
}

func newCluster(t testing.TB, objects ...runtime.Object) *cluster {
	c := &cluster{t: t, fail: map[string]error{}, lose: map[string]error{}}
	for _, o := range objects {
		c.stamp(o.(metav1.Object))
	}
	c.Clientset = fake.NewClientset(objects...)
	c.PrependReactor("*", "*", c.react)
	return c
}

func (c *cluster) stamp(o metav1.Object) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.revision++
	o.SetResourceVersion(strconv.Itoa(c.revision))
}

// failing has a kind of call fail from now on; nil: no more.
func (c *cluster) failing(call string, err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.fail[call] = err
}

// losing has the answers of a kind of call get lost.
func (c *cluster) losing(call string, err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.lose[call] = err
}

func (c *cluster) react(a k8stesting.Action) (bool, runtime.Object, error) {
	call := a.GetVerb() + " " + strings.TrimSuffix(a.GetResource().Resource+"/"+a.GetSubresource(), "/")
	c.mu.Lock()
	err, lost := c.fail[call], c.lose[call]
	c.mu.Unlock()
	if err != nil {
		return true, nil, err
	}
	switch call {
	case "create pods/binding":
		err = c.bind(a.(k8stesting.CreateAction).GetObject().(*corev1.Binding))
		if err == nil {
			err = lost
		}
		return true, nil, err
	case "patch pods", "patch nodes":
		o, err := c.patch(a.(k8stesting.PatchAction))
		return true, o, err
	}
	return false, nil, nil
}

func (c *cluster) bind(b *corev1.Binding) error {
	pods := corev1.SchemeGroupVersion.WithResource("pods")
	o, err := c.Tracker().Get(pods, b.Namespace, b.Name)
	if err != nil {
		return err
	}
	pod := o.(*corev1.Pod).DeepCopy()
	stale := b.ResourceVersion != "" && b.ResourceVersion != pod.ResourceVersion
	if pod.UID != b.UID || pod.Spec.NodeName != "" || stale {
		return apierrors.NewConflict(schema.GroupResource{Resource: "pods/binding"}, b.Name, fmt.Errorf("not as expected"))
	}
	pod.Spec.NodeName = b.Target.Name
	c.stamp(pod)
	return c.Tracker().Update(pods, pod, pod.Namespace)
}

// patch merges metadata, which is all that is ever patched here.
func (c *cluster) patch(a k8stesting.PatchAction) (runtime.Object, error) {
	o, err := c.Tracker().Get(a.GetResource(), a.GetNamespace(), a.GetName())
	if err != nil {
		return nil, err
	}
	o = o.DeepCopyObject()
	m := o.(metav1.Object)
	var p struct {
		Metadata struct {
			patch
			ResourceVersion string `json:"resourceVersion"`
		} `json:"metadata"`
	}
	if err := json.Unmarshal(a.GetPatch(), &p); err != nil {
		return nil, err
	}
	stale := p.Metadata.ResourceVersion != "" && p.Metadata.ResourceVersion != m.GetResourceVersion()
	if p.Metadata.UID != "" && p.Metadata.UID != m.GetUID() || stale {
		return nil, apierrors.NewConflict(a.GetResource().GroupResource(), a.GetName(), fmt.Errorf("precondition"))
	}
	m.SetAnnotations(merged(m.GetAnnotations(), p.Metadata.Annotations))
	m.SetLabels(merged(m.GetLabels(), p.Metadata.Labels))
	c.stamp(m)
	return o, c.Tracker().Update(a.GetResource(), o, a.GetNamespace())
}

func merged(into map[string]string, changes map[string]*string) map[string]string {
	for key, value := range changes {
		if into == nil {
			into = map[string]string{}
		}
		if value == nil {
			delete(into, key)
		} else {
			into[key] = *value
		}
	}
	return into
}

func (c *cluster) create(pods ...*corev1.Pod) {
	c.t.Helper()
	for _, p := range pods {
		c.stamp(p)
		if _, err := c.CoreV1().Pods(p.Namespace).Create(c.t.Context(), p, metav1.CreateOptions{}); err != nil {
			c.t.Fatal(err)
		}
	}
}

func (c *cluster) pod(name string) *corev1.Pod {
	c.t.Helper()
	pod, err := c.CoreV1().Pods("team").Get(c.t.Context(), name, metav1.GetOptions{})
	if err != nil {
		c.t.Fatal(err)
	}
	return pod
}

func (c *cluster) node(name string) *corev1.Node {
	c.t.Helper()
	node, err := c.CoreV1().Nodes().Get(c.t.Context(), name, metav1.GetOptions{})
	if err != nil {
		c.t.Fatal(err)
	}
	return node
}

// running returns a scheduler that is ready, and what ends it.
func running(t testing.TB, c *cluster, o Options) (*Scheduler, func()) {
	t.Helper()
	s, stop := started(t, c, o)
	eventually(t, "ready", func() bool { return s.Ready() == nil })
	return s, stop
}

func started(t testing.TB, c *cluster, o Options) (*Scheduler, func()) {
	t.Helper()
	s := New(vendors.Default(), c, o)
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() { done <- s.Run(ctx) }()
	stop := sync.OnceFunc(func() {
		cancel()
		if err := <-done; err != nil {
			t.Error(err)
		}
	})
	t.Cleanup(stop)
	return s, stop
}

func eventually(t testing.TB, what string, ok func() bool) {
	t.Helper()
	for end := time.Now().Add(10 * time.Second); !ok(); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("not in time: %s", what)
		}
	}
}

// call is a call for a pod with the names of nodes.
func call(pod *corev1.Pod, nodes ...string) *extenderv1.ExtenderArgs {
	return &extenderv1.ExtenderArgs{Pod: pod, NodeNames: &nodes}
}

func binding(pod *corev1.Pod, node string) *extenderv1.ExtenderBindingArgs {
	return &extenderv1.ExtenderBindingArgs{PodName: pod.Name, PodNamespace: pod.Namespace, PodUID: pod.UID, Node: node}
}

// placed filters a pod and fails the test unless the node is chosen.
func placed(t testing.TB, s *Scheduler, pod *corev1.Pod, node string, others ...string) *extenderv1.ExtenderFilterResult {
	t.Helper()
	r := s.Filter(t.Context(), call(pod, append([]string{node}, others...)...))
	if r.Error != "" || r.NodeNames == nil || !slices.Equal(*r.NodeNames, []string{node}) {
		t.Fatalf("pod %s: want node %s, got %+v", pod.Name, node, r)
	}
	return r
}

// usageOf is what is taken of a node's cards: slots, memory, cores of each.
func usageOf(s *Scheduler, node string) string {
	u := s.state.view([]string{node}, "team", "").usages[0]
	if u == nil {
		return "unknown"
	}
	var out []string
	for i := range u.Devices() {
		info, use := u.Info().Device(i), u.Device(i)
		out = append(out, fmt.Sprintf("%s %d/%d/%d", info.ID, use.Slots, use.Memory, use.Cores))
	}
	return strings.Join(out, ", ")
}

func wantUsage(t testing.TB, s *Scheduler, node, want string) {
	t.Helper()
	if got := usageOf(s, node); got != want {
		t.Errorf("usage of %s: want %s, got %s", node, want, got)
	}
}
