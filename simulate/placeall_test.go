package simulate

import (
	"errors"
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"reflect"
	"runtime"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"

	"github.com/accelfit/accelfit/device"
	"github.com/accelfit/accelfit/internal/testkit"
	"github.com/accelfit/accelfit/score"
	"github.com/accelfit/accelfit/vendors"
)

// plainly is PlaceAnywhere as it is told: every node is tried, and nothing is remembered.
func plainly(s *Snapshot, pod *corev1.Pod, o PlaceOptions) (Result, error) {
	r, err := s.request(pod)
	if err != nil {
		return Result{}, err
	}
	limited := r
	if h := s.quotas.Headroom(r.Namespace); h != nil {
		limited = r.WithQuota(h)
	}
	var refused []Refusal
	var best score.Ranked
	var on vendors.Fit
	for name, n := range s.nodes.All() {
		if o.Allow != nil {
			if err := o.Allow(pod, n.object); err != nil {
				refused = append(refused, Refusal{Node: name, Err: err})
				continue
			}
		}
		fit := s.set.Fit(limited, n.usage)
		if !fit.OK() {
			refused = append(refused, Refusal{Node: name, Reasons: fit.Reasons})
			continue
		}
		ranked := score.Ranked{Name: name, Score: s.set.Score(limited, n.usage, fit)}
		if !on.OK() || score.Compare(limited.NodePolicy, ranked, best) < 0 {
			best, on = ranked, fit
		}
		if o.FirstFit {
			break
		}
	}
	if !on.OK() {
		return Result{Refused: refused}, nil
	}
	result := s.commit(r, best.Name, on)
	result.Refused = refused
	if o.Placed != nil {
		o.Placed(pod, s.Object(result.Node))
	}
	return result, nil
}

// cluster is a random snapshot with nodes of several vendors, of which many are in equal states, and pods for it, some of which
// name devices; namespace a has a quota.
func cluster(t *testing.T, r *rand.Rand) (*Snapshot, []*corev1.Pod) {
	t.Helper()
	set := vendors.Default()
	var nodes []*corev1.Node
	var pods []*corev1.Pod
	for range 1 + r.IntN(3) {
		m := makerOf(r, testkit.OneOf(r, append(set.Backends(), set.Backend("NVIDIA"), set.Backend("NVIDIA"))...))
		node := m.node(t, 1+r.IntN(4))
		ids := []string{set.Inventory(node).Device(0).ID}
		for range 1 + r.IntN(4) {
			n := node.DeepCopy()
			n.Name = fmt.Sprintf("n%02d", len(nodes))
			nodes = append(nodes, n)
		}
		var kinds []*corev1.Pod
		for range 1 + r.IntN(4) {
			kinds = append(kinds, m.pod("", ids...))
		}
		for range 12 {
			pod := testkit.OneOf(r, kinds...).DeepCopy()
			pod.Name, pod.Namespace = fmt.Sprintf("p%02d", len(pods)), testkit.OneOf(r, "a", "b", "b")
			pods = append(pods, pod)
		}
	}
	r.Shuffle(len(pods), func(i, k int) { pods[i], pods[k] = pods[k], pods[i] })
	s, problems := New(set, nodes, nil)
	if len(problems) > 0 {
		t.Fatal(problems)
	}
	q := &corev1.ResourceQuota{}
	q.Namespace, q.Name = "a", "q"
	q.Spec.Hard = corev1.ResourceList{"limits.nvidia.com/gpumem": resource.MustParse("60000"), "limits.amd.com/gpucores": resource.MustParse("100")}
	s.SetQuota(q)
	return s, pods
}

// options are random; what they allow depends on what was placed.
func someOptions(r *rand.Rand) func() PlaceOptions {
	firstFit, brief, salt, most := r.IntN(3) == 0, r.IntN(2) == 0, r.Uint32(), r.IntN(8)
	picky := r.IntN(2) == 0
	return func() PlaceOptions {
		o := PlaceOptions{FirstFit: firstFit, Brief: brief}
		if !picky {
			return o
		}
		on := map[string]int{}
		o.Placed = func(_ *corev1.Pod, node *corev1.Node) { on[node.Name]++ }
		o.Allow = func(pod *corev1.Pod, node *corev1.Node) error {
			h := fnv.New32()
			fmt.Fprint(h, pod.Name, node.Name, salt)
			if h.Sum32()%3 == 0 || on[node.Name] > most {
				return fmt.Errorf("%s is not for %s", node.Name, pod.Name)
			}
			return nil
		}
		return o
	}
}

// resultText is everything a placement says.
func resultText(pod *corev1.Pod, r Result, err error, reasons bool) string {
	text := fmt.Sprintf("%s on %q with %+v, score %v: %v\n", pod.Name, r.Node, r.Allocation, r.Score, err)
	for _, refusal := range r.Refused {
		if reasons {
			text += "  " + refusal.String() + "\n"
		}
	}
	return text
}

