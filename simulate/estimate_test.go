package simulate_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"

	"github.com/accelfit/accelfit/device"
	"github.com/accelfit/accelfit/internal/testkit"
	"github.com/accelfit/accelfit/simulate"
	"github.com/accelfit/accelfit/usage"
	"github.com/accelfit/accelfit/vendors"
)

// text is everything an estimate says.
func text(e *simulate.Estimated) string {
	var b strings.Builder
	b.WriteString(estimatedText(e) + problemsText(e.Problems))
	for _, n := range e.Nodes {
		b.WriteString(n.Name + "\n" + testkit.Table(n.Usage))
	}
	for _, ns := range append(namespaces, "team") {
		fmt.Fprintln(&b, ns, e.Quotas.Headroom(ns))
	}
	return b.String()
}

// instance is a random template and pods, of one container each, that it would serve if it were empty.
type instance struct {
	template simulate.Template
	cards    []device.DeviceInfo
	pods     []*corev1.Pod
	needs    []need
}

type need struct{ cards, memory, cores int }

func randomInstance(r *rand.Rand, mig bool, pods int) instance {
	in := instance{}
	for i := range 1 + r.IntN(2) {
		if mig {
			in.cards = append(in.cards, testkit.MIGCard(fmt.Sprintf("m%d", i)))
		} else {
			c := testkit.Card(fmt.Sprintf("g%d", i), 10000)
			c.Slots = testkit.OneOf[int64](r, 2, 3, 10)
			in.cards = append(in.cards, c)
		}
	}
	in.template.Node = testkit.Node("t", in.cards...)
	for i := range pods {
		n := need{1 + r.IntN(len(in.cards)), 500 * (1 + r.IntN(20)), testkit.OneOf(r, 0, 0, 10, 30, 60, 100)}
		if mig {
			n = need{1 + r.IntN(2), testkit.OneOf(r, 4000, 5000, 10000, 20000), 0}
		}
		in.needs = append(in.needs, n)
		in.pods = append(in.pods, podOf(fmt.Sprintf("p%d gpu=%d mem=%d cores=%d", i, n.cards, n.memory, n.cores)))
	}
	return in
}

// optimum is the least number of nodes that the pods of an instance need, found by trying every way to put them together;
// 0 if some pod fits on no node.
func (in *instance) optimum() int {
	n := len(in.pods)
	best := make([]int, 1<<n) // by set of pods
	fits := make([]bool, 1<<n)
	fits[0] = true
	for set := 1; set < 1<<n; set++ {
		fits[set] = fits[set&(set-1)] && in.together(set) // what is too much for a node is so with more
		best[set] = n + 1
		for part := set; part > 0; part = (part - 1) & set {
			if fits[part] && (part == set || best[set&^part] > 0) {
				best[set] = min(best[set], 1+best[set&^part])
			}
		}
	}
	if best[1<<n-1] > n {
		return 0
	}
	return best[1<<n-1]
}

// together says whether one node holds a set of pods in some way: by sums on each card or, in mode mig, by instances that do
// not overlap. It knows no rule besides.
func (in *instance) together(set int) bool {
	var list []need
	for i, n := range in.needs {
		if set&(1<<i) != 0 {
			list = append(list, n)
		}
	}
	if in.cards[0].Mode == "mig" {
		var each []int
		for _, n := range list {
			for range n.cards {
				each = append(each, n.memory)
			}
		}
		return in.cut(make([]uint, len(in.cards)), each)
	}
	return in.stack(make([]need, len(in.cards)), list)
}

func (in *instance) stack(used, list []need) bool {
	if len(list) == 0 {
		return true
	}
	n := list[0]
	for chosen := range 1 << len(used) {
		after := append([]need{}, used...)
		count, ok := 0, true
		for i := range used {
			if chosen&(1<<i) == 0 {
				continue
			}
			count++
			after[i] = need{used[i].cards + 1, used[i].memory + n.memory, used[i].cores + n.cores}
			ok = ok && after[i].cards <= int(in.cards[i].Slots) && after[i].memory <= int(in.cards[i].Memory) && after[i].cores <= 100
		}
		if ok && count == n.cards && in.stack(after, list[1:]) {
			return true
		}
	}
	return false
}

