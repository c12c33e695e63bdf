package live

import (
	"errors"
	"slices"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/accelfit/accelfit/device"
)

// readyToBind is a cluster where pod p was placed on n2.
func readyToBind(t *testing.T) (*cluster, *Scheduler, *corev1.Pod) {
	c := e24(t)
	s, _ := running(t, c, Options{})
	pod := asking("p", 1000, 0)
	c.create(pod)
	placed(t, s, pod, "n2")
	return c, s, pod
}

func TestBindLocksMarksAndBinds(t *testing.T) { // spec core §14.4
	c, s, pod := readyToBind(t)
	for range 2 { // the second finds it done
		if r := s.Bind(t.Context(), binding(pod, "n2")); r.Error != "" {
			t.Fatal(r.Error)
		}
	}
	got := c.pod("p")
	if got.Spec.NodeName != "n2" || got.Annotations[device.AnnotationBindPhase] != device.BindAllocating ||
		got.Annotations[device.AnnotationBindTime] == "" {
		t.Errorf("pod: node %q, annotations %v", got.Spec.NodeName, got.Annotations)
	}
	if lock := c.node("n2").Annotations[device.AnnotationLock]; !strings.HasSuffix(lock, ",team,p") {
		t.Errorf("lock of the node: %q", lock)
	}
	wantUsage(t, s, "n2", "b0 1/1000/0")
	eventually(t, "event", func() bool { return slices.Contains(reasons(t, c), "BindingSucceed") })
}

// reasons are those of the events so far.
func reasons(t *testing.T, c *cluster) (out []string) {
	events, err := c.CoreV1().Events("team").List(t.Context(), metav1.ListOptions{})
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range events.Items {
		out = append(out, e.Reason)
	}
	return out
}

func TestBindRefusesWhatItDidNotPlace(t *testing.T) {
	c, s, pod := readyToBind(t)
	other := asking("other", 1000, 0)
	c.create(other)
	again := binding(pod, "n2")
	again.PodUID = "uid-of-an-earlier-p"
	nameless := binding(pod, "n2")
	nameless.PodName = ""
	if r := s.Bind(t.Context(), binding(pod, "n1")); !strings.Contains(r.Error, `was placed on "n2"`) {
		t.Errorf("another node: %+v", r)
	}
	if r := s.Bind(t.Context(), binding(other, "n1")); !strings.Contains(r.Error, "no devices on node n1") {
		t.Errorf("never filtered: %+v", r)
	}
	if r := s.Bind(t.Context(), again); !strings.Contains(r.Error, "with uid uid-of-an-earlier-p is not there") {
		t.Errorf("another pod of the name: %+v", r)
	}
	if r := s.Bind(t.Context(), nameless); !strings.Contains(r.Error, "need pod name") {
		t.Errorf("no name: %+v", r)
	}
	for _, name := range []string{"p", "other"} {
		if got := c.pod(name); got.Spec.NodeName != "" || got.Annotations[device.AnnotationBindPhase] != "" {
			t.Errorf("%s was touched: %q %v", name, got.Spec.NodeName, got.Annotations)
		}
	}
	wantUsage(t, s, "n2", "b0 1/1000/0")
	if r := s.Bind(t.Context(), binding(pod, "n2")); r.Error != "" {
		t.Fatal(r.Error)
	}
	if r := s.Bind(t.Context(), binding(pod, "n1")); !strings.Contains(r.Error, "is bound to node n2 already") {
		t.Errorf("bound elsewhere: %+v", r)
	}
}

func TestBindBindsPodsWithoutDevicesWithoutALock(t *testing.T) {
	c, s, _ := readyToBind(t)
	pod := plain("cpu")
	c.create(pod)
	if r := s.Bind(t.Context(), binding(pod, "n1")); r.Error != "" {
		t.Fatal(r.Error)
	}
	if got := c.pod("cpu"); got.Spec.NodeName != "n1" || len(got.Annotations) != 0 {
		t.Errorf("node %q, annotations %v", got.Spec.NodeName, got.Annotations)
	}
	if lock := c.node("n1").Annotations[device.AnnotationLock]; lock != "" {
		t.Errorf("lock: %q", lock)
	}
}

