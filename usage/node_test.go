package usage_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"

	"github.com/accelfit/accelfit/device"
	"github.com/accelfit/accelfit/internal/testkit"
	"github.com/accelfit/accelfit/usage"
	"github.com/accelfit/accelfit/vendors"
	"github.com/accelfit/accelfit/vendors/nvidia"
)

// naive adds holdings up the long way: every amount from scratch, straight from spec core §5 and §6.
func naive(info *device.NodeInfo, holdings []usage.Holding) *device.NodeUsage {
	return device.NewNodeUsage(info).Update(func(devices []device.DeviceUsage) {
		for i := range devices {
			for _, h := range holdings {
				naiveDevice(info, i, &devices[i], h)
			}
		}
	})
}

func naiveDevice(info *device.NodeInfo, i int, u *device.DeviceUsage, h usage.Holding) {
	d := info.Device(i)
	peak := map[device.ContainerClass]device.Hold{} // sums; of init containers maxima
	held, reserved := false, false
	for _, e := range h.Allocation.Devices {
		if e.ID != d.ID {
			continue
		}
		held = true
		class := h.Allocation.Classes[e.Container]
		p := peak[class]
		if class == device.Init {
			p = device.Hold{Slots: 1, Memory: max(p.Memory, e.Memory), Cores: max(p.Cores, e.Cores)}
		} else {
			p = device.Hold{Slots: p.Slots + 1, Memory: p.Memory + e.Memory, Cores: p.Cores + e.Cores}
		}
		peak[class] = p
	}
	side, app, init := peak[device.Sidecar], peak[device.App], peak[device.Init]
	u.Slots += side.Slots + max(app.Slots, init.Slots)
	u.Memory += side.Memory + max(app.Memory, init.Memory)
	u.Cores += side.Cores + max(app.Cores, init.Cores)
	for _, r := range h.Reservations {
		known := slices.ContainsFunc(info.Inventory(nvidia.Vendor).Devices, func(d device.DeviceInfo) bool { return d.ID == r.GPUUUID })
		switch {
		case r.GPUUUID == d.ID && d.Mode == "mig":
			reserved = true
			u.State = append(slices.Clone(u.MIG()), device.MIGInstance{Profile: r.Profile, Placement: r.Placement})
		case r.GPUUUID == d.ID, !known && d.Mode == "mig":
			u.Healthy = false
		}
	}
	if d.Mode == "mig" && held && !reserved || slices.Contains(h.Blocked, usage.DeviceRef{Vendor: nvidia.Vendor, ID: d.ID}) {
		u.Healthy = false
	}
}

// TestApplyAgainstNaive compares Apply with the naive sums, in the given and in a random order of the holdings, and checks
// that it changes nothing it was handed.
func TestApplyAgainstNaive(t *testing.T) {
	r := testkit.Rand(t)
	in := info("n1")
	for range 500 {
		var holdings []usage.Holding
		for i := range r.IntN(7) {
			holdings = append(holdings, randomHolding(r, i))
		}
		before := deepCopies(holdings)
		got := usage.Apply(in, holdings)
		if want := naive(in, holdings); testkit.Table(got) != testkit.Table(want) {
			t.Fatalf("%+v:\n%swant\n%s", holdings, testkit.Table(got), testkit.Table(want))
		}
		if diff := cmp.Diff(before, holdings); diff != "" {
			t.Fatalf("holdings were changed:\n%s", diff)
		}
		r.Shuffle(len(holdings), func(i, k int) { holdings[i], holdings[k] = holdings[k], holdings[i] })
		if shuffled := usage.Apply(in, holdings); !testkit.SameUsage(got, shuffled) {
			t.Fatalf("in another order:\n%swant\n%s", testkit.Table(shuffled), testkit.Table(got))
		}
	}
}

func deepCopies(hs []usage.Holding) (out []usage.Holding) {
	for _, h := range hs {
		out = append(out, h.DeepCopy())
	}
	return out
}

