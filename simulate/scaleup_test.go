package simulate_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"

	"github.com/accelfit/accelfit/internal/testkit"
	"github.com/accelfit/accelfit/simulate"
	"github.com/accelfit/accelfit/vendors"
)

func planText(p *simulate.Plan) string {
	var b strings.Builder
	for _, step := range p.Steps {
		fmt.Fprintf(&b, "%s waste %v price %v\n%s", step.Group, step.Waste, step.Price, text(&step.Estimated))
	}
	for _, u := range p.Unplaced {
		b.WriteString(u.Pod.Name)
		for _, g := range u.Groups {
			b.WriteString("; " + why(g))
		}
		b.WriteByte('\n')
	}
	fmt.Fprintln(&b, p.Quotas.Headroom("a"), p.Quotas.Headroom("b"))
	return b.String() + problemsText(p.Problems)
}

// groupsFor are node groups of all kinds; two are made from the same sample.
func groupsFor(r *rand.Rand) (out []simulate.NodeGroup) {
	small := testkit.Node("small", cards(1, 10000)...)
	for i, node := range []*corev1.Node{small, testkit.Node("large", cards(4, 9000)...), testkit.Node("mig", testkit.MIGCard("m0")), small} {
		out = append(out, simulate.NodeGroup{
			Name: fmt.Sprintf("group%d", i), Template: simulate.Template{Node: node}, Price: float64(1 + r.IntN(5)*i), MaxNew: r.IntN(8),
		})
	}
	return out
}

// TestScaleUpLaws holds for every strategy: the order of the pods does not matter, the input is left as it was, limits are
// kept, every pod is either on one new node or has a reason for each group, and what the quotas say is what was placed.
func TestScaleUpLaws(t *testing.T) {
	base := testkit.Seed(t)
	set := vendors.Default()
	for round := range uint64(3) {
		for _, strategy := range simulate.Strategies() {
			r := rand.New(rand.NewPCG(base, 3000+round))
			_, pods, limits := bigInstance(r)
			limits.MaxNodes = 12
			groups := groupsFor(r)
			before := []any{groups[0].Template.Node.DeepCopy(), deep(pods)}
			plan := simulate.ScaleUp(set, groups, pods, strategy, limits)
			want := planText(&plan)
			checkPlan(t, &plan, groups, pods, limits)
			if diff := cmp.Diff(before, []any{groups[0].Template.Node, pods}); diff != "" {
				t.Fatalf("%s: the input was changed:\n%s", strategy, diff)
			}
			r.Shuffle(len(pods), func(i, k int) { pods[i], pods[k] = pods[k], pods[i] })
			again := simulate.ScaleUp(set, groups, pods, strategy, limits)
			if len(plan.Steps) == 0 || stepsOf(planText(&again)) != stepsOf(want) {
				t.Fatalf("%s, with the pods in another order:\n%s\nwant\n%s", strategy, planText(&again), want)
			}
		}
	}
}

// stepsOf is a plan's text up to the pods that have no place, which are listed in the order they came.
func stepsOf(plan string) string {
	return plan[:strings.LastIndex(plan, "team map")]
}

func checkPlan(t *testing.T, plan *simulate.Plan, groups []simulate.NodeGroup, pods []*corev1.Pod, limits simulate.Limits) {
	t.Helper()
	count := map[*corev1.Pod]int{}
	grown, names := map[string]int{}, map[string]bool{}
	total := 0
	quotas := limits.Quotas
	for _, step := range plan.Steps {
		total += len(step.Nodes)
		grown[step.Group] += len(step.Nodes)
		for _, n := range step.Nodes {
			if names[n.Name] || !strings.HasPrefix(n.Usage.Info().Device(0).ID, n.Name+"/") {
				t.Errorf("node %s is there twice, or its devices have ids of another", n.Name)
			}
			names[n.Name] = true
			for i, p := range n.Pods {
				count[p]++
				quotas = quotas.Take(p.Namespace, n.Placed[i], nil)
			}
		}
	}
	for _, g := range groups {
		if g.MaxNew > 0 && grown[g.Name] > g.MaxNew {
			t.Errorf("%s grows by %d, the most is %d", g.Name, grown[g.Name], g.MaxNew)
		}
	}
	if total > limits.MaxNodes {
		t.Errorf("%d new nodes, the most is %d", total, limits.MaxNodes)
	}
	for _, u := range plan.Unplaced {
		count[u.Pod]++
		if len(u.Groups) != len(groups) {
			t.Errorf("%s has %d reasons for %d groups", u.Pod.Name, len(u.Groups), len(groups))
		}
		for _, g := range u.Groups {
			if g.Pod != u.Pod || g.Err == nil && !g.Limit && g.Reasons.IsZero() {
				t.Errorf("%s has no reason for a group: %+v", u.Pod.Name, g)
			}
		}
	}
	for _, p := range pods {
		if count[p] != 1 {
			t.Errorf("pod %s is answered %d times", p.Name, count[p])
		}
	}
	if diff := cmp.Diff(quotas.Headroom("a"), plan.Quotas.Headroom("a")); diff != "" {
		t.Errorf("quotas:\n%s", diff)
	}
}

func TestStrategies(t *testing.T) {
	for _, s := range simulate.Strategies() {
		if got, err := simulate.ParseStrategy(string(s)); got != s || err != nil {
			t.Errorf("%s reads as %q, %v", s, got, err)
		}
	}
	for _, text := range []string{"", "Price", "price "} {
		if got, err := simulate.ParseStrategy(text); err == nil || got != "" || !strings.Contains(err.Error(), "least-waste most-pods price least-nodes") {
			t.Errorf("%q reads as %q, %v", text, got, err)
		}
	}
}

// TestOnePodForSeveral: a pod that stands in the list several times counts as often; none gets lost between the steps.
func TestOnePodForSeveral(t *testing.T) {
	pod := podOf("p gpu=1 mem=8000")
	groups := []simulate.NodeGroup{
		{Name: "a", Template: simulate.Template{Node: testkit.Node("a", testkit.Card("g0", 10000))}, MaxNew: 1},
		{Name: "b", Template: simulate.Template{Node: testkit.Node("b", testkit.Card("g0", 10000))}, MaxNew: 1},
	}
	plan := simulate.ScaleUp(vendors.Default(), groups, []*corev1.Pod{pod, pod, pod, pod}, simulate.LeastWaste, simulate.Limits{})
	if len(plan.Steps) != 2 || len(plan.Unplaced) != 2 {
		t.Errorf("%d steps, %d pods without a place; want 2 and 2", len(plan.Steps), len(plan.Unplaced))
	}
}
