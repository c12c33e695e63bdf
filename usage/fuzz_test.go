package usage_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"

	"github.com/accelfit/accelfit/device"
	"github.com/accelfit/accelfit/internal/testkit"
	"github.com/accelfit/accelfit/usage"
	"github.com/accelfit/accelfit/vendors"
	"github.com/accelfit/accelfit/vendors/nvidia"
)

// FuzzRead reads a pod with hostile annotations and applies what it holds to a node. Nothing panics; no amount is negative;
// every device that an unreadable entry begins with takes no new work; the pod and the node are left as they were; and what
// is taken is given back in full.
func FuzzRead(f *testing.F) {
	f.Add("g0,NVIDIA,100,5:;", "", "0", "n1")
	f.Add("g0,NVIDIA,100,5:g1,NVIDIA,x,5:;m0,NVIDIA,4864,15:;", `[{"containerIndex":1,"deviceIndex":0,"gpuUUID":"m0","profile":"1g.5gb","placement":{"start":6,"size":1}}]`, "1", "n1")
	f.Add(";;;;;;g0,,,:zz,NVIDIA,2147483647,2147483647", "null", "00", "n1")
	f.Add("g0,NVIDIA,-1,0;g1", `[{"containerIndex":99,"gpuUUID":"zz","profile":"x","placement":{"start":4294967295,"size":4294967295}}]`, "x", "")
	f.Add(strings.Repeat("g0,NVIDIA,2147483647,2147483647:", 50), "[", "", "n1")
	set := vendors.Default()
	node := testkit.Node("n1", testkit.Card("g0", 24576), testkit.Card("g1", 24576), testkit.MIGCard("m0"))
	in := set.Inventory(node)
	f.Fuzz(func(t *testing.T, allocated, mig, statuses, on string) {
		pod := newPod("p", []device.ContainerClass{device.Init, device.Sidecar, device.App}, device.AnnotationNode, on,
			nvidia.AnnotationAllocated, allocated, device.AnnotationMIGReservation, mig)
		for i, code := range statuses {
			pod.Status.InitContainerStatuses = append(pod.Status.InitContainerStatuses, corev1.ContainerStatus{
				Name:  []string{"c0", "c1", "c9"}[i%3],
				State: corev1.ContainerState{Terminated: &corev1.ContainerStateTerminated{ExitCode: code - '0'}},
			})
		}
		before := pod.DeepCopy()
		h, ok, problems := usage.Read(set, pod)
		if ok != (on != "") {
			t.Fatalf("node %q: holds something: %t", on, ok)
		}
		if !ok {
			return
		}
		got := usage.Apply(in, []usage.Holding{h})
		checkUsage(t, got, h)
		checkProblems(t, allocated, mig, problems, h)
		if diff := cmp.Diff(before, pod); diff != "" {
			t.Errorf("the pod was changed:\n%s", diff)
		}
		if whole, _ := usage.Node(set, node, []*corev1.Pod{pod}); on == "n1" && testkit.Table(whole) != testkit.Table(got) {
			t.Errorf("Node says\n%sRead and Apply\n%s", testkit.Table(whole), testkit.Table(got))
		}
		l, err := usage.Ledger{}.Reserve(h)
		if err != nil {
			t.Fatal(err)
		}
		if back, _, held := l.Release(h.Key()); !held || back.Len() != 0 || !testkit.SameUsage(back.Node(in), device.NewNodeUsage(in)) {
			t.Errorf("%d pods hold something after the release", back.Len())
		}
		q := usage.NewQuotas(set)
		if cmp.Diff(q.Take("team", h.Allocation, nil).Give("team", h.Allocation, nil).Headroom("team"), q.Headroom("team")) != "" {
			t.Error("quota is left over after it was given back")
		}
	})
}

func checkUsage(t *testing.T, n *device.NodeUsage, h usage.Holding) {
	t.Helper()
	for i := range n.Info().Len() {
		if u := n.Device(i); u.Slots < 0 || u.Memory < 0 || u.Cores < 0 {
			t.Errorf("negative amounts:\n%s", testkit.Table(n))
		}
	}
	for _, b := range h.Blocked {
		if i := n.Info().Find(b.Vendor, b.ID); i >= 0 && n.Device(i).Healthy {
			t.Errorf("%s takes new work although its entry cannot be read", b.ID)
		}
	}
}

func checkProblems(t *testing.T, allocated, mig string, problems []device.Problem, h usage.Holding) {
	t.Helper()
	_, _, blocked, err := device.DecodeAllocation(allocated, nvidia.Vendor)
	_, err2 := device.DecodeMIGReservations(mig)
	want := 0
	for _, e := range []error{err, err2} {
		if e != nil {
			want++
		}
	}
	if len(problems) != want || len(h.Blocked) != len(blocked) {
		t.Errorf("%d problems and %d blocked devices, want %d and %d", len(problems), len(h.Blocked), want, len(blocked))
	}
}
