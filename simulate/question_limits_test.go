package simulate_test

import (
	"errors"
	"fmt"
	"math"
	"testing"

	corev1 "k8s.io/api/core/v1"

	"github.com/accelfit/accelfit/device"
	"github.com/accelfit/accelfit/internal/testkit"
	"github.com/accelfit/accelfit/simulate"
	"github.com/accelfit/accelfit/vendors"
)

// TestQuestionsAboutNothing: unknown nodes, invalid pods and limits of any size.
func TestQuestionsAboutNothing(t *testing.T) {
	set := vendors.Default()
	s := newSnapshot(t, set, []*corev1.Node{testkit.Node("n0", cards(2, 10000)...), testkit.Node("n1", cards(2, 10000)...)})
	a, b := podOf("a gpu=2 mem=6000"), podOf("b gpu=2 mem=5000")
	for pod, node := range map[*corev1.Pod]string{a: "n0", b: "n1"} {
		if result, err := s.Place(pod, node); err != nil || !result.OK() {
			t.Fatal(result, err)
		}
	}
	bad := podOf("bad gpu=1 mem=-1")
	huge := simulate.MoveOptions{MaxMoves: math.MaxInt, MaxTries: math.MaxInt}
	least := simulate.MoveOptions{MaxMoves: math.MinInt, MaxTries: 1}
	if _, err := s.Drain("n9", nil, huge); !errors.Is(err, simulate.ErrNoNode) {
		t.Errorf("unknown node: %v", err)
	}
	var request *device.RequestError
	if _, err := s.MakeRoom(bad, nil, huge); !errors.As(err, &request) {
		t.Errorf("invalid pod: %v", err)
	}
	if _, err := s.Capacity(bad, simulate.CapacityOptions{}); !errors.As(err, &request) {
		t.Errorf("invalid pod: %v", err)
	}
	if _, err := s.Fragments(bad, simulate.FragmentOptions{}); !errors.As(err, &request) {
		t.Errorf("invalid pod: %v", err)
	}
	if _, err := s.Fragments(podOf("none"), simulate.FragmentOptions{}); !errors.Is(err, simulate.ErrNoDevices) {
		t.Errorf("pod without devices: %v", err)
	}
	if _, err := s.MakeRoom(a, nil, huge); !errors.Is(err, simulate.ErrPlaced) {
		t.Errorf("pod that is placed: %v", err)
	}
	room, err := s.MakeRoom(podOf("c gpu=1 mem=8000"), []*corev1.Pod{a, b}, huge)
	if err != nil || room.OK() || !room.Complete {
		t.Errorf("no pod can move: %+v, %v", room, err)
	}
	room, err = s.MakeRoom(podOf("c gpu=1 mem=8000"), []*corev1.Pod{a, b}, least)
	if err != nil || room.OK() {
		t.Errorf("no moves allowed: %+v, %v", room, err)
	}
	out, err := s.Drain("n0", nil, huge)
	if err != nil || out.OK || len(out.Stuck) != 1 || !errors.Is(out.Stuck[0].Err, simulate.ErrUnknownPod) || !out.Complete {
		t.Errorf("pod that is not given: %+v, %v", out, err)
	}
	out, err = s.Drain("n0", []*corev1.Pod{a}, simulate.MoveOptions{Movable: func(*corev1.Pod) bool { return false }})
	if err != nil || !out.OK || len(out.Stays) != 1 {
		t.Errorf("pod that goes with the node: %+v, %v", out, err)
	}
	c, err := s.Capacity(podOf("none"), simulate.CapacityOptions{MaxPerNode: 3})
	if err != nil || !c.Capped || c.Total != 6 {
		t.Errorf("pods that ask for nothing: %+v, %v", c, err)
	}
}

// TestTriesBoundSearches: a search ends, and says that it was cut short.
func TestTriesBoundSearches(t *testing.T) {
	set := vendors.Default()
	var nodes []*corev1.Node
	for i := range 8 {
		nodes = append(nodes, testkit.Node(fmt.Sprintf("n%d", i), cards(8, 10000)...))
	}
	s := newSnapshot(t, set, nodes)
	var pods []*corev1.Pod
	for i := range 8 * 8 * 2 {
		pod := podOf(fmt.Sprintf("p%d gpu=1 mem=%d", i, 4000+i))
		if result, err := s.PlaceAnywhere(pod, simulate.PlaceOptions{}); err == nil && result.OK() {
			pods = append(pods, pod)
		}
	}
	for _, tries := range []int{1, 10, 1000, 20000} {
		asked := 0
		o := simulate.MoveOptions{MaxMoves: 6, MaxTries: tries, Allow: func(*corev1.Pod, *corev1.Node, simulate.Change) error {
			asked++
			return nil
		}}
		room, err := s.MakeRoom(podOf("new gpu=8 mem=9000"), pods, o)
		if err != nil || room.OK() || room.Complete || asked > tries+64 {
			t.Errorf("%d tries: asked %d times, %+v, %v", tries, asked, room, err)
		}
		asked = 0
		out, err := s.Drain("n0", pods, o)
		if err != nil || out.OK {
			t.Errorf("%d tries: %+v, %v", tries, out.OK, err)
		}
	}
}

