package live

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	extenderv1 "k8s.io/kube-scheduler/extender/v1"

	"github.com/accelfit/accelfit/device"
	"github.com/accelfit/accelfit/vendors/nvidia"
)

// e24 is the cluster of the worked example: n1 with something on it, n2 idle.
func e24(t *testing.T) *cluster {
	return newCluster(t, nvidiaNode(t, "n1", "a0"), nvidiaNode(t, "n2", "b0"),
		holding(plain("old"), "n1", "a0,NVIDIA,4000,30:;"))
}

func TestFilterWorkedExample(t *testing.T) { // spec core §16 E24
	c := e24(t)
	at := time.Unix(1700000000, 0)
	s, _ := running(t, c, Options{Now: func() time.Time { return at }})
	pod := asking("p", 1000, 10)
	c.create(pod)

	r := placed(t, s, pod, "n1", "n2", "n3")
	if len(r.FailedNodes) != 0 || !maps.Equal(r.FailedAndUnresolvableNodes, extenderv1.FailedNodesMap{"n3": "node unregistered"}) {
		t.Errorf("reasons of the others: %v %v", r.FailedNodes, r.FailedAndUnresolvableNodes)
	}
	got := c.pod("p")
	want := map[string]string{
		"hami.io/vgpu-devices-to-allocate": "a0,NVIDIA,1000,10:;", "hami.io/vgpu-devices-allocated": "a0,NVIDIA,1000,10:;",
		"hami.io/vgpu-node": "n1", "hami.io/vgpu-time": "1700000000",
	}
	if !maps.Equal(got.Annotations, want) || got.Labels["hami.io/vgpu-node"] != "n1" {
		t.Errorf("annotations %v, labels %v", got.Annotations, got.Labels)
	}
	wantUsage(t, s, "n1", "a0 2/5000/40")

	placed(t, s, pod, "n2")
	wantUsage(t, s, "n1", "a0 1/4000/30")
	wantUsage(t, s, "n2", "b0 1/1000/10")

	large := asking("large", 90000, 0)
	c.create(large)
	none := s.Filter(t.Context(), call(large, "n1", "n2", "n3"))
	if none.Error != "" || none.NodeNames != nil || len(none.FailedNodes) != 0 || !maps.Equal(none.FailedAndUnresolvableNodes,
		extenderv1.FailedNodesMap{"n1": "1/1 CardInsufficientMemory", "n2": "1/1 CardInsufficientMemory", "n3": "node unregistered"}) {
		t.Errorf("no card is that large: %+v", none)
	}

	echo := s.Filter(t.Context(), call(plain("cpu"), "n1", "nX"))
	if echo.Error != "" || !slices.Equal(*echo.NodeNames, []string{"n1", "nX"}) {
		t.Errorf("no device asked: %+v", echo)
	}
}

func TestFilterTellsWhatEvictionCanMend(t *testing.T) {
	broken := nvidiaNode(t, "broken", "x0")
	broken.Annotations[nvidia.AnnotationRegister] = "[{"
	c := newCluster(t, nvidiaNode(t, "full", "a0"), broken, &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: "bare"}},
		holding(plain("old"), "full", "a0,NVIDIA,9000,0:;"))
	s, _ := running(t, c, Options{})
	r := s.Filter(t.Context(), call(asking("p", 5000, 0), "full", "broken", "bare"))
	if !maps.Equal(r.FailedNodes, extenderv1.FailedNodesMap{"full": "1/1 CardInsufficientMemory"}) {
		t.Errorf("what eviction mends: %v", r.FailedNodes)
	}
	if n := s.Judged()[Judgement{Vendor: "NVIDIA", Reason: device.CardInsufficientMemory}]; n != 1 {
		t.Errorf("judged: %v", s.Judged())
	}
	want := extenderv1.FailedNodesMap{"broken": "node description malformed", "bare": "node unregistered"}
	if !maps.Equal(r.FailedAndUnresolvableNodes, want) {
		t.Errorf("what it does not: %v", r.FailedAndUnresolvableNodes)
	}
}

func TestFilterAnswersInTheFormOfTheCall(t *testing.T) {
	c := e24(t)
	s, _ := running(t, c, Options{})
	pod := asking("p", 7000, 0)
	c.create(pod)
	stale := corev1.NodeList{Items: []corev1.Node{*nvidiaNode(t, "n1"), *nvidiaNode(t, "n2")}} // as if they had no cards
	r := s.Filter(t.Context(), &extenderv1.ExtenderArgs{Pod: pod, Nodes: &stale})
	if r.Error != "" || r.NodeNames != nil || len(r.Nodes.Items) != 1 || r.Nodes.Items[0].Name != "n2" {
		t.Errorf("want the object n2, judged by what the cluster says: %+v", r)
	}
	if _, ok := r.FailedNodes["n1"]; !ok {
		t.Errorf("why not n1: %v", r.FailedNodes)
	}
	wantUsage(t, s, "n2", "b0 1/7000/0")
	echo := s.Filter(t.Context(), &extenderv1.ExtenderArgs{Pod: plain("cpu"), Nodes: &stale})
	if echo.NodeNames != nil || len(echo.Nodes.Items) != 2 {
		t.Errorf("echo of objects: %+v", echo)
	}
}

