package score_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/accelfit/accelfit/score"
)

func sorted(p score.Policy, ranks []score.Rank) []int32 {
	positions := make([]int32, len(ranks))
	for i := range positions {
		positions[i] = int32(i)
	}
	p.Sort(positions, ranks)
	return positions
}

// TestFilterTokens: what acts inside a vendor's fit is found anywhere in the list, blanks around it do not matter (spec
// core §8.4).
func TestFilterTokens(t *testing.T) {
	for policy, want := range map[string][2]bool{
		"":                             {false, false},
		"mutex":                        {true, false},
		" mutex":                       {true, false}, // sorts as spread all the same
		"topology-aware":               {false, true},
		"binpack, topology-aware":      {false, true},
		"x,mutex ,numa,topology-aware": {true, true},
		"Mutex":                        {false, false},
		"mutexes,topology":             {false, false},
	} {
		for _, bind := range []bool{false, true} {
			p := score.ParsePolicy(policy, bind)
			if got := [2]bool{p.Mutex, p.TopologyAware}; got != want || p.NUMABind != bind {
				t.Errorf("policy %q, numa-bind %t: mutex and topology-aware %v, want %v; numa-bind %t", policy, bind, got, want, p.NUMABind)
			}
		}
	}
}

// TestStableFor16Devices is deviation D6: all idle, only index 3 slightly busier, policy spread.
func TestStableFor16Devices(t *testing.T) {
	ranks := make([]score.Rank, 16)
	for i := range ranks {
		ranks[i].Index = i
	}
	ranks[3].Score = 0.5
	want := []int32{3, 0, 1, 2, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15} // least first; visited from the end
	if got := sorted(score.ParsePolicy(score.Spread, false), ranks); !slices.Equal(got, want) {
		t.Errorf("order %v, want %v", got, want)
	}
}

// TestSortLaws: sorting any list gives the same devices, in ascending order, equal ones as they were; sorting it again
// changes nothing.
func TestSortLaws(t *testing.T) {
	const seed = 7
	t.Logf("seed %d", seed)
	r := rand.New(rand.NewPCG(seed, 0))
	policies := []string{"", "binpack", "mutex", "numa", "binpack,numa", "numa,spread", "mutex,binpack"}
	for range 500 {
		ranks := make([]score.Rank, r.IntN(70))
		for i := range ranks {
			ranks[i] = score.Rank{Score: float32(r.IntN(4)), Slots: r.Int64N(3), NUMA: r.IntN(3), Index: r.IntN(len(ranks))}
		}
		p := score.ParsePolicy(policies[r.IntN(len(policies))], r.IntN(2) == 0)
		got := sorted(p, ranks)
		for k := 1; k < len(got); k++ {
			a, b := got[k-1], got[k]
			c := p.Compare(&ranks[a], &ranks[b])
			if c > 0 || c == 0 && a >= b || c != -p.Compare(&ranks[b], &ranks[a]) {
				t.Fatalf("devices %d and %d follow each other, but compare as %d: %v %v", a, b, c, ranks[a], ranks[b])
			}
		}
		again := slices.Clone(got)
		p.Sort(again, ranks)
		all := slices.Sorted(slices.Values(got))
		if !slices.Equal(again, got) || len(slices.Compact(all)) != len(ranks) {
			t.Fatalf("sorting again gave %v from %v", again, got)
		}
	}
}

// TestLastIsTheEndOfSort: the devices that are visited first come out as Sort would put them.
func TestLastIsTheEndOfSort(t *testing.T) {
	const seed = 11
	t.Logf("seed %d", seed)
	r := rand.New(rand.NewPCG(seed, 0))
	for range 500 {
		ranks := make([]score.Rank, 1+r.IntN(20))
		positions := make([]int32, len(ranks))
		for i := range ranks {
			ranks[i] = score.Rank{Score: float32(r.IntN(3)), Slots: r.Int64N(3), NUMA: r.IntN(3), Index: i}
			positions[i] = int32(i)
		}
		p := score.ParsePolicy([]string{"", "binpack", "mutex", "numa,binpack"}[r.IntN(4)], r.IntN(2) == 0)
		n := r.IntN(len(ranks) + 1)
		want := sorted(p, ranks)
		p.Last(positions, ranks, n)
		if tail := len(ranks) - n; !slices.Equal(positions[tail:], want[tail:]) {
			t.Fatalf("the last %d of %v are %v, want %v", n, ranks, positions[tail:], want[tail:])
		}
		if all := slices.Sorted(slices.Values(positions)); len(slices.Compact(all)) != len(ranks) {
			t.Fatalf("devices are missing from %v", positions)
		}
	}
}

func TestSortAllocatesNothing(t *testing.T) {
	ranks := make([]score.Rank, 16)
	for i := range ranks {
		ranks[i] = score.Rank{Score: float32(i * 7 % 5), NUMA: i % 2, Index: i}
	}
	p := score.ParsePolicy("binpack,numa", true)
	positions := make([]int32, len(ranks))
	allocs := testing.AllocsPerRun(100, func() {
		for i := range positions {
			positions[i] = int32(i)
		}
		p.Sort(positions, ranks)
	})
	if allocs != 0 {
		t.Errorf("sorting %d devices allocates %v times", len(ranks), allocs)
	}
}

// FuzzParsePolicy: no text is an error, and every policy orders devices totally: antisymmetric, and equal to itself.
func FuzzParsePolicy(f *testing.F) {
	for _, text := range []string{"", "binpack", "spread", "numa", "mutex", " mutex", "topology-aware,binpack", ",,", "numa,numa"} {
		f.Add(text, true)
		f.Add(text, false)
	}
	f.Fuzz(func(t *testing.T, text string, bind bool) {
		p := score.ParsePolicy(text, bind)
		if p != score.ParsePolicy(text, bind) {
			t.Errorf("%q reads in two ways", text)
		}
		if p.Mutex && !strings.Contains(text, score.Mutex) || p.TopologyAware && !strings.Contains(text, score.TopologyAware) {
			t.Errorf("%q: words that are not there act: %+v", text, p.DevicePolicy)
		}
		for i := range e8 {
			for k := range e8 {
				if got, back := p.Compare(&e8[i], &e8[k]), p.Compare(&e8[k], &e8[i]); got != -back || i == k && got != 0 {
					t.Errorf("%q compares %d with %d as %d, the other way round as %d", text, i, k, got, back)
				}
			}
		}
	})
}

func ExampleParsePolicy() {
	ranks := []score.Rank{{Score: 2, NUMA: 0}, {Score: 5, NUMA: 1}, {Score: 2, NUMA: 1}}
	for _, text := range []string{score.Spread, score.Binpack, "numa,binpack"} {
		p := score.ParsePolicy(text, false)
		positions := []int32{0, 1, 2}
		p.Sort(positions, ranks)
		slices.Reverse(positions) // devices are visited from the greatest to the least
		fmt.Println(text, positions)
	}
	// Output:
	// spread [2 0 1]
	// binpack [1 2 0]
	// numa,binpack [1 2 0]
}