// cut puts instances with at least the given memory on cards whose taken slices are bit masks.
func (in *instance) cut(taken []uint, list []int) bool {
	if len(list) == 0 {
		return true
	}
	for i, c := range in.cards {
		for _, p := range c.MIGProfiles {
			if p.Memory < int64(list[0]) {
				continue
			}
			for _, at := range p.Placements {
				mask := (uint(1)<<at.Size - 1) << at.Start
				if taken[i]&mask != 0 {
					continue
				}
				taken[i] |= mask
				ok := in.cut(taken, list[1:])
				taken[i] &^= mask
				if ok {
					return true
				}
			}
		}
	}
	return false
}

// TestLowerBound compares with the optimum, by exhaustive search over small instances: the bound is never above it, and the
// estimate never below.
func TestLowerBound(t *testing.T) {
	set := vendors.Default()
	r := rand.New(rand.NewPCG(testkit.Seed(t), 5))
	solved := 0
	for i := range 160 {
		in := randomInstance(r, i%2 == 0, 1+r.IntN(5))
		e := simulate.Estimate(set, in.template, in.pods, simulate.Limits{})
		if e.LowerBound > len(e.Nodes) || e.LowerBound < min(1, len(e.Nodes)) {
			t.Fatalf("lower bound %d of %d nodes: %+v", e.LowerBound, len(e.Nodes), in.needs)
		}
		if len(e.Unplaced) > 0 {
			continue
		}
		solved++
		if best := in.optimum(); best == 0 || e.LowerBound > best || len(e.Nodes) < best {
			t.Fatalf("optimum %d, lower bound %d, %d nodes on %d cards of mode %s: %+v",
				best, e.LowerBound, len(e.Nodes), len(in.cards), in.cards[0].Mode, in.needs)
		}
	}
	if solved < 100 {
		t.Errorf("only %d instances were solved", solved)
	}
}

// TestLowerBoundOfInit: several instances that an init container has on one card count as one of them (spec core §5), so
// four pods go on two nodes, whose slots added up would not do. Here they go on four, because they may not share.
func TestLowerBoundOfInit(t *testing.T) {
	c := testkit.MIGCard("m0")
	c.Slots = 4
	template := simulate.Template{Node: testkit.Node("t", c)}
	pods := podsOf(4, "init gpu=3 mem=4000 |")
	if e := simulate.Estimate(vendors.Default(), template, pods, simulate.Limits{}); len(e.Nodes) != 2 {
		t.Errorf("%d nodes, want 2 for\n%s", len(e.Nodes), text(&e))
	}
	alone := simulate.Limits{Allow: func(_ *corev1.Pod, _ *corev1.Node, on []*corev1.Pod) error {
		if len(on) > 0 {
			return errAlone
		}
		return nil
	}}
	if e := simulate.Estimate(vendors.Default(), template, pods, alone); len(e.Nodes) != 4 || e.LowerBound > 2 {
		t.Errorf("%d nodes, lower bound %d; want 4 and at most 2", len(e.Nodes), e.LowerBound)
	}
}

// bigInstance has pods of every kind, with quotas, a predicate and template pods.
func bigInstance(r *rand.Rand) (simulate.Template, []*corev1.Pod, simulate.Limits) {
	w := newWorld(r)
	var pods []*corev1.Pod
	for len(pods) < 60 {
		if pod := w.pod(); !slices.Contains(pods, pod) {
			pods = append(pods, pod)
		}
	}
	for range 4 { // pods of a workload that does not exist yet have no name
		pods = append(pods, podOf(" gpu=1 mem=1000"), podOf(" gpu=1 mem=1000 nvidia.com/use-gputype="+testkit.OneOf(r, "l4", "a100")))
	}
	template := simulate.Template{
		Node: testkit.Node("t", append(cards(2, 10000), testkit.MIGCard("m0"))...), Pods: []*corev1.Pod{podOf("daemon gpu=1 mem=1000")},
	}
	quotas := usage.NewQuotas(vendors.Default()).Set(quotaOf("a", "q", map[string]string{"limits.nvidia.com/gpumem": "90000"}))
	return template, pods, simulate.Limits{MaxNodes: 25, Quotas: quotas, Allow: func(pod *corev1.Pod, _ *corev1.Node, on []*corev1.Pod) error {
		if len(on) > 5 || strings.HasSuffix(pod.Name, "7") {
			return errTainted
		}
		return nil
	}}
}