func TestFilterRefusesCallsThatMakeNoSense(t *testing.T) {
	c := e24(t)
	s, _ := running(t, c, Options{})
	bound := asking("bound", 100, 0)
	bound.Spec.NodeName = "n2"
	c.create(bound)
	eventually(t, "pod is known", func() bool { return s.state.known(asking("bound", 100, 0)).Spec.NodeName == "n2" })
	noUID := asking("p", 100, 0)
	noUID.UID = ""
	weights := asking("bad", 100, 0)
	weights.Annotations = map[string]string{device.AnnotationWeights: "x"}
	names := []string{"n1"}
	before := c.pod("bound")
	for _, test := range []struct {
		what string
		args *extenderv1.ExtenderArgs
		want string
	}{
		{"nothing", nil, "extender args missing pod"},
		{"no pod", &extenderv1.ExtenderArgs{NodeNames: &names}, "extender args missing pod"},
		{"no nodes", &extenderv1.ExtenderArgs{Pod: asking("p", 1, 0)}, "extender args missing nodes"},
		{"both", &extenderv1.ExtenderArgs{Pod: plain("p"), NodeNames: &names, Nodes: &corev1.NodeList{}}, "extender args have both"},
		{"no uid", call(noUID, "n1"), "pod has no uid"},
		{"not there", call(asking("ghost", 100, 0), "n1"), `"ghost" not found`},
		{"bound, whatever the caller says", call(asking("bound", 100, 0), "n1"), "is bound to node n2 already"},
		{"weights", call(weights, "n1"), `calcScore failed invalid hami.io/device-scoring-weights`},
	} {
		if r := s.Filter(t.Context(), test.args); !strings.Contains(r.Error, test.want) {
			t.Errorf("%s: want error %q, got %+v", test.what, test.want, r)
		}
	}
	if after := c.pod("bound"); after.ResourceVersion != before.ResourceVersion {
		t.Errorf("a bound pod was changed: %v", after.Annotations)
	}
	wantUsage(t, s, "n1", "a0 1/4000/30")
}

func TestFilterInvalidRequestFitsNowhere(t *testing.T) { // deviation D11
	c := e24(t)
	s, _ := running(t, c, Options{})
	pod := asking("p", 100, 0)
	pod.Spec.Containers[0].Resources.Limits["nvidia.com/gpumem"] = resource.MustParse("1500m")
	r := s.Filter(t.Context(), call(pod, "n1", "n2"))
	for _, n := range []string{"n1", "n2"} {
		if text := r.FailedAndUnresolvableNodes[n]; !strings.Contains(text, "nvidia.com/gpumem") || !strings.Contains(text, "main") {
			t.Errorf("%s: want resource and container, got %q", n, text)
		}
	}
}

func TestFilterUndoesWhenTheAnnotationsAreRefused(t *testing.T) {
	c := e24(t)
	quota := &corev1.ResourceQuota{ObjectMeta: metav1.ObjectMeta{Namespace: "team", Name: "q"}}
	quota.Spec.Hard = corev1.ResourceList{"limits.nvidia.com/gpumem": resource.MustParse("6000")}
	if err := c.Tracker().Add(quota); err != nil {
		t.Fatal(err)
	}
	s, _ := running(t, c, Options{})
	left := func() int64 { return s.Headroom("team")[nvidia.Vendor].Memory.Left }
	if left() != 2000 {
		t.Fatalf("left of the quota: %d", left())
	}
	pod := asking("p", 1500, 0)
	c.create(pod)
	c.failing("patch pods", errors.New("no etcd"))
	if r := s.Filter(t.Context(), call(pod, "n2")); !strings.Contains(r.Error, "no etcd") {
		t.Errorf("want an error, got %+v", r)
	}
	wantUsage(t, s, "n2", "b0 0/0/0")
	if left() != 2000 {
		t.Errorf("left of the quota after the failure: %d", left())
	}
	c.failing("patch pods", nil)
	placed(t, s, pod, "n2")
	if left() != 500 {
		t.Errorf("left of the quota: %d", left())
	}
	over := asking("over", 501, 0)
	c.create(over)
	if r := s.Filter(t.Context(), call(over, "n2")); !strings.Contains(r.FailedNodes["n2"], "ResourceQuotaNotFit") {
		t.Errorf("want the quota's refusal, as one that eviction mends: %+v", r)
	}
}

