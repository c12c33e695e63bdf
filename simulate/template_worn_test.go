package simulate

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"

	"github.com/accelfit/accelfit/device"
	"github.com/accelfit/accelfit/internal/testkit"
	"github.com/accelfit/accelfit/usage"
	"github.com/accelfit/accelfit/vendors"
)

// wear leaves on a node what weeks of work do: devices that fail, where the vendor can tell, others that are cordoned, a lock,
// a handshake, taints, and less that is allocatable. It returns how many devices failed.
func wear(r *rand.Rand, b device.Backend, n *corev1.Node) (failed int) {
	names := b.Names()
	devices := b.Inventory(n).Devices
	for i := range devices {
		if r.IntN(2) == 0 {
			devices[i].Healthy = false
			failed++
		}
	}
	n.Annotations = cloneOf(n.Annotations)
	worn := n.DeepCopy()
	if b.Describe(worn, devices) == nil {
		*n = *worn
	} else {
		failed = 0
	}
	n.Annotations[device.AnnotationCordon] = devices[r.IntN(len(devices))].ID
	for _, key := range []string{device.AnnotationLock, names.Lock, names.Handshake} {
		if key != "" {
			n.Annotations[key] = "2026-01-01T00:00:00Z,ns,p"
		}
	}
	for name := range n.Status.Allocatable {
		n.Status.Allocatable[name] = resource.MustParse("1")
	}
	n.UID, n.Spec.ProviderID, n.Spec.Unschedulable = "uid", "cloud://1", true
	for _, key := range []string{
		corev1.TaintNodeUnschedulable, corev1.TaintNodeUnreachable, corev1.TaintNodeOutOfService,
		taintUninitialized, taintShutdown, taintToBeDeleted, taintCandidate,
	} {
		n.Spec.Taints = append(n.Spec.Taints, corev1.Taint{Key: key})
	}
	return failed
}

func cloneOf(m map[string]string) map[string]string {
	out := map[string]string{}
	for k, v := range m {
		out[k] = v
	}
	return out
}

func answerText(e *Estimated) string {
	out := fmt.Sprintln(e.LowerBound, e.Optimal, e.Spare, e.Problems)
	for i := range e.Nodes {
		n := &e.Nodes[i]
		out += n.Name + "\n" + testkit.Table(n.Usage)
		for k := range n.Pods {
			out += n.Pods[k].Name + positions(n.Placed[k], n.Usage.Info()) + "\n"
		}
	}
	for _, u := range e.Unplaced {
		out += fmt.Sprintln(u.Pod.Name, u.Err, u.Reasons.Detail(), u.Limit)
	}
	return out
}

// TestWornSamplesAnswerAsCleanOnes: for every vendor, a template made of a node that has failed and cordoned devices, is locked,
// tainted, and busy with pods to the last device, gives the answer of the template that the node was when it was fresh.
func TestWornSamplesAnswerAsCleanOnes(t *testing.T) {
	r := rand.New(rand.NewPCG(testkit.Seed(t), 61))
	set := vendors.Default()
	for _, b := range set.Backends() {
		placed, failed, busy := 0, 0, 0
		for range 15 {
			m := makerOf(r, b)
			clean, err := testkit.Described(b, &m.model, 1+r.IntN(4))
			if err != nil {
				t.Fatal(err)
			}
			clean.Name = "n"
			s, _ := New(set, []*corev1.Node{clean}, nil)
			for i := range 30 {
				if result, err := s.Place(m.pod(fmt.Sprint("old", i)), "n"); err == nil && result.OK() {
					busy++
				}
			}
			sample := s.Object("n").DeepCopy()
			failed += wear(r, b, sample)
			var pods []*corev1.Pod
			for i := range 12 {
				pods = append(pods, m.pod(fmt.Sprint("p", i)))
			}
			want := Estimate(set, Template{Node: clean}, pods, Limits{})
			got := Estimate(set, Template{Node: sample}, pods, Limits{})
			if diff := cmp.Diff(answerText(&want), answerText(&got)); diff != "" {
				t.Fatalf("%s: %s", b.Vendor(), diff)
			}
			for i := range got.Nodes {
				if o := got.Nodes[i].Object; len(o.Spec.Taints) > 0 || o.Spec.Unschedulable || o.Spec.ProviderID != "" {
					t.Fatalf("%s: a new node is %+v", b.Vendor(), o)
				}
				placed += len(got.Nodes[i].Pods)
			}
		}
		if placed == 0 || busy == 0 {
			t.Errorf("%s: %d pods placed, %d on the sample", b.Vendor(), placed, busy)
		}
		t.Logf("%s: %d pods placed, %d on samples, %d devices failed", b.Vendor(), placed, busy, failed)
	}
}

