package simulate_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"

	"github.com/accelfit/accelfit/device"
	"github.com/accelfit/accelfit/internal/testkit"
	"github.com/accelfit/accelfit/simulate"
	"github.com/accelfit/accelfit/vendors"
)

// asker is one way to ask whether node n0 serves a pod, and with which device: the position of it, or "no".
type asker struct {
	name string
	ask  func(t *testing.T, pod *corev1.Pod, o vendors.FitOptions, refuse error) string
}

// optionsNode has two cards of one model.
func optionsNode(name string) *corev1.Node { return testkit.Node(name, cards(2, 10000)...) }

func optionsSnapshot(t *testing.T) *simulate.Snapshot {
	t.Helper()
	return newSnapshot(t, vendors.Default(), []*corev1.Node{optionsNode("n0")})
}

func byNode(refuse error) func(*corev1.Pod, *corev1.Node) error {
	return func(*corev1.Pod, *corev1.Node) error { return refuse }
}

func byQuestion(refuse error) simulate.AllowFunc {
	return func(*corev1.Pod, *corev1.Node, simulate.Change) error { return refuse }
}

func on(a *device.Allocation) string {
	if a == nil {
		return "no"
	}
	id := a.Devices[0].ID
	return id[strings.LastIndex(id, "/")+1:]
}

// placers are the functions that place pods on a snapshot.
func placers() []asker {
	return []asker{
		{"Fit", func(t *testing.T, pod *corev1.Pod, o vendors.FitOptions, refuse error) string {
			s := optionsSnapshot(t)
			r, err := s.Set().Request(pod)
			if err != nil {
				t.Fatal(err)
			}
			fit, _ := s.Fit(r.With(o), "n0")
			if refuse != nil {
				return "no" // whole nodes are the caller's
			}
			return on(fit.Allocation)
		}},
		{"PlaceWith", func(t *testing.T, pod *corev1.Pod, o vendors.FitOptions, refuse error) string {
			if refuse != nil {
				return "no"
			}
			r, _ := optionsSnapshot(t).PlaceWith(pod, "n0", o)
			return on(r.Allocation)
		}},
		{"PlaceAnywhere", func(t *testing.T, pod *corev1.Pod, o vendors.FitOptions, refuse error) string {
			r, _ := optionsSnapshot(t).PlaceAnywhere(pod, simulate.PlaceOptions{Fit: o, Allow: byNode(refuse)})
			return on(r.Allocation)
		}},
		{"PlaceAll", func(t *testing.T, pod *corev1.Pod, o vendors.FitOptions, refuse error) string {
			placed, _ := optionsSnapshot(t).PlaceAll([]*corev1.Pod{pod}, simulate.PlaceOptions{Fit: o, Allow: byNode(refuse)})
			if len(placed) == 0 {
				return "no"
			}
			return on(placed[0].Allocation)
		}},
	}
}

// planners are the functions that put pods on new nodes.
func planners() []asker {
	limits := func(o vendors.FitOptions, refuse error) simulate.Limits {
		return simulate.Limits{Fit: o, Allow: func(*corev1.Pod, *corev1.Node, []*corev1.Pod) error { return refuse }}
	}
	first := func(nodes []simulate.NewNode) string {
		if len(nodes) == 0 {
			return "no"
		}
		return on(nodes[0].Placed[0])
	}
	template := simulate.Template{Node: optionsNode("n0"), Options: simulate.TemplateOptions{KeepIDs: true}}
	return []asker{
		{"Estimate", func(_ *testing.T, pod *corev1.Pod, o vendors.FitOptions, refuse error) string {
			return first(simulate.Estimate(vendors.Default(), template, []*corev1.Pod{pod}, limits(o, refuse)).Nodes)
		}},
		{"ScaleUp", func(_ *testing.T, pod *corev1.Pod, o vendors.FitOptions, refuse error) string {
			groups := []simulate.NodeGroup{{Name: "g", Template: template}}
			plan := simulate.ScaleUp(vendors.Default(), groups, []*corev1.Pod{pod}, simulate.LeastWaste, limits(o, refuse))
			if len(plan.Steps) == 0 {
				return "no"
			}
			return first(plan.Steps[0].Nodes)
		}},
	}
}