// TestEstimateIsAFunctionOfItsInput: neither the order of the pods, nor how many processors there are, nor what was estimated
// before changes the answer; and the input is left as it was.
func TestEstimateIsAFunctionOfItsInput(t *testing.T) {
	base := testkit.Seed(t)
	set := vendors.Default()
	for round := range uint64(4) {
		r := rand.New(rand.NewPCG(base, 900+round))
		template, pods, limits := bigInstance(r)
		before := []any{template.Node.DeepCopy(), deep(template.Pods), deep(pods)}
		quota := limits.Quotas.Headroom("a")
		first := simulate.Estimate(set, template, pods, limits)
		want := text(&first)
		if len(first.Nodes) < 5 || len(first.Unplaced) < 2 {
			t.Fatalf("round %d: the instance shows too little:\n%s", round, want)
		}
		if diff := cmp.Diff(before, []any{template.Node, template.Pods, pods}); diff != "" {
			t.Fatalf("round %d: the input was changed:\n%s", round, diff)
		}
		if diff := cmp.Diff(quota, limits.Quotas.Headroom("a")); diff != "" {
			t.Fatalf("round %d: the quotas were changed:\n%s", round, diff)
		}
		for i := range 4 {
			procs := runtime.GOMAXPROCS(1 + i)
			r.Shuffle(len(pods), func(i, k int) { pods[i], pods[k] = pods[k], pods[i] })
			again := simulate.Estimate(set, template, pods, limits)
			runtime.GOMAXPROCS(procs)
			if got := text(&again); got != want || again.Fits != first.Fits {
				t.Fatalf("round %d, with the pods in another order, %d fits:\n%s\nwant %d fits and\n%s", round, again.Fits, got, first.Fits, want)
			}
		}
	}
}

// TestEveryPodIsAnsweredOnce: pods are placed or not, none is lost or counted twice, and what new nodes hold is what was
// placed there.
func TestEveryPodIsAnsweredOnce(t *testing.T) {
	set := vendors.Default()
	template, pods, limits := bigInstance(rand.New(rand.NewPCG(testkit.Seed(t), 77)))
	e := simulate.Estimate(set, template, pods, limits)
	count := map[*corev1.Pod]int{}
	ids := map[string]bool{}
	for _, n := range e.Nodes {
		fresh := simulate.Estimate(set, template, podsOf(1, "gpu=1 mem=1"), simulate.Limits{}).Nodes[0]
		u := fresh.Usage.Without(fresh.Placed[0])
		for i, pod := range n.Pods {
			count[pod]++
			for _, d := range n.Placed[i].Devices {
				if n.Usage.Info().Find(d.Vendor, d.ID) < 0 {
					t.Errorf("%s holds %s, which node %s does not have", pod.Name, d.ID, n.Name)
				}
			}
		}
		if n.Usage.Info().Name() != n.Name || n.Object.Name != n.Name || u.Info().Len() != n.Usage.Info().Len() {
			t.Errorf("node %s: its parts do not agree on its name and devices", n.Name)
		}
		for i := range n.Usage.Info().Len() {
			id := n.Usage.Info().Device(i).ID
			if ids[id] {
				t.Errorf("device id %s occurs twice", id)
			}
			ids[id] = true
		}
		if want := sum(n, u); testkit.Table(n.Usage) != want {
			t.Errorf("node %s holds\n%swant\n%s", n.Name, testkit.Table(n.Usage), want)
		}
	}
	for _, u := range e.Unplaced {
		count[u.Pod]++
		told := 0
		for _, is := range []bool{u.Err != nil, u.Limit, !u.Reasons.IsZero()} {
			if is {
				told++
			}
		}
		if told != 1 {
			t.Errorf("%s has no place, for other than one reason: %+v", u.Pod.Name, u)
		}
	}
	for _, pod := range pods {
		if count[pod] != 1 {
			t.Errorf("pod %s is answered %d times", pod.Name, count[pod])
		}
	}
}

// sum is the usage of a new node that starts like u, with what was placed on it.
func sum(n simulate.NewNode, u *device.NodeUsage) string {
	return testkit.Table(n.Usage.Update(func(devices []device.DeviceUsage) {
		copy(devices, u.Devices())
		for _, a := range n.Placed {
			for _, h := range a.Collapse() {
				devices[n.Usage.Info().Find(h.Vendor, h.ID)].Take(h)
			}
		}
	}))
}

