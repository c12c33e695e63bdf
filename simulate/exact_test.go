package simulate_test

import (
	"cmp"
	"math/bits"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/accelfit/accelfit/device"
	"github.com/accelfit/accelfit/internal/testkit"
	"github.com/accelfit/accelfit/simulate"
	"github.com/accelfit/accelfit/vendors"
)

// TestHowFarFromOptimal measures the estimate against exhaustive search, over instances of up to 10 pods and 6 nodes on shared
// cards and on cards that are cut into instances: it is never below the optimum, and in at least 95 of 100 cases at most one
// node above it. What it calls optimal is.
func TestHowFarFromOptimal(t *testing.T) {
	if testing.Short() {
		t.Skip("2,000 instances, each solved exactly")
	}
	set := vendors.Default()
	base := testkit.Seed(t)
	const seeds = 2000
	solved, exact, close, proven, bounds := 0, 0, 0, 0, 0
	above := map[int]int{}
	for seed := range uint64(seeds) {
		r := rand.New(rand.NewPCG(base, 9000+seed))
		in := randomInstance(r, seed%4 == 0, 1+r.IntN(10))
		e := simulate.Estimate(set, in.template, in.pods, simulate.Limits{})
		best := in.exact()
		if len(e.Unplaced) > 0 || best > 6 {
			continue
		}
		solved++
		over := len(e.Nodes) - best
		above[over]++
		if over < 0 || e.LowerBound > best || e.Optimal && over > 0 {
			t.Fatalf("seed %d: %d nodes, optimal %t, lower bound %d, optimum %d: %+v", seed, len(e.Nodes), e.Optimal, e.LowerBound, best, in.needs)
		}
		if over == 0 {
			exact++
		}
		if over <= 1 {
			close++
		}
		if e.Optimal {
			proven++
		}
		if e.LowerBound == best {
			bounds++
		}
	}
	share := func(n int) float64 { return 100 * float64(n) / float64(max(1, solved)) }
	t.Logf("%d of %d instances have at most 6 nodes; exact in %.1f %%, at most one above in %.1f %%, proven in %.1f %%, bound is the optimum in %.1f %%; nodes above the optimum: %v",
		solved, seeds, share(exact), share(close), share(proven), share(bounds), above)
	if solved < seeds/2 || share(close) < 95 {
		t.Errorf("%d instances solved, at most one above the optimum in %.1f %%", solved, share(close))
	}
}

// load is what is taken of the cards of a node: sums, or the slices of cards that are cut into instances. Of equal cards the
// one that has less comes first: which is which makes no difference.
type load [2]struct{ cards, memory, cores int16 }

func (in *instance) ordered(l load) load {
	a, b := l[0], l[1]
	if len(in.cards) == 2 && in.cards[0].Slots == in.cards[1].Slots && // all else is equal anyway
		cmp.Or(cmp.Compare(a.cards, b.cards), cmp.Compare(a.memory, b.memory), cmp.Compare(a.cores, b.cores)) > 0 {
		l[0], l[1] = b, a
	}
	return l
}

// exact is optimum for more pods: of every set of pods all loads are listed that one node can have with it, each once.
func (in *instance) exact() int {
	n := len(in.pods)
	loads := make([]map[load]bool, 1<<n)
	loads[0] = map[load]bool{{}: true}
	best := make([]int, 1<<n)
	for set := 1; set < 1<<n; set++ {
		loads[set] = in.loads(loads[set&(set-1)], in.needs[bits.TrailingZeros(uint(set))])
		best[set] = n + 1
		first := set & -set // is on some node
		for part := set; part > 0; part = (part - 1) & set {
			if part&first != 0 && len(loads[part]) > 0 {
				best[set] = min(best[set], 1+best[set&^part])
			}
		}
	}
	return best[1<<n-1]
}

// loads are those after one more pod.
func (in *instance) loads(before map[load]bool, n need) map[load]bool {
	out := map[load]bool{}
	for l := range before {
		if in.cards[0].Mode == "mig" {
			in.cutOne(out, l, n, n.cards, 0)
		} else {
			in.stackOne(out, l, n)
		}
	}
	return out
}

func (in *instance) stackOne(out map[load]bool, before load, n need) {
	for chosen := range 1 << len(in.cards) {
		if bits.OnesCount(uint(chosen)) != n.cards {
			continue
		}
		after, ok := before, true
		for i := range in.cards {
			if chosen&(1<<i) == 0 {
				continue
			}
			use := &after[i]
			use.cards, use.memory, use.cores = use.cards+1, use.memory+int16(n.memory), use.cores+int16(n.cores)
			ok = ok && int64(use.cards) <= in.cards[i].Slots && int64(use.memory) <= in.cards[i].Memory && use.cores <= 100
		}
		if ok {
			out[in.ordered(after)] = true
		}
	}
}

// cutOne cuts the given number of instances, each of the smallest profile with enough memory: every placement of a larger one
// has one of each smaller in it. Those of a pod are equal, so that each comes behind the one before, from place number from on.
func (in *instance) cutOne(out map[load]bool, before load, n need, instances, from int) {
	if instances == 0 {
		out[in.ordered(before)] = true
		return
	}
	place := 0
	for i := range in.cards {
		profiles := in.cards[i].MIGProfiles
		smallest := slices.IndexFunc(profiles, func(p device.MIGProfile) bool { return p.Memory >= int64(n.memory) })
		if smallest < 0 {
			continue
		}
		for _, at := range profiles[smallest].Placements {
			place++
			after := before
			mask := int16((1<<at.Size - 1) << at.Start)
			if place > from && after[i].cards&mask == 0 {
				after[i].cards |= mask
				in.cutOne(out, after, n, instances-1, place)
			}
		}
	}
}