// stateOfAll is everything that a snapshot says.
func stateOfAll(s *Snapshot) (out string) {
	for name, u := range s.Nodes() {
		out += name + "\n" + testkit.Table(u)
		for _, h := range s.Holdings(name) {
			out += fmt.Sprintf("  %s/%s %+v\n", h.Namespace, h.Name, h.Allocation)
		}
	}
	return out + fmt.Sprint(s.quotas.Headroom("a"), s.quotas.Headroom("b"))
}

// TestPlacingRemembersRight: PlaceAll and PlaceAnywhere answer as if every pod was tried on every node anew, for all vendors,
// whatever is allowed, under quotas, and for pods that name devices; and so do forks that share what is remembered.
func TestPlacingRemembersRight(t *testing.T) {
	base := testkit.Seed(t)
	for round := range uint64(150) {
		r := rand.New(rand.NewPCG(base, 700+round))
		s, pods := cluster(t, r)
		options := someOptions(r)
		all, one, plain := s.Fork(), s.Fork(), s.Fork()
		placed, rest := all.PlaceAll(pods, options())
		answer := map[*corev1.Pod]Placed{}
		for _, p := range append(placed, rest...) {
			answer[p.Pod] = p
		}
		if len(answer) != len(pods) {
			t.Fatalf("round %d: %d of %d pods are answered", round, len(answer), len(pods))
		}
		o1, o2 := options(), options()
		f := s.Fork().field(parse(s.set, pods, vendors.FitOptions{}), o1)
		for _, at := range f.pods.order(f.share) {
			pod := f.pods.pods[at].pod
			want, wantErr := plainly(plain, pod, o2)
			got, err := one.PlaceAnywhere(pod, o1)
			p := answer[pod]
			wantText := resultText(pod, want, wantErr, !o1.Brief)
			if diff := cmp.Diff(wantText, resultText(pod, got, err, true)); diff != "" {
				t.Fatalf("round %d, PlaceAnywhere:\n%s", round, diff)
			}
			if want.OK() {
				wantText = resultText(pod, want, wantErr, false)
			}
			if diff := cmp.Diff(wantText, resultText(pod, p.Result, p.Err, true)); diff != "" {
				t.Fatalf("round %d, PlaceAll:\n%s", round, diff)
			}
		}
		want := stateOfAll(plain)
		if diff := cmp.Diff(want, stateOfAll(all)); diff != "" {
			t.Fatalf("round %d, PlaceAll:\n%s", round, diff)
		}
		if diff := cmp.Diff(want, stateOfAll(one)); diff != "" {
			t.Fatalf("round %d, PlaceAnywhere:\n%s", round, diff)
		}
	}
}

// TestPlaceAllTwice: pods that are placed already, and pods that cannot be asked about, are errors and take nothing.
func TestPlaceAllTwice(t *testing.T) {
	s, pods := cluster(t, rand.New(rand.NewPCG(testkit.Seed(t), 5)))
	placed, _ := s.PlaceAll(pods, PlaceOptions{})
	before := stateOfAll(s)
	bad := &corev1.Pod{}
	bad.Name = "bad"
	c := corev1.Container{Name: "c"}
	c.Resources.Limits = corev1.ResourceList{"nvidia.com/gpu": resource.MustParse("-1")}
	bad.Spec.Containers = append(bad.Spec.Containers, c)
	again, rest := s.PlaceAll(append(pods, bad), PlaceOptions{})
	wrong := 0
	for _, p := range rest {
		if errors.Is(p.Err, ErrPlaced) {
			wrong++
		}
		if invalid := (*device.RequestError)(nil); p.Pod == bad && !errors.As(p.Err, &invalid) {
			t.Errorf("bad: %v", p.Err)
		}
	}
	if len(again) > 0 || wrong != len(placed) || len(placed) == 0 || stateOfAll(s) != before {
		t.Errorf("%d placed anew, %d of %d are told to be placed", len(again), wrong, len(placed))
	}
}

// TestSiblingsAtOnce: eight goroutines work on forks of one snapshot, each in a way of its own; each comes to what it comes to
// alone. With -race it shows that forks share nothing that is written without care.
func TestSiblingsAtOnce(t *testing.T) {
	s, pods := cluster(t, rand.New(rand.NewPCG(testkit.Seed(t), 6)))
	work := func(k int, s *Snapshot) (out string) {
		r := rand.New(rand.NewPCG(uint64(k), 6))
		order := append([]*corev1.Pod{}, pods...)
		r.Shuffle(len(order), func(i, j int) { order[i], order[j] = order[j], order[i] })
		half := len(order) / 2
		for _, pod := range order[:half] {
			result, err := s.PlaceAnywhere(pod, PlaceOptions{})
			out += resultText(pod, result, err, true)
		}
		placed, rest := s.PlaceAll(order[half:], PlaceOptions{Brief: k%2 == 0})
		for _, p := range append(placed, rest...) {
			out += resultText(p.Pod, p.Result, p.Err, true)
		}
		for _, p := range placed {
			if err := s.Remove(p.Pod.Namespace + "/" + p.Pod.Name); err != nil {
				out += err.Error()
			}
		}
		return out + questionsText(s, order) + stateOfAll(s)
	}
	const siblings = 8
	var alone, together [siblings]string
	var wait sync.WaitGroup
	for k := range siblings {
		wait.Go(func() { together[k] = work(k, s.Fork()) })
	}
	wait.Wait()
	fresh, _ := cluster(t, rand.New(rand.NewPCG(testkit.Seed(t), 6)))
	for k := range siblings {
		alone[k] = work(k, fresh.Fork())
		if diff := cmp.Diff(alone[k], together[k]); diff != "" {
			t.Fatalf("sibling %d:\n%s", k, diff)
		}
	}
}

