package simulate_test

import (
	"fmt"
	"reflect"
	"testing"

	corev1 "k8s.io/api/core/v1"

	"github.com/accelfit/accelfit/internal/testkit"
	"github.com/accelfit/accelfit/simulate"
	"github.com/accelfit/accelfit/usage"
	"github.com/accelfit/accelfit/vendors"
)

// TestUpcoming: a node that has joined counts as its profile says until it registers; what it registers stands.
func TestUpcoming(t *testing.T) {
	set := vendors.Default()
	p, _ := simulate.ProfileOfModels("mixed", 1, "NVIDIA L4", "DCU-K100_AI")
	p.Match.NodeGroups = []string{"g"}
	joined, half, full, foreign := bareNode("joined"), testkit.Node("half", cards(3, 100)...), bareNode("full"), bareNode("foreign")
	broken := testkit.Node("broken")
	broken.Annotations["hami.io/node-nvidia-register"] = "{"
	if err := p.Apply(set, full); err != nil {
		t.Fatal(err)
	}
	before := joined.DeepCopy()
	nodes, notes, problems := simulate.UpcomingNodes(set, []simulate.Profile{p}, []*corev1.Node{joined, half, full, foreign, broken},
		func(n *corev1.Node) string { return map[bool]string{true: "g"}[n.Name != "foreign"] })
	if len(problems) > 0 || !reflect.DeepEqual(before, joined) {
		t.Errorf("%v", problems)
	}
	var lens []int
	for _, n := range nodes {
		lens = append(lens, set.Inventory(n).Len())
	}
	if want := []int{2, 4, 2, 0, 1}; !reflect.DeepEqual(lens, want) || nodes[2] != full || nodes[3] != foreign {
		t.Errorf("%v devices, want %v", lens, want)
	}
	want := "[node joined: devices not registered yet, assumed from device profile mixed " +
		"node half: devices not registered yet, assumed from device profile mixed " +
		"node broken: devices not registered yet, assumed from device profile mixed]"
	if got := fmt.Sprint(notes); got != want {
		t.Error(got)
	}
	s, _ := simulate.New(set, nodes, nil)
	if r, err := s.Place(podOf("p gpu=1 mem=20000"), "joined"); err != nil || !r.OK() {
		t.Errorf("%v %v", r.Refused, err)
	}
	bad := []simulate.Profile{{Name: "bad", Match: p.Match, Devices: []simulate.ProfileDevices{{Vendor: "nobody", Model: "x"}}}}
	if nodes, _, problems = simulate.UpcomingNodes(set, bad, []*corev1.Node{joined}, func(*corev1.Node) string { return "g" }); len(problems) != 1 || nodes[0] != joined {
		t.Errorf("%v", problems)
	}
}

// TestUpcomingIsStable: the ids of an upcoming node are those of its name, also on the next look.
func TestUpcomingIsStable(t *testing.T) {
	p, _ := simulate.ProfileOfModels("p", 2, "NVIDIA L4")
	first, _, _ := simulate.Upcoming(vendors.Default(), &p, bareNode("n"))
	second, _, _ := simulate.Upcoming(vendors.Default(), &p, bareNode("n"))
	a, _ := usage.Node(vendors.Default(), first, nil)
	b, _ := usage.Node(vendors.Default(), second, nil)
	if testkit.Table(a) != testkit.Table(b) || a.Info().Device(1).ID != "n/NVIDIA-1" {
		t.Errorf("%s%s", testkit.Table(a), testkit.Table(b))
	}
}