// TestAnnotationsSayWhatWasPlaced: a pod that is read back from the annotations written for it holds exactly what the fit
// gave it, MIG instances included, and the node's usage is the same.
func TestAnnotationsSayWhatWasPlaced(t *testing.T) {
	set := vendors.Default()
	node := testkit.Node("n1", testkit.Card("g0", 24576), testkit.MIGCard("m0"), testkit.MIGCard("m1"))
	var pods []*corev1.Pod
	n, problems := usage.Node(set, node, nil)
	for i, pod := range []*corev1.Pod{
		asking("a", 1, 4000), asking("b", 2, 4000), asking("c", 1, 20000), asking("d", 3, 1000), asking("e", 2, 1000),
	} {
		r, err := set.Request(pod)
		if err != nil {
			t.Fatal(err)
		}
		fit := set.Fit(r, n)
		if !fit.OK() {
			t.Fatalf("pod %d: %s", i, fit.Reasons.String())
		}
		n = n.With(fit.Allocation)
		pod = pod.DeepCopy()
		for key, value := range set.Annotations(pod, n.Info(), fit.Allocation, time.Time{}) {
			pod.Annotations[key] = value
		}
		pods = append(pods, pod)
		want, got := usage.Of(r, "n1", fit.Allocation), mustRead(t, set, pod)
		for k := range want.Allocation.Devices { // not on the wire
			want.Allocation.Devices[k].Index, want.Allocation.Devices[k].MIG = 0, device.MIGInstance{}
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("pod %s reads back otherwise:\n%s", pod.Name, diff)
		}
	}
	again, more := usage.Node(set, node, pods)
	if !testkit.SameUsage(n, again) || len(problems)+len(more) > 0 {
		t.Errorf("usage\n%swant\n%sproblems %v %v", testkit.Table(again), testkit.Table(n), problems, more)
	}
}

func TestNodeReportsProblems(t *testing.T) {
	set := vendors.Default()
	node := testkit.Node("n1", testkit.Card("g0", 100), testkit.Card("g0", 200))
	n, problems := usage.Node(set, node, []*corev1.Pod{onNode("p", "n1", "g0,NVIDIA,x,0:;"), onNode("q", "n2", "g0,NVIDIA,x,0:;")})
	if n.Info().Len() != 1 || n.Device(0).Healthy {
		t.Errorf("usage\n%swant one device that takes no new work", testkit.Table(n))
	}
	var objects []string
	for _, p := range problems {
		objects = append(objects, p.Object)
	}
	if got := strings.Join(objects, ", "); got != "node n1, pod team/p" {
		t.Errorf("problems of %s: %v, want of the node and of the pod that is on it", got, problems)
	}
}

// TestDeepCopyIsDeep changes every slice and pointer of a copy.
func TestDeepCopyIsDeep(t *testing.T) {
	gpu, compute := uint32(1), uint32(2)
	h := usage.Holding{
		Namespace: "a", Name: "b", UID: "u", Node: "n",
		Allocation:   &device.Allocation{Classes: []device.ContainerClass{device.App}, Devices: []device.ContainerDevice{{ID: "g0"}}},
		Reservations: []device.MIGReservation{{GPUUUID: "g0", GPUInstanceID: &gpu, ComputeInstanceID: &compute}},
		Blocked:      []usage.DeviceRef{{Vendor: "NVIDIA", ID: "g1"}},
	}
	before := fmt.Sprintf("%+v %+v %d %d", h.Allocation, h.Blocked, gpu, compute)
	c := h.DeepCopy()
	if diff := cmp.Diff(h, c); diff != "" {
		t.Errorf("the copy differs:\n%s", diff)
	}
	c.Allocation.Classes[0], c.Allocation.Devices[0].ID, c.Blocked[0].ID = device.Init, "x", "x"
	*c.Reservations[0].GPUInstanceID, *c.Reservations[0].ComputeInstanceID = 7, 8
	c.Reservations[0].GPUUUID = "x"
	if after := fmt.Sprintf("%+v %+v %d %d", h.Allocation, h.Blocked, gpu, compute); after != before || h.Reservations[0].GPUUUID != "g0" {
		t.Errorf("the original is now %s %+v, want %s", after, h.Reservations, before)
	}
	if empty := (usage.Holding{}).DeepCopy(); cmp.Diff(usage.Holding{}, empty) != "" {
		t.Errorf("a copy of nothing is %+v", empty)
	}
}