// questionsText is what comes of every question about a snapshot.
func questionsText(s *Snapshot, pods []*corev1.Pod) string {
	moved := func(moves []Move) (out string) {
		for _, m := range moves {
			out += fmt.Sprintln(m.Pod.Name, m.From, m.To, m.Allocation)
		}
		return out
	}
	c, err := s.Capacity(pods[0], CapacityOptions{MaxPerNode: 5})
	out := fmt.Sprintln(c, err)
	f, err := s.Fragments(pods[0], FragmentOptions{})
	out += fmt.Sprintln(f, err)
	r, err := s.MakeRoom(pods[len(pods)-1], pods, MoveOptions{MaxTries: 2000})
	out += fmt.Sprintln(r.Node, r.Allocation, r.Complete, moved(r.Moves), err)
	d, err := s.Drain("n00", pods, MoveOptions{MaxTries: 2000})
	return out + fmt.Sprintln(d.OK, d.Complete, len(d.Stuck), moved(d.Moves), err)
}

// TestAnyNumberOfProcessors: answers do not depend on GOMAXPROCS.
func TestAnyNumberOfProcessors(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(0))
	r := rand.New(rand.NewPCG(testkit.Seed(t), 7))
	s, pods := cluster(t, r)
	groups := []NodeGroup{{Name: "a", Template: Template{Node: s.Object("n00")}}, {Name: "b", Template: Template{Node: s.Object("n01")}, MaxNew: 2}}
	var first string
	for _, n := range []int{1, 2, 3, 8} {
		runtime.GOMAXPROCS(n)
		placed, rest := s.Fork().PlaceAll(pods, PlaceOptions{})
		text := ""
		for _, p := range append(placed, rest...) {
			text += resultText(p.Pod, p.Result, p.Err, true)
		}
		e := Estimate(s.set, groups[0].Template, pods, Limits{Quotas: s.quotas})
		plan := ScaleUp(s.set, groups, pods, LeastWaste, Limits{Quotas: s.quotas})
		text += fmt.Sprint(e.Fits, plan.Fits, e.LowerBound, e.Spare, len(e.Unplaced), len(plan.Unplaced))
		for i := range plan.Steps {
			text += fmt.Sprintln(plan.Steps[i].Group, plan.Steps[i].Waste, plan.Steps[i].Price)
		}
		text += questionsText(s, pods)
		for _, nodes := range [][]NewNode{e.Nodes, stepNodes(&plan)} {
			for _, node := range nodes {
				text += node.Name + testkit.Table(node.Usage)
				for k, pod := range node.Pods {
					text += fmt.Sprintln(pod.Name, node.Placed[k])
				}
			}
		}
		if first == "" {
			first = text
		}
		if diff := cmp.Diff(first, text); diff != "" {
			t.Fatalf("%d processors:\n%s", n, diff)
		}
	}
}

func stepNodes(p *Plan) (out []NewNode) {
	for i := range p.Steps {
		out = append(out, p.Steps[i].Nodes...)
	}
	return out
}

// TestRefusalsAreShared: pods that nobody tells apart share why no node serves them.
func TestRefusalsAreShared(t *testing.T) {
	set := vendors.Default()
	s, _ := New(set, []*corev1.Node{testkit.Node("n", testkit.Card("g", 100))}, nil)
	var pods []*corev1.Pod
	for i := range 3 {
		pod := &corev1.Pod{}
		pod.Name = fmt.Sprint(i)
		c := corev1.Container{}
		c.Resources.Limits = corev1.ResourceList{"nvidia.com/gpu": resource.MustParse("2")}
		pod.Spec.Containers = append(pod.Spec.Containers, c)
		pods = append(pods, pod)
	}
	_, rest := s.PlaceAll(pods, PlaceOptions{})
	if len(rest) != 3 || len(rest[0].Refused) != 1 || &rest[0].Refused[0] != &rest[2].Refused[0] || !reflect.DeepEqual(rest[0].Refused, rest[1].Refused) {
		t.Errorf("%+v", rest)
	}
}