// TestEditedDevicesAreChargedAnew: what pods take of quotas follows the devices, so that nothing is left of it when they go.
func TestEditedDevicesAreChargedAnew(t *testing.T) {
	r := rand.New(rand.NewPCG(testkit.Seed(t), 62))
	set := vendors.Default()
	for _, b := range set.Backends() {
		m := makerOf(r, b)
		node, err := testkit.Described(b, &m.model, 2)
		if err != nil {
			t.Fatal(err)
		}
		s, _ := New(set, []*corev1.Node{node}, nil)
		q := &corev1.ResourceQuota{}
		q.Namespace, q.Name = "team", "q"
		q.Spec.Hard = corev1.ResourceList{}
		for _, name := range []string{m.names.Memory, m.names.Cores} {
			if name != "" {
				q.Spec.Hard[corev1.ResourceName("limits."+name)] = resource.MustParse("1000000")
			}
		}
		s.SetQuota(q)
		empty := fmt.Sprint(s.Quotas().Headroom("team"))
		for i := range 20 {
			if _, err := s.Place(m.pod(fmt.Sprint("p", i)), node.Name); err != nil {
				continue
			}
		}
		holdings := s.Holdings(node.Name)
		if err := s.EditDevices(node.Name, func(d *device.DeviceInfo) { d.Cores, d.Memory = d.Cores*2+1, d.Memory*2 }); err != nil {
			t.Fatal(err)
		}
		want := usage.NewQuotas(set).Set(q)
		u, _ := s.Node(node.Name)
		for _, h := range holdings {
			want = want.Take(h.Namespace, h.Allocation, u.Info())
		}
		if got, want := fmt.Sprint(s.Quotas().Headroom("team")), fmt.Sprint(want.Headroom("team")); got != want {
			t.Errorf("%s: headroom %s, want %s", b.Vendor(), got, want)
		}
		for _, h := range holdings {
			if err := s.Remove(h.Key()); err != nil {
				t.Fatal(err)
			}
		}
		if got := fmt.Sprint(s.Quotas().Headroom("team")); got != empty {
			t.Errorf("%s: with all pods gone, headroom %s, want %s", b.Vendor(), got, empty)
		}
	}
}

// TestLongShapesAreNotRemembered: pods whose annotations are megabytes do not fill a snapshot's memory, and are answered alike.
func TestLongShapesAreNotRemembered(t *testing.T) {
	set := vendors.Default()
	s, _ := New(set, []*corev1.Node{testkit.Node("a", testkit.Card("g", 1000)), testkit.Node("b", testkit.Card("g", 1000))}, nil)
	for i := range 3 {
		pod := &corev1.Pod{}
		pod.Name = fmt.Sprint("p", i)
		pod.Annotations = map[string]string{"nvidia.com/use-gputype": fmt.Sprint("L4,", i, strings.Repeat("x", 1<<20))}
		c := corev1.Container{}
		c.Resources.Limits = corev1.ResourceList{"nvidia.com/gpu": resource.MustParse("1"), "nvidia.com/gpumem": resource.MustParse("10")}
		pod.Spec.Containers = append(pod.Spec.Containers, c)
		if result, err := s.PlaceAnywhere(pod, PlaceOptions{}); err != nil || result.Node != "a" {
			t.Errorf("%+v, %v", result, err)
		}
	}
	if len(s.memo.shapes) > 0 {
		t.Errorf("%d shapes are remembered", len(s.memo.shapes))
	}
}
