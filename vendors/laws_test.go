package vendors_test

import (
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"sync"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/accelfit/accelfit/device"
	"github.com/accelfit/accelfit/internal/testkit"
	"github.com/accelfit/accelfit/score"
	"github.com/accelfit/accelfit/usage"
	"github.com/accelfit/accelfit/vendors"
)

// situation is a random node and pod, as in TestFitAgreesWithNaive.
type situation struct {
	seed  int
	cards []naiveCard
	spec  naivePod
	pod   *corev1.Pod
	node  *device.NodeUsage
	req   *vendors.Request
	fit   vendors.Fit
}

func (s *situation) String() string {
	return fmt.Sprintf("seed %d: %s", s.seed, describe(s.cards, s.spec))
}

// situations calls check with n situations that change accepts (nil: all, as they are); change may also edit them.
func situations(t *testing.T, n int, change func(rnd *rand.Rand, s *situation) bool, check func(s *situation)) {
	t.Helper()
	set := vendors.Default()
	for seed, done := 0, 0; done < n; seed++ {
		rnd := rand.New(rand.NewPCG(uint64(seed), 2))
		s := &situation{seed: seed, cards: randomCards(rnd), spec: randomPod(rnd)}
		if change != nil && !change(rnd, s) {
			continue
		}
		done++
		s.pod, s.node = s.spec.object(), usageOf(s.cards)
		s.req = request(t, set, s.pod).WithQuota(s.spec.headroom())
		s.fit = set.Fit(s.req, s.node)
		check(s)
	}
}

func TestFitIsDeterministicAndChangesNothing(t *testing.T) {
	set := vendors.Default()
	situations(t, 3000, nil, func(s *situation) {
		pod, node, asks := s.pod.DeepCopy(), s.node.DeepCopy(), fmt.Sprint(s.req.Containers())
		again, why := set.Fit(request(t, set, s.pod).WithQuota(s.spec.headroom()), s.node), set.Explain(s.req, s.node)
		if !reflect.DeepEqual(again, s.fit) {
			t.Fatalf("two answers: %v and %v\n%s", s.fit, again, s)
		}
		if s.fit.OK() {
			set.Score(s.req, s.node, s.fit)
			before := s.fit.Allocation.DeepCopy()
			set.Annotations(s.pod, s.node.Info(), s.fit.Allocation, time.Unix(1, 0))
			s.node.With(s.fit.Allocation)
			if !reflect.DeepEqual(before, s.fit.Allocation) {
				t.Fatalf("the allocation changed\n%s", s)
			}
		}
		if !reflect.DeepEqual(pod, s.pod) || !reflect.DeepEqual(node, s.node) || asks != fmt.Sprint(s.req.Containers()) {
			t.Fatalf("an argument changed\n%s", s)
		}
		if !reflect.DeepEqual(why.Fit, s.fit) {
			t.Fatalf("Explain says %v, Fit %v\n%s", why.Fit, s.fit, s)
		}
	})
}

// TestExplainTellsOneReason: of every card the container was refused on there is one verdict that says why, and the verdicts
// add up to the counts of the refusal.
func TestExplainTellsOneReason(t *testing.T) {
	set := vendors.Default()
	situations(t, 4000, nil, func(s *situation) {
		why := set.Explain(s.req, s.node)
		refused := map[string]int{}
		counts := map[device.Code]int{}
		for _, v := range why.Verdicts {
			if v.Granted != (v.Code == device.Fits) || v.Vendor != "NVIDIA" {
				t.Fatalf("verdict %+v\n%s", v, s)
			}
			if !v.Granted && !why.OK() && v.Container == why.Reasons.Container {
				refused[v.Device]++
				counts[v.Code]++
			}
		}
		for id, n := range refused {
			if n != 1 {
				t.Fatalf("%s has %d reasons\n%s", id, n, s)
			}
		}
		for code, n := range counts {
			if have := why.Reasons.Count(code); have != n && !(code == device.ResourceQuotaNotFit && have > n) {
				t.Fatalf("%d verdicts and %d counts of %s\n%s", n, have, code, s)
			}
		}
	})
}

