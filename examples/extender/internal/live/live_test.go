package live

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	k8stesting "k8s.io/client-go/testing"

	"github.com/accelfit/accelfit/device"
	"github.com/accelfit/accelfit/vendors"
	"github.com/accelfit/accelfit/vendors/nvidia"
)

func TestRestartInTheMiddleOfABind(t *testing.T) {
	c := newCluster(t, nvidiaNode(t, "n1", "a0", "a1"))
	before, crash := running(t, c, Options{})
	pod := asking("p", 6000, 100)
	c.create(pod)
	placed(t, before, pod, "n1")
	c.failing("create pods/binding", errors.New("crash"))
	c.failing("get pods", errors.New("crash")) // nothing is rolled back either
	if _, err := before.patchPod(t.Context(), pod, phase(pod, device.BindAllocating, "1")); err != nil {
		t.Fatal(err)
	}
	crash()
	c.failing("create pods/binding", nil)
	c.failing("get pods", nil)

	after, _ := running(t, c, Options{})
	first := usageOf(after, "n1")
	if !strings.Contains(first, "1/6000/100") {
		t.Errorf("lost over the restart: %s", first)
	}
	next := asking("next", 6000, 100)
	c.create(next)
	placed(t, after, next, "n1")
	if a, b := c.pod("p").Annotations[nvidia.AnnotationAllocated], c.pod("next").Annotations[nvidia.AnnotationAllocated]; a == b {
		t.Errorf("both hold %s", a)
	}
	if r := after.Bind(t.Context(), binding(pod, "n1")); r.Error != "" {
		t.Errorf("the bind is tried again: %s", r.Error)
	}
}

func TestCatchUpReadsWhatNoInformerHasToldYet(t *testing.T) {
	c := newCluster(t, nvidiaNode(t, "n1", "a0"))
	s := New(vendors.Default(), c, Options{})
	s.onNode(c.node("n1"))
	c.create(holding(plain("p"), "n1", "a0,NVIDIA,1000,10:;"))
	if err := s.catchUp(t.Context()); err != nil {
		t.Fatal(err)
	}
	wantUsage(t, s, "n1", "a0 1/1000/10")

	s.state.expectAll()
	went := holding(plain("went"), "n1", "a0,NVIDIA,2000,10:;")
	s.state.deletePod(went)
	s.state.setAll([]corev1.Pod{*went})
	wantUsage(t, s, "n1", "a0 1/1000/10")
}

func TestOnlyTheLeaderDecidesAndWrites(t *testing.T) {
	c := newCluster(t, nvidiaNode(t, "n1", "a0"))
	election := func(who string) Options {
		return Options{Election: &Election{Namespace: "team", Name: "lease", Identity: who,
			Duration: 3 * time.Second, RenewDeadline: 2 * time.Second, RetryPeriod: 100 * time.Millisecond}}
	}
	a, stopA := running(t, c, election("a"))
	b, _ := started(t, c, election("b"))
	eventually(t, "b does not lead", func() bool { return errors.Is(b.Ready(), ErrNotLeader) })
	pod := asking("p", 1000, 0)
	c.create(pod)
	if r := b.Filter(t.Context(), call(pod, "n1")); r.Error != ErrNotLeader.Error() {
		t.Errorf("filter of who does not lead: %+v", r)
	}
	if r := b.Bind(t.Context(), binding(pod, "n1")); r.Error != ErrNotLeader.Error() {
		t.Errorf("bind of who does not lead: %+v", r)
	}
	if _, err := b.Prioritize(t.Context(), call(pod, "n1")); !errors.Is(err, ErrNotLeader) {
		t.Errorf("prioritize of who does not lead: %v", err)
	}
	placed(t, a, pod, "n1")
	stopA()
	eventually(t, "b leads", func() bool { return b.Ready() == nil })
	wantUsage(t, b, "n1", "a0 1/1000/0")
	if r := b.Bind(t.Context(), binding(pod, "n1")); r.Error != "" {
		t.Errorf("what a placed, b binds: %s", r.Error)
	}
}

func TestHandshakesAreWrittenAndRemoved(t *testing.T) { // spec core §3
	dead := nvidiaNode(t, "dead", "x0")
	dead.Status.Allocatable = nil
	dead.Annotations[nvidia.AnnotationHandshake] = "Requesting_" + time.Now().Add(-time.Hour).UTC().Format(time.RFC3339)
	c := newCluster(t, nvidiaNode(t, "n1", "a0"), dead)
	s, _ := running(t, c, Options{AnnouncePause: 10 * time.Millisecond})
	eventually(t, "handshake", func() bool {
		return strings.HasPrefix(c.node("n1").Annotations[nvidia.AnnotationHandshake], "Requesting_")
	})
	if got := usageOf(s, "dead"); got != "" {
		t.Errorf("a node whose agent is gone has %q", got)
	}
	gone := c.node("n1").DeepCopy()
	gone.Status.Allocatable = nil
	gone.Annotations[nvidia.AnnotationHandshake] = dead.Annotations[nvidia.AnnotationHandshake]
	c.stamp(gone)
	if _, err := c.CoreV1().Nodes().Update(t.Context(), gone, metav1.UpdateOptions{}); err != nil {
		t.Fatal(err)
	}
	eventually(t, "clean-up", func() bool {
		return slices.ContainsFunc(c.Actions(), func(a k8stesting.Action) bool {
			p, ok := a.(k8stesting.PatchAction)
			return ok && strings.Contains(string(p.GetPatch()), `"`+nvidia.AnnotationHandshake+`":null`)
		})
	})
}

