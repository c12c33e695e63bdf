package live

import (
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/accelfit/accelfit/device"
	"github.com/accelfit/accelfit/vendors"
)

// Whatever is asked about pods that are not there, or not to be placed, changes nothing: neither what is booked nor any object.
func TestHostileCallsChangeNothing(t *testing.T) {
	c := e24(t)
	bound := holding(asking("bound", 1000, 10), "n2", "b0,NVIDIA,1000,10:;")
	bound.Spec.NodeName = "n2"
	c.create(bound)
	s, _ := running(t, c, Options{})
	eventually(t, "the state", func() bool { return usageOf(s, "n2") == "b0 1/1000/10" })
	before := snapshotOf(t, c, s)
	const seed = 6
	random := rand.New(rand.NewPCG(seed, seed))
	for i := range 500 {
		pod := hostile(random, bound)
		args := call(pod, "n1", "n2", strings.Repeat("x", random.IntN(300)))
		switch i % 3 {
		case 0:
			if r := s.Filter(t.Context(), args); r.Error == "" && r.NodeNames != nil && len(*r.NodeNames) == 1 {
				t.Errorf("seed %d, call %d: pod %+v was placed", seed, i, pod)
			}
		case 1:
			_, _ = s.Prioritize(t.Context(), args)
		case 2:
			node := []string{"", "n1", "n3", strings.Repeat("n", 5000)}[random.IntN(4)]
			if r := s.Bind(t.Context(), binding(pod, node)); r.Error == "" {
				t.Errorf("seed %d, call %d: pod %+v was bound", seed, i, pod)
			}
		}
	}
	if after := snapshotOf(t, c, s); !reflect.DeepEqual(before, after) {
		t.Errorf("seed %d: before %v, after %v", seed, before, after)
	}
}

// hostile is a pod that is not there, or one that is but bound, with a request of any kind.
func hostile(random *rand.Rand, bound *corev1.Pod) *corev1.Pod {
	pod := asking(fmt.Sprintf("ghost-%d", random.IntN(20)), random.Int64N(20000)-100, random.Int64N(200)-50)
	switch random.IntN(6) {
	case 0:
		pod.ObjectMeta = *bound.ObjectMeta.DeepCopy()
	case 1:
		pod.UID = bound.UID // under another name
	case 2:
		pod.Name, pod.UID = bound.Name, "another"
	case 3:
		pod.UID = ""
	case 4:
		pod.UID = types.UID(strings.Repeat("u", 10000))
	}
	limits := pod.Spec.Containers[0].Resources.Limits
	limits["nvidia.com/gpu"] = []resource.Quantity{
		resource.MustParse("1"), resource.MustParse("-1"), resource.MustParse("9223372036854775807"), resource.MustParse("1500m"),
	}[random.IntN(4)]
	pod.Annotations = map[string]string{
		device.AnnotationNode:    []string{"n1", "n2", "\x00"}[random.IntN(3)],
		device.AnnotationWeights: []string{"slot=1,core=1,memory=1", "x"}[random.IntN(2)],
	}
	return pod
}

// snapshotOf is all that a call could change.
func snapshotOf(t *testing.T, c *cluster, s *Scheduler) (out []string) {
	pods, err := c.CoreV1().Pods("").List(t.Context(), metav1.ListOptions{})
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range pods.Items {
		out = append(out, fmt.Sprint(p.Name, p.ResourceVersion, p.Annotations, p.Labels, p.Spec.NodeName))
	}
	for _, n := range []string{"n1", "n2"} {
		out = append(out, usageOf(s, n), c.node(n).Annotations[device.AnnotationLock])
	}
	s.state.mu.Lock()
	defer s.state.mu.Unlock()
	out = append(out, fmt.Sprint(s.state.ledger.Len(), len(s.state.charged), len(s.state.flights)))
	slices.Sort(out)
	return out
}

// BenchmarkFilter is a filter call over 1000 nodes of eight cards, each half full, without the API server. The bound is one
// fit on every node.
func BenchmarkFilter(b *testing.B) {
	s, names := large(b)
	pod := asking("p", 1000, 10)
	r, err := s.set.Request(pod)
	if err != nil {
		b.Fatal(err)
	}
	b.Run("place/nodes=1000", func(b *testing.B) {
		b.ReportAllocs()
		for range b.N {
			s.place(r, names)
		}
	})
	b.Run("bound/nodes=1000", func(b *testing.B) {
		v := s.state.view(names, "team", "")
		for range b.N {
			for _, u := range v.usages {
				s.set.Fit(r, u)
			}
		}
	})
}

func large(b *testing.B) (*Scheduler, []string) {
	var ids []string
	for i := range 8 {
		ids = append(ids, fmt.Sprintf("g%d", i))
	}
	c := newCluster(b)
	s := New(vendors.Default(), c, Options{})
	var names []string
	for i := range 1000 {
		name := fmt.Sprintf("n%04d", i)
		names = append(names, name)
		s.onNode(nvidiaNode(b, name, ids...))
		s.state.setPod(holding(plain("on-"+name), name, "g0,NVIDIA,5000,50:g1,NVIDIA,5000,50:;"))
	}
	s.ready.set(nil)
	return s, names
}
