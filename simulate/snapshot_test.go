package simulate_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"

	"github.com/accelfit/accelfit/device"
	"github.com/accelfit/accelfit/internal/testkit"
	"github.com/accelfit/accelfit/simulate"
	"github.com/accelfit/accelfit/usage"
	"github.com/accelfit/accelfit/vendors"
	"github.com/accelfit/accelfit/vendors/nvidia"
)

// TestErrors: every error says what it is about and wraps its sentinel; whoever gets it finds the snapshot as it was.
func TestErrors(t *testing.T) {
	s := newSnapshot(t, vendors.Default(), []*corev1.Node{testkit.Node("n1", cards(1, 10000)...)})
	pod := podOf("p gpu=1 mem=100")
	if _, err := s.Place(pod, "n1"); err != nil {
		t.Fatal(err)
	}
	before := contentOf(t, s)
	request, err := s.Set().Request(podOf("q gpu=1"))
	if err != nil {
		t.Fatal(err)
	}
	second := func(_ any, err error) error { return err }
	for _, c := range []struct {
		why  string
		got  error
		want error // sentinel
		text string
	}{
		{"Place on an unknown node", second(s.Place(podOf("q gpu=1"), "n2")), simulate.ErrNoNode, "node n2: node is not in the snapshot"},
		{"Fit on an unknown node", second(s.Fit(request, "n2")), simulate.ErrNoNode, "node n2: node is not in the snapshot"},
		{"RemoveNode of an unknown node", s.RemoveNode("n2"), simulate.ErrNoNode, "node n2: node is not in the snapshot"},
		{"AddNode of a known node", second(s.AddNode(testkit.Node("n1"), nil)), simulate.ErrNodeTaken, "node n1: node is in the snapshot already"},
		{"Place of a placed pod", second(s.Place(pod, "n1")), simulate.ErrPlaced, "pod team/p on node n1: pod is placed already"},
		{"PlaceAnywhere of a placed pod", second(s.PlaceAnywhere(pod, simulate.PlaceOptions{})), simulate.ErrPlaced, "pod team/p on node n1: pod is placed already"},
		{"Remove of an unknown pod", s.Remove("team/q"), simulate.ErrNotPlaced, "pod team/q: pod is not placed"},
		{"Revert without Fork", simulate.NewStack(s).Revert(), simulate.ErrNoFork, "no fork to end"},
		{"Commit without Fork", simulate.NewStack(s).Commit(), simulate.ErrNoFork, "no fork to end"},
	} {
		if !errors.Is(c.got, c.want) || c.got.Error() != c.text {
			t.Errorf("%s: error %v, want %s", c.why, c.got, c.text)
		}
	}
	var invalid *device.RequestError
	bad := podOf("bad gpu=1 mem=-1")
	if _, err := s.Place(bad, "n1"); !errors.As(err, &invalid) || !strings.HasPrefix(err.Error(), "pod team/bad: ") {
		t.Errorf("an invalid request: %v, want a RequestError that names the pod", err)
	}
	if _, err := s.PlaceAnywhere(bad, simulate.PlaceOptions{}); !errors.As(err, &invalid) {
		t.Errorf("an invalid request: %v, want a RequestError", err)
	}
	if after := contentOf(t, s); after != before {
		t.Errorf("the snapshot holds\n%swant\n%s", after, before)
	}
}

// TestNewReportsProblems: what cannot be read is reported and left out, the rest counts.
func TestNewReportsProblems(t *testing.T) {
	malformed := testkit.Node("n2")
	malformed.Annotations[nvidia.AnnotationRegister] = "{"
	on := func(name, node, bound, allocated string) *corev1.Pod {
		pod := podOf(name)
		pod.Spec.NodeName = bound
		pod.Annotations = map[string]string{device.AnnotationNode: node, nvidia.AnnotationAllocated: allocated}
		return pod
	}
	s, problems := simulate.New(vendors.Default(),
		[]*corev1.Node{testkit.Node("n1", cards(2, 10000)...), malformed, testkit.Node("n1")},
		[]*corev1.Pod{
			on("p", "n1", "", "g0,NVIDIA,100,0:;"), on("p", "n1", "", "g0,NVIDIA,100,0:;"), on("bad", "n1", "", "g1,NVIDIA,x,0:;"),
			on("elsewhere", "n9", "", "g0,NVIDIA,100,0:;"), on("moved", "n1", "n2", "g0,NVIDIA,100,0:;"), podOf("pending gpu=1"),
		})
	var objects []string
	for _, p := range problems {
		objects = append(objects, p.Object)
	}
	slices.Sort(objects)
	if got := strings.Join(objects, ", "); got != "node n1, node n2, pod team/bad, pod team/p" {
		t.Errorf("problems of %s", got)
	}
	u, _ := s.Node("n1")
	if got, want := testkit.Table(u), "g0: slots 1, memory 100, cores 0\ng1: slots 0, memory 0, cores 0, unhealthy\n"; got != want || s.Len() != 2 {
		t.Errorf("%d nodes, n1 holds\n%swant\n%s", s.Len(), got, want)
	}
	for name, want := range map[string]string{"p": "n1", "bad": "n1", "elsewhere": "", "moved": "", "pending": ""} {
		if on, _ := s.PlacedOn("team/" + name); on != want {
			t.Errorf("pod %s is on %q, want %q", name, on, want)
		}
	}
}