func TestFilterKeepsWhatThePodHeldWhenItCannotWrite(t *testing.T) {
	c := e24(t)
	s, _ := running(t, c, Options{})
	pod := asking("p", 1000, 0)
	c.create(pod)
	placed(t, s, pod, "n2")
	c.failing("patch pods", errors.New("no etcd"))
	if r := s.Filter(t.Context(), call(pod, "n1")); r.Error == "" {
		t.Fatalf("want an error, got %+v", r)
	}
	wantUsage(t, s, "n2", "b0 1/1000/0") // as the annotations say, which a restart would read
	wantUsage(t, s, "n1", "a0 1/4000/30")
}

func TestFilterTakesBackAPlacementThatNoLongerHolds(t *testing.T) {
	c := e24(t)
	s, _ := running(t, c, Options{})
	pod := asking("p", 8000, 0)
	c.create(pod)
	placed(t, s, pod, "n2")
	if r := s.Filter(t.Context(), call(pod, "n1")); r.Error != "" || r.FailedNodes["n1"] == "" {
		t.Fatalf("want a refusal, got %+v", r)
	}
	if got := c.pod("p"); len(got.Annotations) != 0 || len(got.Labels) != 0 {
		t.Errorf("left on the pod: %v %v", got.Annotations, got.Labels)
	}
	wantUsage(t, s, "n2", "b0 0/0/0")
}

func TestFilterSeesTheNodeAsItIs(t *testing.T) { // deviation D29
	c := e24(t)
	s, _ := running(t, c, Options{})
	node := c.node("n2").DeepCopy()
	node.Annotations[device.AnnotationCordon] = "b0"
	c.stamp(node)
	if _, err := c.CoreV1().Nodes().Update(t.Context(), node, metav1.UpdateOptions{}); err != nil {
		t.Fatal(err)
	}
	pod := asking("p", 1000, 0)
	c.create(pod)
	eventually(t, "the cordon acts", func() bool {
		return strings.Contains(s.Filter(t.Context(), call(pod, "n2")).FailedAndUnresolvableNodes["n2"], "CardCordoned")
	})
}

func TestFilterGivesNoDeviceTwice(t *testing.T) {
	const cards, pods = 8, 40
	var ids []string
	for i := range cards {
		ids = append(ids, fmt.Sprintf("g%d", i))
	}
	c := newCluster(t, nvidiaNode(t, "n1", ids[:4]...), nvidiaNode(t, "n2", ids[4:]...))
	s, _ := running(t, c, Options{})
	var mu sync.Mutex
	given := map[string]int{}
	var wg sync.WaitGroup
	for i := range pods {
		pod := asking(fmt.Sprintf("p%d", i), 6000, 100)
		c.create(pod)
		wg.Go(func() {
			if r := s.Filter(t.Context(), call(pod, "n1", "n2")); r.Error != "" {
				t.Error(r.Error)
			} else if r.NodeNames != nil {
				id, _, _ := strings.Cut(c.pod(pod.Name).Annotations[nvidia.AnnotationAllocated], ",")
				mu.Lock()
				given[id]++
				mu.Unlock()
			}
		})
	}
	wg.Wait()
	for _, id := range ids {
		if given[id] != 1 {
			t.Errorf("card %s was given to %d pods, want 1: %v", id, given[id], given)
		}
	}
}

func TestPrioritizeFollowsTheNodePolicy(t *testing.T) {
	c := newCluster(t, nvidiaNode(t, "n1", "a0"), nvidiaNode(t, "n2", "b0"), nvidiaNode(t, "n3", "c0"),
		holding(plain("some"), "n1", "a0,NVIDIA,4000,0:;"), holding(plain("full"), "n3", "c0,NVIDIA,10000,0:;"))
	s, _ := running(t, c, Options{})
	for policy, want := range map[string][]int64{"binpack": {10, 0, 0}, "spread": {0, 10, 0}} {
		pod := asking("p-"+policy, 5000, 0)
		pod.Annotations = map[string]string{device.AnnotationNodePolicy: policy}
		c.create(pod)
		placed(t, s, pod, "n1") // what a pod has reserved itself does not count
		got, err := s.Prioritize(t.Context(), call(pod, "n1", "n2", "n3"))
		if err != nil || got[0].Score != want[0] || got[1].Score != want[1] || got[2].Score != want[2] {
			t.Errorf("%s: want %v, got %v %v", policy, want, got, err)
		}
		if r := s.Filter(t.Context(), call(pod, "n3")); r.Error != "" { // gives back
			t.Error(r.Error)
		}
	}
	if got, err := s.Prioritize(t.Context(), call(plain("cpu"), "n1", "n2")); err != nil || got[0].Score != 0 || got[1].Score != 0 {
		t.Errorf("a pod that asks for no device: %v %v", got, err)
	}
}
