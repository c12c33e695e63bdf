package simulate_test

import (
	"slices"
	"testing"

	corev1 "k8s.io/api/core/v1"

	"github.com/accelfit/accelfit/device"
	"github.com/accelfit/accelfit/internal/testkit"
	"github.com/accelfit/accelfit/simulate"
	"github.com/accelfit/accelfit/usage"
	"github.com/accelfit/accelfit/vendors"
)

func replay(t *testing.T, node *corev1.Node, pods ...*corev1.Pod) simulate.Replayed {
	t.Helper()
	set := vendors.Default()
	return simulate.Replay(set, set.Inventory(node), pods, simulate.ReplayOptions{})
}

// memory is what is taken of each device, in MiB; -1 stands for a device that takes no new work.
func memory(u *device.NodeUsage) (out []int64) {
	for _, d := range u.Devices() {
		if d.Healthy {
			out = append(out, d.Memory)
		} else {
			out = append(out, -1)
		}
	}
	return out
}

// bound is a pod as a live scheduler leaves it on a node, with device g1.
func bound(name, node string) *corev1.Pod {
	p := podOf(name + " gpu=1 mem=6000 hami.io/vgpu-node=" + node)
	p.Annotations["hami.io/vgpu-devices-allocated"] = "g1,NVIDIA,6000,0:;"
	p.Spec.NodeName = node
	return p
}

func TestReplay(t *testing.T) {
	small := podOf("small gpu=1 mem=3000")
	twice := podOf("twice gpu=1 mem=6000")
	done := podOf("done gpu=1 mem=6000")
	done.Status.Phase = corev1.PodSucceeded
	moved := bound("moved", "n")
	moved.Spec.NodeName = ""
	gone := bound("gone", "n")
	gone.Annotations["hami.io/vgpu-devices-allocated"] = "of-another-node,NVIDIA,6000,0:;"
	for _, test := range []struct {
		why      string
		pods     []*corev1.Pod
		want     []int64
		unplaced int
	}{
		{"nothing", nil, []int64{0, 0}, 0},
		{"on record", []*corev1.Pod{bound("p", "n")}, []int64{0, 6000}, 0},
		{"the larger first, whatever the order", []*corev1.Pod{small, podOf("large gpu=1 mem=9000")}, []int64{3000, 9000}, 0},
		{"on record before what is placed", []*corev1.Pod{podOf("a gpu=1 mem=9000"), bound("p", "n")}, []int64{9000, 6000}, 0},
		{"listed twice", []*corev1.Pod{twice, twice}, []int64{6000, 6000}, 0},
		{"on record and listed twice: a second one of its kind", []*corev1.Pod{bound("p", "n"), bound("p", "n")}, []int64{6000, 6000}, 0},
		{"a copy that is to move here from elsewhere", []*corev1.Pod{bound("p", "m"), podOf("q gpu=1 mem=6000")}, []int64{6000, 6000}, 0},
		{"a copy that is not bound", []*corev1.Pod{moved}, []int64{0, 6000}, 0},
		{"devices of another node", []*corev1.Pod{gone}, []int64{0, 6000}, 0},
		{"ended, none, without devices", []*corev1.Pod{done, nil, podOf("cpu")}, []int64{0, 0}, 0},
		{"no room: nothing is given any more", []*corev1.Pod{twice, twice, twice}, []int64{-1, -1}, 1},
	} {
		t.Run(test.why, func(t *testing.T) {
			got := replay(t, testkit.Node("n", cards(2, 10000)...), test.pods...)
			if !slices.Equal(memory(got.Usage), test.want) || len(got.Unplaced) != test.unplaced || len(got.Problems) > 0 {
				t.Errorf("%v, unplaced %d, problems %v; want %v", memory(got.Usage), len(got.Unplaced), got.Problems, test.want)
			}
		})
	}
}

func TestReplayTellsOfInvalidRequests(t *testing.T) {
	got := replay(t, testkit.Node("n", cards(2, 10000)...), podOf("bad gpu=-1"))
	if len(got.Problems) != 1 || len(got.Holdings) != 0 {
		t.Errorf("%+v", got)
	}
}

// TestReplayTriesOtherOrders: the large pod, which would take either card, must leave the only one that the small pod may use.
func TestReplayTriesOtherOrders(t *testing.T) {
	list := cards(2, 10000)
	list[0].Type, list[1].Type = "NVIDIA-NVIDIA L4", "NVIDIA-NVIDIA A100"
	got := replay(t, testkit.Node("n", list...), podOf("large gpu=1 mem=9000"), podOf("small gpu=1 mem=3000 nvidia.com/use-gputype=A100"))
	if len(got.Unplaced) > 0 || !slices.Equal(memory(got.Usage), []int64{9000, 3000}) {
		t.Errorf("%v, unplaced %d", memory(got.Usage), len(got.Unplaced))
	}
}

// TestReplayHeld: what the host reserved counts although no annotation tells of it.
func TestReplayHeld(t *testing.T) {
	set := vendors.Default()
	node := testkit.Node("n", cards(2, 10000)...)
	pod := podOf("p uid=1 gpu=1 mem=6000")
	request, err := set.Request(pod)
	if err != nil {
		t.Fatal(err)
	}
	first := &device.Allocation{Devices: []device.ContainerDevice{{ID: "g0", Vendor: "NVIDIA", Memory: 6000}}}
	got := simulate.Replay(set, set.Inventory(node), []*corev1.Pod{pod}, simulate.ReplayOptions{
		Held: func(p *corev1.Pod) (usage.Holding, bool) { return usage.Of(request, "n", first), p.UID == "1" },
	})
	if want := []int64{6000, 0}; !slices.Equal(memory(got.Usage), want) {
		t.Errorf("%v, want %v", memory(got.Usage), want)
	}
}