func TestUnknownNode(t *testing.T) {
	s := newSnapshot(t, vendors.Default(), nil)
	u, ok := s.Node("n1")
	if u != nil || ok || s.Object("n1") != nil || s.Holdings("n1") != nil || s.Len() != 0 {
		t.Error("something is known of a node that is not there")
	}
}

// TestPlaceRefused: a pod that does not fit leaves no trace, and the reasons are those of the node (spec nvidia V4).
func TestPlaceRefused(t *testing.T) {
	bare := testkit.Node("n2")
	delete(bare.Annotations, nvidia.AnnotationRegister)
	s := newSnapshot(t, vendors.Default(), []*corev1.Node{testkit.Node("n1", cards(2, 10000)...), bare})
	before := contentOf(t, s)
	for _, c := range []struct{ pod, node, want string }{
		{"p gpu=1 mem=10001", "n1", "n1: 2/2 CardInsufficientMemory"},
		{"p gpu=3", "n1", "n1: NodeInsufficientDevice"},
		{"p gpu=1", "n2", "n2: node unregistered"},
		{"p gpu=1 mem=6000 | gpu=2 mem=6000", "n1", "n1: 1/2 AllocatedCardsInsufficientRequest, 1/2 CardInsufficientMemory"},
	} {
		result, err := s.Place(podOf(c.pod), c.node)
		if err != nil || result.OK() || result.Allocation != nil || len(result.Refused) != 1 || result.Refused[0].String() != c.want {
			t.Errorf("%s on %s: %+v, %v; want %s", c.pod, c.node, result, err, c.want)
		}
	}
	if after := contentOf(t, s); after != before {
		t.Errorf("the snapshot holds\n%swant\n%s", after, before)
	}
}

// TestPlaceAnywhere is spec core E18, and the options: n1 is used and scores higher.
func TestPlaceAnywhere(t *testing.T) {
	used := podOf("used hami.io/vgpu-node=n1 hami.io/vgpu-devices-allocated=a0,NVIDIA,4000,30:;")
	base := newSnapshot(t, vendors.Default(), []*corev1.Node{
		testkit.Node("n2", testkit.Card("b0", 10000)), testkit.Node("n1", testkit.Card("a0", 10000), testkit.Card("a1", 10000)), testkit.Node("n0", testkit.Card("c0", 500)),
		testkit.Node("n3", testkit.Card("d0", 10000)),
	}, used)
	never := func(names ...string) simulate.PlaceOptions {
		return simulate.PlaceOptions{Allow: func(_ *corev1.Pod, n *corev1.Node) error {
			if slices.Contains(names, n.Name) {
				return errors.New("tainted")
			}
			return nil
		}}
	}
	for _, c := range []struct {
		why, pod string
		options  simulate.PlaceOptions
		want     string // node, devices, refusals
	}{
		{"binpack takes the fullest", "p gpu=1 mem=1000", simulate.PlaceOptions{}, "n1 a1; n0: 1/1 CardInsufficientMemory"},
		{"spread takes the emptiest, equal ones by name", "p gpu=1 mem=1000 hami.io/node-scheduler-policy=spread", simulate.PlaceOptions{}, "n2 b0; n0: 1/1 CardInsufficientMemory"},
		{"any other policy is binpack", "p gpu=1 mem=1000 hami.io/node-scheduler-policy=other", simulate.PlaceOptions{}, "n1 a1; n0: 1/1 CardInsufficientMemory"},
		{"first fit goes by name", "p gpu=1 mem=100", simulate.PlaceOptions{FirstFit: true}, "n0 c0; "},
		{"the caller's predicate", "p gpu=1 mem=1000", never("n1", "n3"), "n2 b0; n0: 1/1 CardInsufficientMemory, n1: tainted, n3: tainted"},
		{"no node", "p gpu=1 mem=20000", never("n1"), " ; n0: 1/1 CardInsufficientMemory, n1: tainted, n2: 1/1 CardInsufficientMemory, n3: 1/1 CardInsufficientMemory"},
		{"no device", "p", never("n0"), "n1 ; n0: tainted"},
	} {
		result, err := base.Fork().PlaceAnywhere(podOf(c.pod), c.options)
		if err != nil {
			t.Fatalf("%s: %v", c.why, err)
		}
		devices := ""
		if result.OK() {
			devices = devicesOf(result.Allocation, result.Node)
		}
		var refused []string
		for _, r := range result.Refused {
			refused = append(refused, r.String())
		}
		if got := fmt.Sprintf("%s %s; %s", result.Node, devices, strings.Join(refused, ", ")); got != c.want {
			t.Errorf("%s: %s, want %s", c.why, got, c.want)
		}
	}
}