// TestRegistrationOrderChangesTiesOnly: in whatever order cards are listed, a container that nothing but the cards limits gets
// cards that rank the same, or is refused for the same reasons.
func TestRegistrationOrderChangesTiesOnly(t *testing.T) {
	set := vendors.Default()
	var shuffled []naiveCard
	change := func(rnd *rand.Rand, s *situation) bool {
		shuffled = cloneCards(s.cards)
		rnd.Shuffle(len(shuffled), func(i, j int) { shuffled[i], shuffled[j] = shuffled[j], shuffled[i] })
		s.spec.memMax, s.spec.corMax = -1, -1
		return plainPod(s)
	}
	situations(t, 4000, change, func(s *situation) {
		node := usageOf(shuffled)
		fit := set.Fit(s.req, node)
		if fit.Reasons != s.fit.Reasons || !sameRanks(s, ranks(s, s.node, s.fit), ranks(s, node, fit)) {
			t.Fatalf("%v %s\nand %v %s\n%s", ranks(s, s.node, s.fit), s.fit.Reasons, ranks(s, node, fit), fit.Reasons, s)
		}
	})
}

// plainPod keeps the first container that asks, and says whether nothing about the pod makes it depend on more than single cards.
func plainPod(s *situation) bool {
	for _, c := range s.spec.containers {
		if c.nums > 0 {
			c.class = device.App
			s.spec.containers = []naiveAsk{c}
			n := naive{pod: s.spec}
			mig := slices.ContainsFunc(s.cards, func(c naiveCard) bool { return c.Mode == "mig" })
			return !s.spec.numaBind && !n.has("topology-aware") && !mig
		}
	}
	return false
}

// ranks is what the cards that serve are sorted by.
func ranks(s *situation, node *device.NodeUsage, fit vendors.Fit) (out []score.Rank) {
	if !fit.OK() {
		return nil
	}
	for _, d := range fit.Allocation.Devices {
		i := node.Info().Find(d.Vendor, d.ID)
		out = append(out, score.RankOf(node.Info().Device(i), node.Device(i), s.req.Containers()[0], score.DefaultWeights()))
	}
	return out
}

func sameRanks(s *situation, a, b []score.Rank) bool {
	p := score.ParsePolicy(s.spec.policy, s.spec.numaBind)
	return slices.EqualFunc(a, b, func(x, y score.Rank) bool { return p.Compare(&x, &y) == 0 })
}

// TestMoreUsageNeverHelps: a container that was refused stays refused when more is taken of a card.
func TestMoreUsageNeverHelps(t *testing.T) {
	set := vendors.Default()
	var fuller []naiveCard
	change := func(rnd *rand.Rand, s *situation) bool {
		fuller = cloneCards(s.cards)
		for range 1 + rnd.IntN(3) {
			c := &fuller[rnd.IntN(len(fuller))]
			c.used, c.mem, c.core = c.used+1, c.mem+pick[int64](rnd, 0, 100, 1000), c.core+pick[int64](rnd, 0, 10, 100)
		}
		s.spec.memMax, s.spec.corMax = -1, -1
		return plainPod(s)
	}
	refused := 0
	situations(t, 4000, change, func(s *situation) {
		if s.fit.OK() {
			return
		}
		refused++
		if set.Fit(s.req, usageOf(fuller)).OK() {
			t.Fatalf("refused (%s), but not with more in use\n%s", s.fit.Reasons, s)
		}
	})
	if refused < 500 {
		t.Errorf("only %d refusals seen", refused)
	}
}

// TestNothingIsGivenTwice: after a pod is placed no card carries more than it has, and instances of containers that run at the
// same time do not overlap.
func TestNothingIsGivenTwice(t *testing.T) {
	situations(t, 6000, nil, func(s *situation) {
		if !s.fit.OK() {
			return
		}
		a := s.fit.Allocation
		after := s.node.With(a)
		for i, u := range after.Devices() {
			d := after.Info().Device(i)
			over := u.Slots > d.Slots || d.Mode != "mig" && (u.Memory > d.Memory || u.Cores > d.Cores)
			if over && !reflect.DeepEqual(u, s.node.Devices()[i]) {
				t.Fatalf("%s carries %+v of %+v\n%s", d.ID, u, d, s)
			}
		}
		for _, x := range a.Devices {
			card := s.cards[slices.IndexFunc(s.cards, func(c naiveCard) bool { return c.ID == x.ID })]
			for _, p := range card.occupied {
				if !x.MIG.IsZero() && intersect(p, x.MIG.Placement) {
					t.Fatalf("%v lies on %v\n%s", x, p, s)
				}
			}
		}
		together(t, s, a)
	})
}

