package vendors_test

import (
	"fmt"
	"testing"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/accelfit/accelfit/device"
	"github.com/accelfit/accelfit/internal/testkit"
	"github.com/accelfit/accelfit/vendors"
)

// parserPod is a random pod out of not many.
func parserPod(t *testing.T, i int) *corev1.Pod {
	t.Helper()
	pick := func(n int) int { k := i % n; i /= n; return k }
	pod := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Name: fmt.Sprint("p", i), Annotations: map[string]string{"other": fmt.Sprint(i)}}}
	for key, values := range map[string][]string{
		device.AnnotationDevicePolicy: {"", "spread", "binpack"}, "nvidia.com/use-gputype": {"", "A100"}, device.AnnotationWeights: {"", "x"},
	} {
		if v := values[pick(len(values))]; v != "" {
			pod.Annotations[key] = v
		}
	}
	for k := range 1 + pick(2) {
		c := corev1.Container{Name: fmt.Sprint("c", k), Image: []string{"a", "b"}[pick(2)]}
		c.Resources.Limits = corev1.ResourceList{"nvidia.com/gpu": resource.MustParse([]string{"1", "2", "1500m", "-1"}[pick(4)]), "cpu": resource.MustParse("100m")}
		if pick(2) == 0 {
			c.Resources.Requests = corev1.ResourceList{"nvidia.com/gpumem": resource.MustParse([]string{"1k", "1000", "1Ki"}[pick(3)])}
		}
		testkit.AddContainer(pod, c, []device.ContainerClass{device.App, device.Sidecar, device.Init}[pick(3)])
	}
	return pod
}

// TestParserReadsAsRequestDoes: whatever pods come before, a Parser answers what Set.Request does, and equal pods share a request.
func TestParserReadsAsRequestDoes(t *testing.T) {
	r := testkit.Rand(t)
	set := vendors.Default()
	p := set.Parser()
	shared, seen := 0, map[*vendors.Request]bool{}
	for range 4000 {
		pod := parserPod(t, r.IntN(1<<20))
		before := pod.DeepCopy()
		got, err := p.Request(pod)
		want, wantErr := set.Request(pod)
		if fmt.Sprint(err) != fmt.Sprint(wantErr) || (got == nil) != (want == nil) {
			t.Fatalf("%v, want %v", err, wantErr)
		}
		if fmt.Sprint(pod) != fmt.Sprint(before) {
			t.Fatal("the pod was changed")
		}
		if got == nil {
			continue
		}
		if seen[got] {
			shared++
		}
		seen[got] = true
		own := got.For(pod)
		if own.Shape() != want.Shape() || fmt.Sprint(own.Containers(), own.Classes()) != fmt.Sprint(want.Containers(), want.Classes()) || own.Name != pod.Name {
			t.Fatalf("%+v, want %+v", own, want)
		}
	}
	if shared < 100 {
		t.Errorf("%d requests are shared", shared)
	}
	if allocs := testing.AllocsPerRun(100, func() { _, _ = p.Request(parserPodOnce) }); allocs > 0 {
		t.Errorf("a pod like one before costs %v allocations", allocs)
	}
}

var parserPodOnce = &corev1.Pod{Spec: corev1.PodSpec{Containers: []corev1.Container{{Name: "c"}}}}

// TestParserIsBounded: pods beyond those that are remembered are read all the same.
func TestParserIsBounded(t *testing.T) {
	p := vendors.Default().Parser()
	pod := &corev1.Pod{Spec: corev1.PodSpec{Containers: []corev1.Container{{Name: "c"}}}}
	for i := range 5000 {
		pod.Spec.Containers[0].Image = fmt.Sprint(i)
		if _, err := p.Request(pod); err != nil {
			t.Fatal(err)
		}
	}
	first, _ := p.Request(pod)
	if again, _ := p.Request(pod); first == again {
		t.Error("more pods are remembered than told")
	}
}