// questioners are the questions about snapshots that tell no device, or a move.
func questioners() []asker {
	some := func(yes bool) string { return map[bool]string{true: "some", false: "no"}[yes] }
	return []asker{
		{"Capacity", func(t *testing.T, pod *corev1.Pod, o vendors.FitOptions, refuse error) string {
			c, _ := optionsSnapshot(t).Capacity(pod, simulate.CapacityOptions{Fit: o, Allow: byQuestion(refuse)})
			return some(c.Total > 0)
		}},
		{"Fragments", func(t *testing.T, pod *corev1.Pod, o vendors.FitOptions, refuse error) string {
			f, _ := optionsSnapshot(t).Fragments(pod, simulate.FragmentOptions{Fit: o, Allow: byQuestion(refuse)})
			return some(f.Nodes[0].Devices > 0)
		}},
		{"MakeRoom", func(t *testing.T, pod *corev1.Pod, o vendors.FitOptions, refuse error) string {
			r, _ := optionsSnapshot(t).MakeRoom(pod, nil, simulate.MoveOptions{Fit: o, Allow: byQuestion(refuse)})
			return on(r.Allocation)
		}},
		{"Drain", func(t *testing.T, pod *corev1.Pod, o vendors.FitOptions, refuse error) string {
			s := newSnapshot(t, vendors.Default(), []*corev1.Node{optionsNode("n0"), optionsNode("old")})
			if r, err := s.Place(pod, "old"); err != nil || !r.OK() {
				t.Fatal(r, err)
			}
			d, _ := s.Drain("old", []*corev1.Pod{pod}, simulate.MoveOptions{Fit: o, Allow: byQuestion(refuse)})
			if !d.OK {
				return "no"
			}
			return on(d.Moves[0].Allocation)
		}},
	}
}

// TestEveryFunctionHonoursTheFitOptions: every option, alone, with every function of the package that tries pods on nodes.
func TestEveryFunctionHonoursTheFitOptions(t *testing.T) {
	lowest := func(f *device.ContainerFit, _ *device.Reasons) []int {
		for i, at := range f.Granted {
			if f.Node.Device(at.Device).ID == "g0" {
				return []int{i}
			}
		}
		return nil
	}
	for _, c := range []struct {
		name, pod string
		options   vendors.FitOptions
		refuse    error
		want      string
	}{
		{"none", "p gpu=1 mem=9500", vendors.FitOptions{}, nil, "g1"},
		{"only", "p gpu=1 mem=9500", vendors.FitOptions{Only: vendors.OnlyIDs("g0")}, nil, "g0"},
		{"only others", "p gpu=1 mem=9500", vendors.FitOptions{Only: vendors.OnlyIDs("g7")}, nil, "no"},
		{"reserved", "p gpu=1 mem=9500", vendors.FitOptions{Reserved: reserved(1000)}, nil, "no"},
		{"less reserved", "p gpu=1 mem=9500", vendors.FitOptions{Reserved: reserved(500)}, nil, "g1"},
		{"reserved on one", "p gpu=1 mem=9500", vendors.FitOptions{Reserved: func(_ *device.NodeInfo, d *device.DeviceInfo) int64 {
			return map[bool]int64{true: 1000}[d.ID == "g1"]
		}}, nil, "g0"},
		{"fragment of a model", "p gpu=1 mem=9500 nvidia.com/use-gputype=L4", vendors.FitOptions{}, nil, "g1"},
		{"exact model", "p gpu=1 mem=9500 nvidia.com/use-gputype=VIDIA-NVIDI", vendors.FitOptions{ExactModel: true}, nil, "no"},
		{"chooser", "p gpu=1 mem=9500", vendors.FitOptions{Choose: lowest}, nil, "g0"},
		{"chooser that picks none", "p gpu=1 mem=9500", vendors.FitOptions{Choose: func(*device.ContainerFit, *device.Reasons) []int { return nil }}, nil, "no"},
		{"node predicate", "p gpu=1 mem=9500", vendors.FitOptions{}, errors.New("tainted"), "no"},
	} {
		for _, a := range append(append(placers(), planners()...), questioners()...) {
			for _, key := range []string{"", "key"} {
				o := c.options
				o.Key = key
				got := a.ask(t, podOf(c.pod), o, c.refuse)
				if got != c.want && (got != "some" || c.want == "no") {
					t.Errorf("%s, %s (key %q): %s, want %s", a.name, c.name, key, got, c.want)
				}
			}
		}
	}
}

func reserved(mib int64) func(*device.NodeInfo, *device.DeviceInfo) int64 {
	return func(*device.NodeInfo, *device.DeviceInfo) int64 { return mib }
}

// TestTemplatePodsAreNotUnderFitOptions: what is asked of pending pods does not keep a DaemonSet's pod off a new node.
func TestTemplatePodsAreNotUnderFitOptions(t *testing.T) {
	template := simulate.Template{Node: optionsNode("n0"), Pods: []*corev1.Pod{podOf("daemon gpu=2 mem=6000")}, Options: simulate.TemplateOptions{KeepIDs: true}}
	limits := simulate.Limits{Fit: vendors.FitOptions{Only: vendors.OnlyIDs("g0")}}
	e := simulate.Estimate(vendors.Default(), template, podsOf(2, "gpu=1 mem=3000"), limits)
	if text := estimatedText(&e); text != "n0-new-00000: a0 g0\nn0-new-00001: a1 g0\nlower bound 1\n" || len(e.Problems) > 0 {
		t.Errorf("%s%v", text, e.Problems)
	}
}