func TestScoreIsTheNodesBefore(t *testing.T) {
	used := podOf("used hami.io/vgpu-node=n1 hami.io/vgpu-devices-allocated=a0,NVIDIA,4000,30:;")
	s := newSnapshot(t, vendors.Default(), []*corev1.Node{testkit.Node("n1", testkit.Card("a0", 10000), testkit.Card("a1", 10000))}, used)
	if result, err := s.Place(podOf("p gpu=1 mem=1000"), "n1"); err != nil || result.Score != 4 {
		t.Errorf("score %v, %v; want 4 (spec core E18)", result.Score, err)
	}
}

// TestPlaceAll places the most demanding first, whatever the order of the pods.
func TestPlaceAll(t *testing.T) {
	base := newSnapshot(t, vendors.Default(), []*corev1.Node{testkit.Node("n1", cards(1, 10000)...), testkit.Node("n2", cards(1, 10000)...)})
	if _, err := base.Place(podOf("there gpu=1 mem=10"), "n1"); err != nil {
		t.Fatal(err)
	}
	pods := []*corev1.Pod{
		podOf("small gpu=1 mem=3000"), podOf("bad gpu=1 mem=-1"), podOf("there gpu=1 mem=10"), podOf("big gpu=1 mem=7000"),
		podOf("mid gpu=1 mem=6000"), podOf("huge gpu=1 mem=10001"), podOf("cpu"),
	}
	r := rand.New(rand.NewPCG(testkit.Seed(t), 0))
	for range 10 {
		r.Shuffle(len(pods), func(i, k int) { pods[i], pods[k] = pods[k], pods[i] })
		placed, rest := base.Fork().PlaceAll(pods, simulate.PlaceOptions{})
		var got []string
		for _, p := range placed {
			got = append(got, p.Pod.Name+" on "+p.Node)
		}
		if text := strings.Join(got, ", "); text != "big on n1, mid on n2, small on n2, cpu on n2" {
			t.Fatalf("placed %s", text)
		}
		got = nil
		for _, p := range rest {
			got = append(got, fmt.Sprintf("%s %d %t", p.Pod.Name, len(p.Refused), errors.Is(p.Err, simulate.ErrPlaced)))
		}
		if text := strings.Join(got, ", "); text != "huge 2 false, there 0 true, bad 0 false" || rest[2].Err == nil {
			t.Fatalf("not placed %s", text)
		}
	}
}

// TestIterationIsFrozen: what is placed while nodes are iterated over is not seen, and the iteration can be used again.
func TestIterationIsFrozen(t *testing.T) {
	s := newSnapshot(t, vendors.Default(), []*corev1.Node{testkit.Node("n1", cards(1, 10000)...), testkit.Node("n2", cards(1, 10000)...)})
	nodes := s.Nodes()
	for range 2 {
		count := 0
		for _, u := range nodes {
			count++
			if u.Device(0).Slots != 0 {
				t.Errorf("node %s is seen with what was placed meanwhile", u.Info().Name())
			}
			pod := podOf(fmt.Sprintf("p%d gpu=1 mem=10", len(s.Holdings("n1"))))
			if _, err := s.PlaceAnywhere(pod, simulate.PlaceOptions{}); err != nil {
				t.Fatal(err)
			}
		}
		if count != 2 {
			t.Errorf("%d nodes, want 2", count)
		}
	}
	for range nodes {
		break
	}
	if got := len(s.Holdings("n1")); got != 4 {
		t.Errorf("%d pods were placed, want 4", got)
	}
}