// TestFitsAreFew: a pod shape is tried once on each state of a node. 200 equal pods, ten to a node: each node is tried once
// when it is full, and once for each pod.
func TestFitsAreFew(t *testing.T) {
	e := simulate.Estimate(vendors.Default(), simulate.Template{Node: testkit.Node("t", cards(1, 10000)...)}, podsOf(200, "gpu=1 mem=1000"), simulate.Limits{})
	if len(e.Nodes) != 20 || e.LowerBound != 20 || e.Fits > 220 {
		t.Errorf("%d nodes, lower bound %d, %d fits; want 20, 20 and at most 220", len(e.Nodes), e.LowerBound, e.Fits)
	}
}

// TestNewNodes: names sort in the order of their numbers, the label with the host name follows, hardware is kept.
func TestNewNodes(t *testing.T) {
	sample := testkit.Node("t", cards(2, 10000)...)
	sample.Labels = map[string]string{corev1.LabelHostname: "t", "zone": "z"}
	sample.Annotations["hami.io/node-nvidia-score"] = `[{"uuid":"g0","score":{"g1":600,"gone":3}},{"uuid":"g1","score":{"g0":500}}]`
	e := simulate.Estimate(vendors.Default(), simulate.Template{Node: sample}, podsOf(3, "gpu=2 mem=6000"), simulate.Limits{})
	for i, n := range e.Nodes {
		name := fmt.Sprintf("t-new-%05d", i)
		info := n.Usage.Info()
		if n.Name != name || n.Object.Labels[corev1.LabelHostname] != name || n.Object.Labels["zone"] != "z" {
			t.Errorf("node %d: name %s, labels %v", i, n.Name, n.Object.Labels)
		}
		if info.Device(0).ID != name+"/g0" || info.Link(0, 1) != 600 || info.Link(1, 0) != 500 {
			t.Errorf("node %d: %+v, links %d %d", i, *info.Device(0), info.Link(0, 1), info.Link(1, 0))
		}
	}
	if len(e.Nodes) != 3 || sample.Name != "t" || sample.Labels[corev1.LabelHostname] != "t" {
		t.Errorf("%d nodes; the sample is now %v", len(e.Nodes), sample.ObjectMeta)
	}
}

// TestAllowSees: the predicate is told the pod, the new node and the pods that are on it, and is asked for nodes only whose
// devices would serve.
func TestAllowSees(t *testing.T) {
	var log []string
	limits := simulate.Limits{Allow: func(pod *corev1.Pod, node *corev1.Node, on []*corev1.Pod) error {
		line := pod.Name + " on " + node.Name + " with"
		for _, p := range on {
			line += " " + p.Name
		}
		log = append(log, line)
		return nil
	}}
	simulate.Estimate(vendors.Default(), simulate.Template{Node: testkit.Node("t", cards(1, 10000)...)}, podsOf(4, "gpu=1 mem=4000"), limits)
	want := []string{"a0 on t-new-00000 with", "a1 on t-new-00000 with a0", "a2 on t-new-00001 with", "a3 on t-new-00001 with a2"}
	if diff := cmp.Diff(want, log); diff != "" {
		t.Error(diff)
	}
}

func TestProgress(t *testing.T) {
	last, calls := -1, 0
	limits := simulate.Limits{Progress: func(done, all int) {
		calls++
		if done <= last || all != 200 {
			t.Errorf("progress %d of %d after %d", done, all, last)
		}
		last = done
	}}
	simulate.Estimate(vendors.Default(), simulate.Template{Node: testkit.Node("t", cards(1, 10000)...)}, podsOf(200, "gpu=1 mem=4000"), limits)
	if calls < 2 || last >= 200 {
		t.Errorf("%d calls, the last at %d", calls, last)
	}
}

// TestUnplacedErrors: errors of requests and of the predicate can be told by errors.Is and As.
func TestUnplacedErrors(t *testing.T) {
	limits := simulate.Limits{Allow: func(*corev1.Pod, *corev1.Node, []*corev1.Pod) error { return fmt.Errorf("here: %w", errTainted) }}
	pods := []*corev1.Pod{podOf("ok gpu=1 mem=10"), podOf("bad gpu=1 mem=-1")}
	e := simulate.Estimate(vendors.Default(), simulate.Template{Node: testkit.Node("t", cards(1, 10000)...)}, pods, limits)
	var invalid *device.RequestError
	if len(e.Unplaced) != 2 || !errors.Is(e.Unplaced[0].Err, errTainted) || !errors.As(e.Unplaced[1].Err, &invalid) {
		t.Errorf("not placed: %+v", e.Unplaced)
	}
}