// TestMakeRoomKeepsToItsLimit: it takes three moves; two are not enough, and more are never proposed.
func TestMakeRoomKeepsToItsLimit(t *testing.T) {
	nodes := []*corev1.Node{testkit.Node("full", cards(4, 10000)...), testkit.Node("spare", cards(1, 10000)...)}
	s := newSnapshot(t, vendors.Default(), nodes)
	running := podsOf(4, "gpu=1 mem=2000 hami.io/gpu-scheduler-policy=spread")
	for _, pod := range running {
		if r, err := s.Place(pod, "full"); err != nil || !r.OK() {
			t.Fatal(r, err)
		}
		annotate(t, s, pod)
	}
	for _, from := range []*simulate.Snapshot{s, newSnapshot(t, vendors.Default(), nodes, running...)} {
		for limit, want := range map[int]int{-1: -1, 1: -1, 2: -1, 3: 3, 0: 3, 4: 3, 1 << 30: 3} {
			pod := podOf("new gpu=3 mem=10000")
			room, err := from.MakeRoom(pod, running, simulate.MoveOptions{MaxMoves: limit})
			if err != nil || room.OK() != (want > 0) || room.OK() && len(room.Moves) != want || !room.Complete {
				t.Errorf("limit %d: %d moves on %q, complete %t, %v", limit, len(room.Moves), room.Node, room.Complete, err)
			}
			if room.OK() {
				redo(t, from, room.Moves, pod, room.Node)
			}
		}
	}
}

// TestNotANumber: a price that is none ranks last, the same in whatever order the groups come.
func TestNotANumber(t *testing.T) {
	zero := 0.0
	groups := []simulate.NodeGroup{
		{Name: "a", Price: zero / zero, Template: simulate.Template{Node: optionsNode("a")}},
		{Name: "b", Price: 100, Template: simulate.Template{Node: optionsNode("b")}},
	}
	for range 2 {
		plan := simulate.ScaleUp(vendors.Default(), groups, podsOf(2, "gpu=1 mem=10000"), simulate.LeastPrice, simulate.Limits{})
		if len(plan.Steps) != 1 || plan.Steps[0].Group != "b" || plan.Steps[0].Price != 100 {
			t.Errorf("%+v", plan.Steps)
		}
		groups[0], groups[1] = groups[1], groups[0]
	}
}

// TestNothingInLists: entries that are nil, and nodes that have no name, are told and change nothing else.
func TestNothingInLists(t *testing.T) {
	set := vendors.Default()
	running := podOf("r gpu=1 mem=4000 hami.io/vgpu-node=n0 hami.io/vgpu-devices-allocated=g0,NVIDIA,4000,0:;")
	s, problems := simulate.New(set, []*corev1.Node{nil, optionsNode("n0"), optionsNode(""), optionsNode("")}, []*corev1.Pod{nil, running})
	if got := fmt.Sprint(problems); got != "[pods[0]: is nil nodes[0]: is nil nodes[2]: node has no name nodes[3]: node has no name]" || s.Len() != 1 {
		t.Error(got, s.Len())
	}
	before := snapshotText(s)
	failed := func(_ any, err error) error { return err }
	for name, err := range map[string]error{
		"AddNode": failed(s.AddNode(nil, nil)), "Place": failed(s.Place(nil, "n0")), "PlaceWith": failed(s.PlaceWith(nil, "n0", vendors.FitOptions{})),
		"PlaceAnywhere": failed(s.PlaceAnywhere(nil, simulate.PlaceOptions{})), "Capacity": failed(s.Capacity(nil, simulate.CapacityOptions{})),
		"Fragments": failed(s.Fragments(nil, simulate.FragmentOptions{})), "MakeRoom": failed(s.MakeRoom(nil, nil, simulate.MoveOptions{})),
	} {
		if !errors.Is(err, simulate.ErrNil) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := s.AddNode(optionsNode(""), nil); !errors.Is(err, simulate.ErrNoName) {
		t.Error(err)
	}
	placed, rest := s.Fork().PlaceAll([]*corev1.Pod{nil, podOf("p gpu=1"), nil}, simulate.PlaceOptions{})
	if len(placed) != 1 || len(rest) != 2 || !errors.Is(rest[1].Err, simulate.ErrNil) {
		t.Errorf("%+v %+v", placed, rest)
	}
	d, err := s.Drain("n0", []*corev1.Pod{nil, running}, simulate.MoveOptions{})
	if err != nil || len(d.Stuck) != 1 || len(d.Stuck[0].Refused) != 0 {
		t.Errorf("%+v, %v", d, err)
	}
	if room, err := s.MakeRoom(podOf("p gpu=2 mem=9000"), []*corev1.Pod{nil, running}, simulate.MoveOptions{}); err != nil || room.OK() {
		t.Errorf("%+v, %v", room, err)
	}
	nodes, _, problems := simulate.UpcomingNodes(set, nil, []*corev1.Node{nil, optionsNode("n0")}, nil)
	if len(nodes) != 2 || nodes[1] == nil || len(problems) != 1 || !errors.Is(problems[0].Err, simulate.ErrNil) {
		t.Errorf("%v %v", nodes, problems)
	}
	if after := snapshotText(s); after != before {
		t.Errorf("the snapshot holds\n%swant\n%s", after, before)
	}
}