func TestBindThatFailsGivesBackTheDevices(t *testing.T) { // deviation D26
	for _, test := range []struct {
		what  string
		spoil func(c *cluster)
		want  string
	}{
		{"binding refused", func(c *cluster) { c.failing("create pods/binding", errors.New("no")) }, "no"},
		{"node gone", func(c *cluster) { c.failing("get nodes", errors.New("gone")) }, "failed to get node n2"},
		{"locked by another", func(c *cluster) {
			p := c.node("n2").DeepCopy()
			p.Annotations[device.AnnotationLock] = device.Lock{At: metav1.Now().Time, Namespace: "team", Pod: "old"}.String()
			c.stamp(p)
			if _, err := c.CoreV1().Nodes().Update(c.t.Context(), p, metav1.UpdateOptions{}); err != nil {
				c.t.Fatal(err)
			}
		}, "has been locked within"},
	} {
		t.Run(test.what, func(t *testing.T) {
			c, s, pod := readyToBind(t)
			test.spoil(c)
			if r := s.Bind(t.Context(), binding(pod, "n2")); !strings.Contains(r.Error, test.want) {
				t.Errorf("want error %q, got %+v", test.want, r)
			}
			got := c.pod("p")
			if got.Spec.NodeName != "" || got.Annotations[device.AnnotationBindPhase] != device.BindFailed {
				t.Errorf("pod: node %q, annotations %v", got.Spec.NodeName, got.Annotations)
			}
			wantUsage(t, s, "n2", "b0 0/0/0")
			c.failing("create pods/binding", nil)
			c.failing("get nodes", nil)
			if lock := c.node("n2").Annotations[device.AnnotationLock]; strings.HasSuffix(lock, ",p") {
				t.Errorf("lock kept: %q", lock)
			}
			placed(t, s, pod, "n2") // the next filter call places it anew
			if phase := c.pod("p").Annotations[device.AnnotationBindPhase]; phase != "" {
				t.Errorf("phase after the next filter call: %q", phase)
			}
			eventually(t, "event", func() bool { return slices.Contains(reasons(t, c), "BindingFailed") })
		})
	}
}

func TestBindOfWhichNobodyCanTell(t *testing.T) {
	t.Run("came through", func(t *testing.T) {
		c, s, pod := readyToBind(t)
		c.losing("create pods/binding", errors.New("timeout"))
		if r := s.Bind(t.Context(), binding(pod, "n2")); r.Error != "" {
			t.Errorf("the pod is bound, and yet: %s", r.Error)
		}
		if phase := c.pod("p").Annotations[device.AnnotationBindPhase]; phase != device.BindAllocating {
			t.Errorf("phase: %q", phase)
		}
		wantUsage(t, s, "n2", "b0 1/1000/0")
	})
	t.Run("unknown", func(t *testing.T) {
		c, s, pod := readyToBind(t)
		c.failing("patch pods", errors.New("no etcd"))
		if r := s.Bind(t.Context(), binding(pod, "n2")); !strings.Contains(r.Error, "no etcd") {
			t.Errorf("want an error, got %+v", r)
		}
		wantUsage(t, s, "n2", "b0 1/1000/0") // as the annotations say
	})
}

func TestBindOfAPodThatWentGivesBackItsDevices(t *testing.T) {
	c, s, pod := readyToBind(t)
	if err := c.CoreV1().Pods("team").Delete(t.Context(), "p", metav1.DeleteOptions{}); err != nil {
		t.Fatal(err)
	}
	if r := s.Bind(t.Context(), binding(pod, "n2")); !strings.Contains(r.Error, "is not there") {
		t.Errorf("want an error, got %+v", r)
	}
	wantUsage(t, s, "n2", "b0 0/0/0")
}

func TestBindTriesAgainWhenThePodChangedMeanwhile(t *testing.T) {
	c, s, _ := readyToBind(t)
	read := c.pod("p").DeepCopy()
	touched := read.DeepCopy()
	touched.Labels["x"] = "y"
	c.stamp(touched)
	if _, err := c.CoreV1().Pods("team").Update(t.Context(), touched, metav1.UpdateOptions{}); err != nil {
		t.Fatal(err)
	}
	if err := s.assign(t.Context(), read, "n2"); err != nil {
		t.Errorf("a label changed, and yet: %v", err)
	}
	if got := c.pod("p").Spec.NodeName; got != "n2" {
		t.Errorf("bound to %q", got)
	}
}

func TestBindRefusesAPodWhoseDevicesWereGivenBackMeanwhile(t *testing.T) {
	c, s, pod := readyToBind(t)
	read := c.pod("p").DeepCopy()
	if r := s.Filter(t.Context(), call(pod, "n1")); r.Error != "" {
		t.Fatal(r.Error)
	}
	if err := s.assign(t.Context(), read, "n2"); err == nil || !strings.Contains(err.Error(), `was placed on "n1"`) {
		t.Errorf("want a refusal, got %v", err)
	}
	if got := c.pod("p").Spec.NodeName; got != "" {
		t.Errorf("bound to %q", got)
	}
}
