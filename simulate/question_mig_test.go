package simulate_test

import (
	"errors"
	"testing"

	corev1 "k8s.io/api/core/v1"

	"github.com/accelfit/accelfit/internal/testkit"
	"github.com/accelfit/accelfit/simulate"
	"github.com/accelfit/accelfit/vendors"
)

// mixedNodes are one with a card in mode mig and a shared one, and one with a shared one.
func mixedNodes() []*corev1.Node {
	return []*corev1.Node{testkit.Node("n0", testkit.MIGCard("m0"), testkit.Card("g1", 10000)), testkit.Node("n1", testkit.Card("g0", 10000))}
}

// mustPlace places a pod on a device of a node.
func mustPlace(t *testing.T, s *simulate.Snapshot, pod *corev1.Pod, node, id string) *corev1.Pod {
	t.Helper()
	if r, err := s.PlaceWith(pod, node, vendors.FitOptions{Only: vendors.OnlyIDs(id)}); err != nil || !r.OK() {
		t.Fatal(pod.Name, r, err)
	}
	return pod
}

// TestMakeRoomFreesInstances: a pod that goes from a card in mode mig frees its instance, also where the instance is known
// from the pod's annotations only.
func TestMakeRoomFreesInstances(t *testing.T) {
	nodes := []*corev1.Node{testkit.Node("n0", testkit.MIGCard("m0")), testkit.Node("n1", testkit.MIGCard("m0"))}
	s := newSnapshot(t, vendors.Default(), nodes)
	var running []*corev1.Pod
	for _, name := range []string{"a", "b"} {
		pod := mustPlace(t, s, podOf(name+" gpu=1 mem=19000"), "n0", "m0")
		annotate(t, s, pod)
		running = append(running, pod)
	}
	only0 := func(pod *corev1.Pod, node *corev1.Node, _ simulate.Change) error {
		if pod.Name == "new" && node.Name != "n0" {
			return errors.New("not there")
		}
		return nil
	}
	for name, from := range map[string]*simulate.Snapshot{"placed": s, "read": newSnapshot(t, vendors.Default(), nodes, running...)} {
		pod := podOf("new gpu=1 mem=19000")
		room, err := from.MakeRoom(pod, running, simulate.MoveOptions{Allow: only0})
		if err != nil || room.Node != "n0" || len(room.Moves) != 1 || room.Moves[0].To != "n1" {
			t.Errorf("%s: on %q by %d moves, complete %t, %v", name, room.Node, len(room.Moves), room.Complete, err)
		}
	}
}

// TestMakeRoomFreesQuota: an instance counts as a whole, so that a pod that goes to a shared card needs less of the quota there.
func TestMakeRoomFreesQuota(t *testing.T) {
	s := newSnapshot(t, vendors.Default(), mixedNodes())
	p := mustPlace(t, s, podOf("p gpu=1 mem=8000"), "n0", "m0") // an instance of 9,856 MiB
	s.SetQuota(quotaOf("team", "q", map[string]string{"limits.nvidia.com/gpumem": "10000"}))
	pod := podOf("new gpu=1 mem=1000 nvidia.com/vgpu-mode=hami-core")
	room, err := s.MakeRoom(pod, []*corev1.Pod{p}, simulate.MoveOptions{})
	if err != nil || len(room.Moves) != 1 {
		t.Fatalf("on %q by %d moves, complete %t, %v", room.Node, len(room.Moves), room.Complete, err)
	}
	redo(t, s, room.Moves, pod, room.Node)
}

// TestDrainLeavesTheQuotaOfStuckPods: what pods without another place hold is not there for those that have one.
func TestDrainLeavesTheQuotaOfStuckPods(t *testing.T) {
	nodes := []*corev1.Node{testkit.Node("n0", cards(2, 10000)...), testkit.Node("n1", testkit.MIGCard("m0"))}
	s := newSnapshot(t, vendors.Default(), nodes)
	running := []*corev1.Pod{
		mustPlace(t, s, podOf("a gpu=1 mem=8000"), "n0", "g0"),  // an instance of 9,856 MiB on n1
		mustPlace(t, s, podOf("b gpu=1 mem=10000"), "n0", "g1"), // one of 19,968
	}
	for limit, want := range map[string]int{"19000": 0, "19856": 1} {
		s.SetQuota(quotaOf("team", "q", map[string]string{"limits.nvidia.com/gpumem": limit}))
		d, err := s.Drain("n0", running, simulate.MoveOptions{})
		if err != nil || d.OK || !d.Complete || len(d.Moves) != want || len(d.Stuck) != 2-want {
			t.Errorf("quota %s: %d moves, want %d; %d stuck, %v", limit, len(d.Moves), want, len(d.Stuck), err)
		}
		redo(t, s, d.Moves, nil, "")
	}
}