// TestQuestionsAskAboutTheRest: what is not a device is asked about with what the question has changed.
func TestQuestionsAskAboutTheRest(t *testing.T) {
	s := newSnapshot(t, vendors.Default(), []*corev1.Node{testkit.Node("n0", cards(4, 10000)...), testkit.Node("n1", cards(4, 10000)...)})
	pods := podsOf(3, "gpu=1 mem=1000")
	for _, p := range pods {
		if _, err := s.Place(p, "n0"); err != nil {
			t.Fatal(err)
		}
	}
	// A node takes three pods: n0 is full.
	running := map[string]int{"n0": 3}
	allow := func(_ *corev1.Pod, node *corev1.Node, since simulate.Change) error {
		if running[node.Name]+len(since.Added)-len(since.Removed) >= 3 {
			return errors.New("full")
		}
		return nil
	}
	c, err := s.Capacity(podOf("new gpu=1 mem=1000"), simulate.CapacityOptions{Allow: allow})
	if err != nil || c.Nodes[0].Pods != 0 || c.Nodes[0].Last.String() != "n0: full" || c.Nodes[1].Pods != 3 || c.Total != 3 {
		t.Errorf("capacity: %+v, %v", c, err)
	}
	f, err := s.Fragments(podOf("new gpu=1 mem=1000"), simulate.FragmentOptions{Allow: allow})
	if err != nil || f.Nodes[0].Refused == nil || f.Nodes[0].Memory != 0 || f.Nodes[1].Memory != 10000 || f.Nodes[1].Devices != 4 {
		t.Errorf("fragments: %+v, %v", f, err)
	}
	d, err := s.Drain("n0", pods, simulate.MoveOptions{Allow: allow})
	if err != nil || !d.OK || len(d.Moves) != 3 {
		t.Errorf("drain: %+v, %v", d, err)
	}
	filler := podsOf(1, "gpu=4 mem=1000 ns=other")
	running["n1"] = 2
	d, err = s.Drain("n0", append(pods, filler...), simulate.MoveOptions{Allow: allow})
	if err != nil || d.OK || len(d.Moves) != 1 || len(d.Stuck) != 2 || d.Stuck[0].Refused[0].String() != "n1: full" {
		t.Errorf("drain beside two: %+v, %v", d, err)
	}
	only0 := func(pod *corev1.Pod, node *corev1.Node, since simulate.Change) error {
		if pod.Name == "new" && node.Name != "n0" {
			return errors.New("not there")
		}
		return allow(pod, node, since)
	}
	room, err := s.MakeRoom(podOf("new gpu=4 mem=9500"), pods, simulate.MoveOptions{Allow: only0, MaxMoves: 3})
	if err != nil || room.OK() || !room.Complete {
		t.Errorf("makeroom with room for one only: %+v, %v", room, err)
	}
	running["n1"] = 0
	room, err = s.MakeRoom(podOf("new gpu=4 mem=9500"), pods, simulate.MoveOptions{Allow: only0, MaxMoves: 3})
	if err != nil || room.Node != "n0" || len(room.Moves) != 3 {
		t.Errorf("makeroom: %+v, %v", room, err)
	}
}