func TestSlowAPIServerFailsClosed(t *testing.T) {
	over := make(chan struct{})
	hang := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { <-over }))
	defer hang.Close()
	defer close(over)
	config := &rest.Config{Host: hang.URL}
	client, err := kubernetes.NewForConfig(config)
	if err != nil {
		t.Fatal(err)
	}
	s := New(vendors.Default(), client, Options{Timeout: 100 * time.Millisecond})
	s.onNode(nvidiaNode(t, "n1", "a0"))
	pod := asking("p", 1000, 0)
	if r := s.Filter(t.Context(), call(pod, "n1")); r.Error != ErrNotSynced.Error() {
		t.Errorf("nothing is read yet: %+v", r)
	}
	s.ready.set(nil)
	began := time.Now()
	if r := s.Filter(t.Context(), call(pod, "n1")); r.Error == "" {
		t.Errorf("nobody took the annotations, and yet: %+v", r)
	}
	if r := s.Bind(t.Context(), binding(pod, "n1")); r.Error == "" {
		t.Error("nobody bound")
	}
	if took := time.Since(began); took > 5*time.Second {
		t.Errorf("took %s", took)
	}
	wantUsage(t, s, "n1", "a0 0/0/0")
}

func TestWhatIsSeenDuringAFlightCountsAfterIt(t *testing.T) {
	c := newCluster(t, nvidiaNode(t, "n1", "a0"))
	for _, test := range []struct {
		what    string
		happens func(s *Scheduler, pod *corev1.Pod)
		want    string
	}{
		{"nothing", func(*Scheduler, *corev1.Pod) {}, "a0 1/1000/0"},
		{"an older state is told", func(s *Scheduler, pod *corev1.Pod) {
			s.state.setPod(version(holding(pod.DeepCopy(), "n1", "a0,NVIDIA,9,0:;"), 1))
		}, "a0 1/1000/0"},
		{"it ended", func(s *Scheduler, pod *corev1.Pod) {
			ended := version(holding(pod.DeepCopy(), "n1", "a0,NVIDIA,1000,0:;"), 9)
			ended.Status.Phase = corev1.PodFailed
			s.state.setPod(ended)
		}, "a0 0/0/0"},
		{"it went", func(s *Scheduler, pod *corev1.Pod) { s.state.deletePod(pod) }, "a0 0/0/0"},
	} {
		t.Run(test.what, func(t *testing.T) {
			s := New(vendors.Default(), c, Options{})
			s.onNode(c.node("n1"))
			pod := asking("p", 1000, 0)
			if _, err := s.state.begin(pod); err != nil {
				t.Fatal(err)
			}
			if _, err := s.state.begin(pod); !errors.Is(err, errBusy) {
				t.Errorf("a second flight: %v", err)
			}
			r, err := s.set.Request(pod)
			if err != nil {
				t.Fatal(err)
			}
			s.place(r, []string{"n1"})
			wantUsage(t, s, "n1", "a0 1/1000/0")
			test.happens(s, pod)
			s.state.land(keyOf(pod), version(holding(pod.DeepCopy(), "n1", "a0,NVIDIA,1000,0:;"), 5))
			wantUsage(t, s, "n1", test.want)
			s.state.setPod(version(holding(pod.DeepCopy(), "n1", "a0,NVIDIA,9,0:;"), 4)) // late
			if test.what != "it went" {
				wantUsage(t, s, "n1", test.want)
			}
		})
	}
}

func version(pod *corev1.Pod, n int) *corev1.Pod {
	pod.ResourceVersion = fmt.Sprint(n)
	return pod
}

func TestReplacedPodsAndNodesThatGo(t *testing.T) {
	c := newCluster(t, nvidiaNode(t, "n1", "a0"))
	s, _ := running(t, c, Options{})
	first := holding(plain("p"), "n1", "a0,NVIDIA,1000,0:;")
	h := podHandler{s}
	h.OnAdd(first, false)
	second := plain("p")
	second.UID = "another"
	h.OnUpdate(first, second)
	wantUsage(t, s, "n1", "a0 0/0/0")
	if err := c.CoreV1().Nodes().Delete(t.Context(), "n1", metav1.DeleteOptions{}); err != nil {
		t.Fatal(err)
	}
	eventually(t, "node is forgotten", func() bool { return usageOf(s, "n1") == "unknown" })
}

func TestFilterWaitsForTheFirstPass(t *testing.T) { // spec core §14.2 step 2
	c := newCluster(t, nvidiaNode(t, "n1", "a0"))
	pod := asking("p", 1000, 0)
	c.create(pod)
	s := New(vendors.Default(), c, Options{})
	answer := make(chan string, 1)
	go func() { answer <- s.Filter(context.WithoutCancel(t.Context()), call(pod, "n1")).Error }()
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() { done <- s.Run(ctx) }()
	if text := <-answer; text != "" {
		t.Errorf("want an answer once the state is read, got %s", text)
	}
	cancel()
	if err := <-done; err != nil {
		t.Error(err)
	}
}
