package simulate

import (
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/accelfit/accelfit/device"
	"github.com/accelfit/accelfit/internal/testkit"
	"github.com/accelfit/accelfit/vendors"
)

// TestReplayDoesNotDependOnTheOrder: random pods, some on record, in two orders.
func TestReplayDoesNotDependOnTheOrder(t *testing.T) {
	set, seed, compared := vendors.Default(), uint64(1), 0
	for round := range 200 {
		r := rand.New(rand.NewPCG(seed, uint64(round)))
		m := makerOf(r, testkit.OneOf(r, set.Backends()...))
		node := m.node(t, 1+r.IntN(8))
		snapshot, _ := New(set, []*corev1.Node{node}, nil)
		var pods []*corev1.Pod
		for i := range r.IntN(12) {
			pod := m.pod(string(rune('a' + i)))
			result, err := snapshot.Place(pod, node.Name)
			if err != nil || !result.OK() {
				continue
			}
			if r.IntN(2) == 0 {
				record(set, pod, node, result.Allocation)
			}
			pods = append(pods, pod)
		}
		info := set.Inventory(node)
		first := Replay(set, info, pods, ReplayOptions{})
		r.Shuffle(len(pods), func(i, j int) { pods[i], pods[j] = pods[j], pods[i] })
		again := Replay(set, info, pods, ReplayOptions{})
		if len(first.Unplaced) > 0 || len(again.Unplaced) > 0 {
			continue // pods were tried in the order in which they were listed
		}
		compared++
		if !slices.EqualFunc(first.Usage.Devices(), again.Usage.Devices(), func(a, b device.DeviceUsage) bool {
			return a.Memory == b.Memory && a.Cores == b.Cores && a.Slots == b.Slots && a.Healthy == b.Healthy
		}) {
			t.Fatalf("seed %d, round %d: %v, then %v", seed, round, first.Usage.Devices(), again.Usage.Devices())
		}
	}
	if compared < 150 {
		t.Errorf("only %d of 200 rounds found room for all", compared)
	}
}

// record writes on a pod what a live scheduler would.
func record(set *vendors.Set, pod *corev1.Pod, node *corev1.Node, a *device.Allocation) {
	for key, value := range set.Annotations(pod, set.Inventory(node), a, time.Unix(0, 0)) {
		if pod.Annotations == nil {
			pod.Annotations = map[string]string{}
		}
		pod.Annotations[key] = value
	}
	pod.Spec.NodeName = node.Name
}

// TestReplayOfRecordsIsTheSnapshot: pods that are all on record hold what the snapshot gave them.
func TestReplayOfRecordsIsTheSnapshot(t *testing.T) {
	set := vendors.Default()
	for _, b := range set.Backends() {
		r := rand.New(rand.NewPCG(7, 7))
		m := makerOf(r, b)
		node := m.node(t, 4)
		snapshot, _ := New(set, []*corev1.Node{node}, nil)
		var pods []*corev1.Pod
		for i := range 8 {
			pod := m.pod(string(rune('a' + i)))
			if result, err := snapshot.Place(pod, node.Name); err == nil && result.OK() {
				record(set, pod, node, result.Allocation)
				pods = append(pods, pod)
			}
		}
		got := Replay(set, set.Inventory(node), pods, ReplayOptions{})
		want, _ := snapshot.Node(node.Name)
		for i, d := range got.Usage.Devices() {
			if w := want.Device(i); d.Memory != w.Memory || d.Cores != w.Cores || d.Slots != w.Slots {
				t.Errorf("%s device %d: %+v, the snapshot has %+v", b.Vendor(), i, d, w)
			}
		}
	}
}
