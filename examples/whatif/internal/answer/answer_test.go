package answer

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"

	"github.com/accelfit/accelfit/examples/whatif/internal/demo"
	"github.com/accelfit/accelfit/examples/whatif/internal/input"
	"github.com/accelfit/accelfit/simulate"
	"github.com/accelfit/accelfit/vendors"
)

func demoCluster(t testing.TB) *input.Cluster {
	t.Helper()
	c, err := input.Parse("demo.yaml", demo.Cluster)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// ask asks everything about a cluster; it returns nothing that a caller could change.
func ask(w *World) {
	_, _ = w.Table()
	var names []string
	for _, p := range w.pods {
		names = append(names, podName(p))
		_, _ = w.Why(podName(p))
		_, _ = w.MakeRoom(podName(p), 2)
		_, _ = w.Fragmentation(podName(p))
	}
	_, _ = w.Capacity()
	_, _ = w.Capacity(names...)
	_, _ = w.Fragmentation("")
	for node := range w.snapshot.Nodes() {
		_, _ = w.Drain(node)
	}
	_, _ = w.Place(names...)
	groups, problems, _ := w.GroupsByLabel()
	for i := range groups {
		groups[i].KeepUsage = true
	}
	_, _ = w.ScaleUp(groups, simulate.MostPods, problems)
	_, _ = w.ScaleUp(groups[:min(1, len(groups))], simulate.LeastWaste, problems)
}

// TestInputUnchanged checks that no question changes the objects that were read.
func TestInputUnchanged(t *testing.T) {
	c, want := demoCluster(t), demoCluster(t)
	ask(NewWorld(vendors.Default(), c, Options{}))
	changes := Changes{
		FailDevices: []string{"l4-1/GPU-1f0"}, CordonDevices: []string{"l4-2/GPU-2ac"}, CordonNodes: []string{"h100-1"},
		Reserve: []string{"100"}, OnlyDevices: []string{"l4-2/GPU-2a8"}, ExactModel: true,
	}
	changed, err := NewWorldWith(vendors.Default(), c, Options{}, changes)
	if err != nil {
		t.Fatal(err)
	}
	ask(changed)
	for _, d := range []string{cmp.Diff(want.Nodes, c.Nodes), cmp.Diff(want.Pods, c.Pods), cmp.Diff(want.Quotas, c.Quotas)} {
		if d != "" {
			t.Errorf("changed:\n%s", d)
		}
	}
}

// TestSameAnswerTwice checks that an answer does not depend on what was asked before.
func TestSameAnswerTwice(t *testing.T) {
	w := NewWorld(vendors.Default(), demoCluster(t), Options{})
	first, err := w.Why("research/finetune")
	if err != nil {
		t.Fatal(err)
	}
	ask(w)
	second, _ := w.Why("research/finetune")
	if d := cmp.Diff(first, second); d != "" {
		t.Error(d)
	}
}

// TestStacking checks that pods placed together count against each other, in devices and in everything else.
func TestStacking(t *testing.T) {
	c := demoCluster(t)
	var chat *corev1.Pod
	for _, p := range c.Pods {
		if p.Name == "chat" {
			chat = p
		}
	}
	names := []string{"shop/chat"}
	for _, suffix := range []string{"-1", "-2", "-3", "-4", "-5"} {
		p := chat.DeepCopy()
		p.Name, p.UID = "chat"+suffix, ""
		names = append(names, "shop/"+p.Name)
		c.Pods = append(c.Pods, p)
	}
	got, err := NewWorld(vendors.Default(), c, Options{}).Place(names...)
	if err != nil {
		t.Fatal(err)
	}
	var nodes []string
	for _, p := range got.Pods {
		nodes = append(nodes, p.Node)
	}
	// l4-2 takes two (its card has 17034 MiB left), l4-1 two, of which the CPU (5.5 cores left) would not allow a third.
	if d := cmp.Diff("l4-2 l4-2 l4-1 l4-1  ", strings.Join(nodes, " ")); d != "" {
		t.Errorf("%s\n%v", d, got.Pods[4].Refused)
	}
}

// TestDaemonPodsCount checks that what the sample's DaemonSet pods take is missing on new nodes.
func TestDaemonPodsCount(t *testing.T) {
	plan := func(change func(*input.Cluster)) *ScaleUp {
		c := demoCluster(t)
		change(c)
		w := NewWorld(vendors.Default(), c, Options{})
		groups, problems, err := w.GroupsByLabel()
		if err != nil {
			t.Fatal(err)
		}
		u, err := w.ScaleUp(groups, simulate.LeastWaste, problems)
		if err != nil {
			t.Fatal(err)
		}
		return u
	}
	l4 := func(u *ScaleUp) int {
		for _, s := range u.Steps {
			if s.Group == "l4" {
				return s.NewNodes
			}
		}
		return 0
	}
	// render (4 cores) and rerank (12) fill the 16 cores of one node, if no DaemonSet pod takes half a core of them.
	if n := l4(plan(func(*input.Cluster) {})); n != 2 {
		t.Errorf("with DaemonSet pods: %d new nodes, want 2", n)
	}
	n := l4(plan(func(c *input.Cluster) {
		for _, p := range c.Pods {
			p.OwnerReferences = nil
		}
	}))
	if n != 1 {
		t.Errorf("without DaemonSet pods: %d new nodes, want 1", n)
	}
}

// TestNotScheduled checks the pods that scaleup leaves alone, and what it says of constraints it does not judge.
func TestNotScheduled(t *testing.T) {
	c := demoCluster(t)
	for _, p := range c.Pods {
		switch p.Name {
		case "chat":
			p.Spec.SchedulingGates = []corev1.PodSchedulingGate{{Name: "example.com/wait"}}
		case "render":
			p.Spec.TopologySpreadConstraints = []corev1.TopologySpreadConstraint{{WhenUnsatisfiable: corev1.DoNotSchedule}}
		}
	}
	w := NewWorld(vendors.Default(), c, Options{})
	groups, problems, _ := w.GroupsByLabel()
	u, err := w.ScaleUp(groups, simulate.LeastWaste, problems)
	if err != nil {
		t.Fatal(err)
	}
	if got := u.Unplaced[0]; got.Pod != "shop/chat" || !strings.Contains(got.Invalid, "scheduling gates: example.com/wait") {
		t.Errorf("got %+v", got)
	}
	y, err := w.Why("shop/chat")
	if err != nil || y.Best != "" || !strings.Contains(y.Summary, "is not scheduled: it waits for its scheduling gates") {
		t.Errorf("got %+v, %v", y, err)
	}
	found := false
	for _, p := range u.Problems {
		found = found || p.Object == "pod shop/render" && p.Field == "spec.topologySpreadConstraints"
	}
	if !found {
		t.Error("the spread constraint is not mentioned")
	}
}

// FuzzAnswer asks everything about any text.
func FuzzAnswer(f *testing.F) {
	f.Add(string(demo.Cluster))
	f.Add(`{"kind":"List","items":[null,{"kind":"Node","metadata":{"name":"n"}},{"kind":"Pod","metadata":{"name":"p"}}]}`)
	f.Add("{kind: Pod, metadata: {name: p}, spec: {containers: [{resources: {limits: {nvidia.com/gpu: 1e300}}}]}}\n---\n{[")
	f.Fuzz(func(t *testing.T, text string) {
		c, err := input.Parse("fuzz", []byte(text))
		if err != nil {
			return
		}
		ask(NewWorld(vendors.Default(), c, Options{}))
	})
}