func together(t *testing.T, s *situation, a *device.Allocation) {
	for i, x := range a.Devices {
		for _, y := range a.Devices[:i] {
			apart := x.Container != y.Container && (a.Classes[x.Container] == device.Init && a.Classes[y.Container] != device.Sidecar ||
				a.Classes[y.Container] == device.Init && a.Classes[x.Container] != device.Sidecar)
			if x.ID != y.ID || apart {
				continue
			}
			if x.MIG.IsZero() && x.Container == y.Container {
				t.Fatalf("%s twice in one container\n%s", x.ID, s)
			}
			if !x.MIG.IsZero() && intersect(x.MIG.Placement, y.MIG.Placement) {
				t.Fatalf("%v and %v overlap\n%s", x, y, s)
			}
		}
	}
}

func TestPlacingAndRemovingIsNothing(t *testing.T) {
	set := vendors.Default()
	placed := 0
	situations(t, 4000, nil, func(s *situation) {
		if !s.fit.OK() {
			return
		}
		placed++
		back := s.node.With(s.fit.Allocation).Without(s.fit.Allocation)
		if !reflect.DeepEqual(back.Devices(), s.node.Devices()) {
			t.Fatalf("%+v\nis not %+v\n%s", back.Devices(), s.node.Devices(), s)
		}
		if again := set.Fit(s.req, back); !reflect.DeepEqual(again, s.fit) {
			t.Fatalf("another answer\n%s", s)
		}
	})
	if placed < 1000 {
		t.Errorf("only %d pods placed", placed)
	}
}

// TestAnnotationsTellWhatWasGiven: a node with the annotated pod on it is the node with the allocation taken.
func TestAnnotationsTellWhatWasGiven(t *testing.T) {
	set := vendors.Default()
	empty := func(_ *rand.Rand, s *situation) bool {
		for i := range s.cards {
			c := &s.cards[i]
			c.used, c.mem, c.core, c.occupied = 0, 0, 0, nil
		}
		return true
	}
	situations(t, 3000, empty, func(s *situation) {
		if !s.fit.OK() || len(s.fit.Allocation.Devices) == 0 {
			return
		}
		s.pod.Annotations = set.Annotations(s.pod, s.node.Info(), s.fit.Allocation, time.Unix(1, 0))
		held, ok, problems := usage.Read(set, s.pod)
		if !ok || len(problems) > 0 {
			t.Fatalf("reads back %t, %v\n%s", ok, problems, s)
		}
		if got, want := testkit.AllocationText(held.Allocation), testkit.AllocationText(s.fit.Allocation); got != want {
			t.Fatalf("reads back as %s, want %s\n%s", got, want, s)
		}
		node, problems := usage.Node(set, object(t, s.cards), []*corev1.Pod{s.pod})
		if got, want := node.Devices(), s.node.With(s.fit.Allocation).Devices(); len(problems) > 0 || !reflect.DeepEqual(got, want) {
			t.Fatalf("%v\n got %+v\nwant %+v\n%s", problems, got, want, s)
		}
	})
}

// amounts is what an allocation says apart from what its annotation does not carry.
// object is a node that registers the cards.
func object(tb testing.TB, cards []naiveCard) *corev1.Node {
	tb.Helper()
	var infos []device.DeviceInfo
	for i := range cards {
		infos = append(infos, cards[i].DeviceInfo)
	}
	text, err := device.EncodeRegistration(infos)
	if err != nil {
		tb.Fatal(err)
	}
	cordon := ""
	for _, c := range cards {
		if c.Cordoned {
			cordon += c.ID + ","
		}
	}
	return &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: "n", Annotations: map[string]string{
		"hami.io/node-nvidia-register": text, device.AnnotationCordon: cordon,
	}}}
}

// TestOneSetManyGoroutines uses one set from many goroutines; run it with -race.
func TestOneSetManyGoroutines(t *testing.T) {
	set := vendors.Default()
	var all []*situation
	situations(t, 200, nil, func(s *situation) { all = append(all, s) })
	var wg sync.WaitGroup
	for g := range 8 {
		wg.Go(func() {
			for i := range all {
				s := all[(i+g*31)%len(all)]
				if got := set.Fit(s.req, s.node); !reflect.DeepEqual(got, s.fit) {
					t.Errorf("goroutine %d: %v, alone %v\n%s", g, got, s.fit, s)
				}
				set.Explain(s.req, s.node)
				if _, err := set.Request(s.pod); err != nil {
					t.Error(err)
				}
			}
		})
	}
	wg.Wait()
}