// TestHoldingsAreTheCallers: the slice can be changed, appended to and kept.
func TestHoldingsAreTheCallers(t *testing.T) {
	s := newSnapshot(t, vendors.Default(), []*corev1.Node{testkit.Node("n1", cards(1, 10000)...)})
	for _, pod := range podsOf(3, "gpu=1 mem=10") {
		if _, err := s.Place(pod, "n1"); err != nil {
			t.Fatal(err)
		}
	}
	before := contentOf(t, s)
	got := s.Holdings("n1")
	clear(got)
	_ = append(got[:1], usage.Holding{Name: "x"})
	if after := contentOf(t, s); after != before {
		t.Errorf("the snapshot holds\n%swant\n%s", after, before)
	}
}

// TestInputsAreNotChanged compares nodes, pods and quotas before and after everything that is done with them.
func TestInputsAreNotChanged(t *testing.T) {
	r := rand.New(rand.NewPCG(testkit.Seed(t), 77))
	w := newWorld(r)
	set := vendors.Default()
	nodes := []*corev1.Node{w.node("n0"), w.node("n1"), testkit.Node("n2", cards(2, 10000)...)}
	running := slices.Concat(w.running("n0"), w.running("n1"))
	var pods []*corev1.Pod
	for range 30 {
		pods = append(pods, w.pod())
	}
	q := quotaOf("a", "q", map[string]string{"limits.nvidia.com/gpumem": "20000"})
	before := []any{deep(nodes), deep(running), deep(pods), q.DeepCopy()}
	s, _ := simulate.New(set, nodes[:2], running)
	s.SetQuota(q)
	if _, err := s.AddNode(nodes[2], running); err != nil {
		t.Fatal(err)
	}
	placed, _ := s.PlaceAll(pods, simulate.PlaceOptions{})
	for _, p := range placed {
		h := usage.Holding{Namespace: p.Pod.Namespace, Name: p.Pod.Name, UID: p.Pod.UID}
		if err := s.Remove(h.Key()); err != nil {
			t.Fatal(err)
		}
	}
	if len(placed) == 0 {
		t.Error("no pod was placed")
	}
	if diff := cmp.Diff(before, []any{nodes, running, pods, q}); diff != "" {
		t.Errorf("inputs were changed:\n%s", diff)
	}
}

func deep[T interface{ DeepCopy() T }](in []T) (out []T) {
	for _, x := range in {
		out = append(out, x.DeepCopy())
	}
	return out
}

// TestSiblingsInGoroutines uses forks of one snapshot from several goroutines, the snapshot itself from one more; each gets
// what it gets when they run one after the other.
func TestSiblingsInGoroutines(t *testing.T) {
	const siblings = 6
	base := testkit.Seed(t)
	run := func(s *simulate.Snapshot, i uint64) string {
		w := newWorld(rand.New(rand.NewPCG(base, 500+i)))
		log := ""
		for range 60 {
			switch w.r.IntN(5) {
			case 0:
				err := s.Remove(testkit.OneOf(w.r, w.keys...))
				log += fmt.Sprintln(err)
			case 1:
				s.SetQuota(w.quota())
			case 2:
				s = s.Fork()
			default:
				result, err := s.PlaceAnywhere(w.pod(), simulate.PlaceOptions{})
				log += fmt.Sprintln(result.Node, result.Score, err)
			}
		}
		return log + contentOf(t, s)
	}
	snapshot := start(t, newWorld(rand.New(rand.NewPCG(base, 499)))).snap
	for range 3 {
		var forks []*simulate.Snapshot
		var want, got [siblings + 1]string
		for i := range want {
			want[i] = run(snapshot.Fork(), uint64(i))
			forks = append(forks, snapshot.Fork())
		}
		var all sync.WaitGroup
		for i, fork := range forks {
			all.Go(func() { got[i] = run(fork, uint64(i)) })
		}
		all.Wait()
		for i := range want {
			if got[i] != want[i] {
				t.Errorf("sibling %d got\n%swant\n%s", i, got[i], want[i])
			}
		}
	}
}