// TestFitOptionsInSimulate: what a caller asks of a fit holds wherever pods are placed.
func TestFitOptionsInSimulate(t *testing.T) {
	set := vendors.Default()
	nodes := []*corev1.Node{testkit.Node("n0", cards(2, 10000)...), testkit.Node("n1", cards(2, 10000)...)}
	s := newSnapshot(t, set, nodes)
	driver := vendors.FitOptions{Reserved: func(*device.NodeInfo, *device.DeviceInfo) int64 { return 1000 }}
	on1 := vendors.FitOptions{Only: func(n *device.NodeInfo, d *device.DeviceInfo) bool { return n.Name() == "n1" && d.ID == "g0" }}
	big, small := podOf("big gpu=1 mem=9500"), podOf("small gpu=1 mem=4500")
	result, err := s.Fork().PlaceAnywhere(big, simulate.PlaceOptions{Fit: driver})
	if err != nil || result.OK() || result.Refused[0].String() != "n0: 2/2 CardMemoryReserved" {
		t.Errorf("PlaceAnywhere: %+v, %v", result, err)
	}
	result, err = s.Fork().PlaceAnywhere(small, simulate.PlaceOptions{Fit: on1})
	if err != nil || result.Node != "n1" || devicesOf(result.Allocation, "") != "g0" || result.Refused[0].String() != "n0: 2/2 CardExcluded" {
		t.Errorf("PlaceAnywhere: %+v, %v", result, err)
	}
	if result, err = s.Fork().PlaceWith(small, "n0", on1); err != nil || result.OK() {
		t.Errorf("PlaceWith: %+v, %v", result, err)
	}
	keyed := driver
	keyed.Key = "driver"
	for _, o := range []vendors.FitOptions{driver, keyed} {
		e := simulate.Estimate(set, simulate.Template{Node: nodes[0]}, append(podsOf(4, "gpu=1 mem=5000"), big), simulate.Limits{Fit: o})
		if len(e.Nodes) != 2 || len(e.Unplaced) != 1 || !e.Unplaced[0].Reasons.Has(device.CardMemoryReserved) {
			t.Errorf("Estimate: %d nodes, %+v", len(e.Nodes), e.Unplaced)
		}
	}
	c, err := s.Capacity(small, simulate.CapacityOptions{Fit: driver})
	if err != nil || c.Total != 8 {
		t.Errorf("Capacity: %+v, %v", c, err)
	}
	f, err := s.Fragments(small, simulate.FragmentOptions{Fit: driver})
	if err != nil || f.Nodes[0].Memory != 9000 {
		t.Errorf("Fragments: %+v, %v", f, err)
	}
}

// TestPodsThatHoldWhatTheyDoNotAskFor never move: nobody knows what they need elsewhere.
func TestPodsThatHoldWhatTheyDoNotAskFor(t *testing.T) {
	odd := podOf("odd hami.io/vgpu-node=n0 hami.io/vgpu-devices-allocated=g0,NVIDIA,4000,0:;")
	s := newSnapshot(t, vendors.Default(), []*corev1.Node{testkit.Node("n0", cards(1, 10000)...), testkit.Node("n1", cards(1, 1)...)}, odd)
	d, err := s.Drain("n0", []*corev1.Pod{odd}, simulate.MoveOptions{})
	if err != nil || d.OK || len(d.Stuck) != 1 || !errors.Is(d.Stuck[0].Err, simulate.ErrNoDevices) {
		t.Errorf("%+v, %v", d, err)
	}
	room, err := s.MakeRoom(podOf("new gpu=1 mem=9000"), []*corev1.Pod{odd}, simulate.MoveOptions{})
	if err != nil || room.OK() {
		t.Errorf("%+v, %v", room, err)
	}
}

// TestEstimateOfNothing: pods that are nil are told of, others are served; a group without a sample has what its profile says.
func TestEstimateOfNothing(t *testing.T) {
	set := vendors.Default()
	profile, err := simulate.ProfileOfModels("l4", 2, "NVIDIA L4")
	if err != nil {
		t.Fatal(err)
	}
	pods := []*corev1.Pod{nil, podOf("a gpu=2 mem=6000"), nil}
	for name, template := range map[string]simulate.Template{
		"sample": {Node: testkit.Node("s", cards(2, 10000)...), Pods: []*corev1.Pod{nil}}, "no sample": {Profile: &profile},
	} {
		e := simulate.Estimate(set, template, pods, simulate.Limits{})
		if len(e.Nodes) != 1 || len(e.Unplaced) != 2 || !errors.Is(e.Unplaced[0].Err, simulate.ErrNil) {
			t.Errorf("%s: %d nodes, left %+v", name, len(e.Nodes), e.Unplaced)
		}
		groups := []simulate.NodeGroup{{Name: "g", Template: template}}
		plan := simulate.ScaleUp(set, groups, pods, simulate.LeastWaste, simulate.Limits{})
		if len(plan.Steps) != 1 || len(plan.Unplaced) != 2 {
			t.Errorf("%s: %d steps, left %+v", name, len(plan.Steps), plan.Unplaced)
		}
	}
	if e := simulate.Estimate(set, simulate.Template{}, pods, simulate.Limits{}); len(e.Nodes) != 0 || len(e.Unplaced) != 3 {
		t.Errorf("nothing at all: %d nodes, left %+v", len(e.Nodes), e.Unplaced)
	}
}
