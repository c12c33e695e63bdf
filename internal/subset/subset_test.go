package subset

import (
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"
)

// naive answers p by looking at all combinations in lexicographic order.
func naive(p Problem) Result {
	r := Result{Exact: true}
	if p.K <= 0 || p.K > p.N {
		return r
	}
	choice := make([]int, p.K)
	var choose func(at, from int)
	choose = func(at, from int) {
		if at < p.K {
			for i := from; i < p.N; i++ {
				choice[at] = i
				choose(at+1, i+1)
			}
			return
		}
		total := sum(p, choice)
		if (!r.Found || total > r.Total) && prefix(p, choice) && (p.Accept == nil || p.Accept(slices.Clone(choice))) {
			r.Choice, r.Total, r.Found = slices.Clone(choice), total, true
		}
	}
	choose(0, 0)
	return r
}

func sum(p Problem, choice []int) int64 {
	var total int64
	for at, j := range choice {
		for _, i := range choice[:at] {
			if p.Weight != nil {
				total += min(max(p.Weight(i, j), -MaxWeight), MaxWeight)
			}
		}
	}
	return total
}

// prefix reports whether the choice keeps the prefix rule.
func prefix(p Problem, choice []int) bool {
	for i := range p.Card {
		for j := i + 1; j < len(p.Card); j++ {
			if p.Card[i] == p.Card[j] && slices.Contains(choice, j) && !slices.Contains(choice, i) {
				return false
			}
		}
	}
	return true
}

// check compares Best with naive.
func check(t *testing.T, name string, p Problem) {
	t.Helper()
	got, want := Best(p), naive(p)
	if !got.Exact {
		t.Fatalf("%s: not exact after %d", name, got.Visited)
	}
	got.Visited = 0
	if !reflect.DeepEqual(got, want) {
		t.Fatalf("%s: got %+v, want %+v", name, got, want)
	}
}

// table makes a symmetric random weight function.
func table(n int, draw func() int64) func(i, j int) int64 {
	w := make([]int64, n*n)
	for i := range n {
		for j := i + 1; j < n; j++ {
			w[i*n+j] = draw()
		}
	}
	return func(i, j int) int64 {
		if i >= j {
			panic(fmt.Sprintf("weight of %d, %d asked", i, j))
		}
		return w[i*n+j]
	}
}

// byCard makes weights between candidates depend on their cards only.
func byCard(card []int, cards int, draw func() int64) func(i, j int) int64 {
	w := make([]int64, cards*cards)
	for a := range cards {
		for b := a; b < cards; b++ {
			w[a*cards+b] = draw()
		}
	}
	return func(i, j int) int64 {
		a, b := min(card[i], card[j]), max(card[i], card[j])
		return w[a*cards+b]
	}
}

// draws are distributions of weights, from all ties to no ties.
func draws(rng *rand.Rand) []func() int64 {
	return []func() int64{
		func() int64 { return 7 },
		func() int64 { return rng.Int64N(2) },
		func() int64 { return rng.Int64N(5) - 2 },
		func() int64 { return 10 * (1 + rng.Int64N(6)) },
		func() int64 { return rng.Int64N(2_000_001) - 1_000_000 },
		func() int64 { return -rng.Int64N(50) },
		func() int64 { return rng.Int64N(3)*math.MaxInt64/2 - math.MaxInt64/2 },
	}
}

// refusesAll is the index in accepts of the predicate that refuses everything.
const refusesAll = 6

// accepts are predicates from generous to refusing all.
func accepts(rng *rand.Rand, n int) []func([]int) bool {
	must, seed := rng.IntN(n), rng.Uint32()
	hash := func(c []int) uint32 {
		h := seed
		for _, i := range c {
			h = (h ^ uint32(i)) * 16777619
		}
		return h >> 16
	}
	return []func([]int) bool{
		nil,
		func([]int) bool { return true },
		func(c []int) bool { return slices.Contains(c, must) },
		func(c []int) bool { return !slices.Contains(c, must) },
		func(c []int) bool { return hash(c)%2 == 0 },
		func(c []int) bool { return hash(c)%16 == 0 },
		func([]int) bool { return false },
		func(c []int) bool { ok := hash(c)%3 == 0; clear(c); return ok },
	}
}

func TestBestAgainstNaive(t *testing.T) {
	for seed := range uint64(150) {
		rng := rand.New(rand.NewPCG(seed, 1))
		for d, draw := range draws(rng) {
			n := 1 + rng.IntN(12)
			weight := table(n, draw)
			for a, accept := range accepts(rng, n) {
				k := 1 + rng.IntN(n)
				name := fmt.Sprintf("seed %d draw %d accept %d: %d of %d", seed, d, a, k, n)
				check(t, name, Problem{N: n, K: k, Weight: weight, Accept: accept})
			}
		}
	}
}

func TestBestAgainstNaiveTwelve(t *testing.T) {
	for seed := range uint64(40) {
		rng := rand.New(rand.NewPCG(seed, 2))
		for d, draw := range draws(rng) {
			k := 2 + rng.IntN(10)
			check(t, fmt.Sprintf("seed %d draw %d k %d", seed, d, k), Problem{N: 12, K: k, Weight: table(12, draw)})
		}
	}
}

// TestBestWithCards covers entries of one card with equal weights, as the
// search expects them, with unrelated ones, and cards that are exchangeable.
func TestBestWithCards(t *testing.T) {
	for seed := range uint64(150) {
		rng := rand.New(rand.NewPCG(seed, 3))
		for d, draw := range draws(rng) {
			n, cards := 2+rng.IntN(9), 1+rng.IntN(4)
			card := make([]int, n)
			for i := range card {
				card[i] = rng.IntN(cards)
			}
			if rng.IntN(2) == 0 {
				slices.Sort(card)
			}
			weights := []func(i, j int) int64{byCard(card, cards, draw), table(n, draw)}
			for a, accept := range accepts(rng, n) {
				p := Problem{N: n, K: 1 + rng.IntN(n), Weight: weights[rng.IntN(2)], Accept: accept}
				p.Card = card[:len(card)-rng.IntN(2)]
				check(t, fmt.Sprintf("seed %d draw %d accept %d: %+v", seed, d, a, p), p)
			}
		}
	}
}

// TestBestOfClusters covers many equal totals and many exchangeable cards.
func TestBestOfClusters(t *testing.T) {
	for seed := range uint64(300) {
		rng := rand.New(rand.NewPCG(seed, 4))
		n := 4 + rng.IntN(8)
		card := make([]int, n)
		for i := range card {
			card[i] = rng.IntN(1 + n/2)
		}
		weight := clustered(n, 2+rng.IntN(3), rng)
		for k := 1; k <= n; k++ {
			check(t, fmt.Sprintf("seed %d k %d", seed, k), Problem{N: n, K: k, Weight: weight})
			check(t, fmt.Sprintf("seed %d k %d cards %v", seed, k, card), Problem{N: n, K: k, Weight: weight, Card: card})
		}
	}
}

func TestBestHostile(t *testing.T) {
	huge := func(int, int) int64 { return math.MaxInt64 }
	low := func(int, int) int64 { return math.MinInt64 }
	for _, tc := range []struct {
		why  string
		p    Problem
		want Result
	}{
		{"nothing to choose from", Problem{N: 0, K: 0}, Result{Exact: true}},
		{"nothing to choose", Problem{N: 3, K: 0}, Result{Exact: true}},
		{"negative K", Problem{N: 3, K: -1}, Result{Exact: true}},
		{"negative N", Problem{N: -3, K: -3}, Result{Exact: true}},
		{"more than there are", Problem{N: 3, K: 4}, Result{Exact: true}},
		{"too large to search", Problem{N: math.MaxInt, K: 2}, Result{}},
		{"no weights", Problem{N: 3, K: 2}, Result{Choice: []int{0, 1}, Found: true, Exact: true}},
		{"one of one", Problem{N: 1, K: 1}, Result{Choice: []int{0}, Found: true, Exact: true}},
		{"too many cards named", Problem{N: 2, K: 1, Card: []int{5, 5, 5, 6}}, Result{Choice: []int{0}, Found: true, Exact: true}},
		{"weights above the limit", Problem{N: 3, K: 3, Weight: huge}, Result{Choice: []int{0, 1, 2}, Total: 3 * MaxWeight, Found: true, Exact: true}},
		{"weights below the limit", Problem{N: 3, K: 3, Weight: low}, Result{Choice: []int{0, 1, 2}, Total: -3 * MaxWeight, Found: true, Exact: true}},
	} {
		got := Best(tc.p)
		got.Visited = 0
		if !reflect.DeepEqual(got, tc.want) {
			t.Errorf("%s: got %+v, want %+v", tc.why, got, tc.want)
		}
	}
}

// TestBestExtremeTotals chooses among the largest number of candidates with
// weights at both limits, where an overflow would show.
func TestBestExtremeTotals(t *testing.T) {
	weight := func(i, j int) int64 {
		if i < MaxN/2 && j >= MaxN/2 {
			return math.MinInt64
		}
		return math.MaxInt64
	}
	r := Best(Problem{N: MaxN, K: MaxN / 2, Weight: weight})
	want := int64(MaxWeight) * (MaxN / 2) * (MaxN/2 - 1) / 2
	if !r.Exact || r.Total != want || r.Choice[0] != 0 || r.Choice[MaxN/2-1] != MaxN/2-1 {
		t.Errorf("got %+v, want total %d", r, want)
	}
	if r := Best(Problem{N: MaxN, K: MaxN, Weight: weight}); !r.Exact || r.Total != sumAll(weight) {
		t.Errorf("all: total %d exact %v, want %d", r.Total, r.Exact, sumAll(weight))
	}
}

func sumAll(weight func(i, j int) int64) int64 {
	all := make([]int, MaxN)
	for i := range all {
		all[i] = i
	}
	return sum(Problem{Weight: weight}, all)
}

func TestBestFallsBack(t *testing.T) {
	// The greedy choice takes the pair 0, 1 and then 2; the best is 3, 4, 5.
	weights := map[[2]int]int64{{0, 1}: 10, {3, 4}: 9, {3, 5}: 9, {4, 5}: 9}
	p := Problem{N: 6, K: 3, Limit: 1, Weight: func(i, j int) int64 { return weights[[2]int{i, j}] }}
	greedy := Result{Choice: []int{0, 1, 2}, Total: 10, Visited: 1, Found: true}
	best := Result{Choice: []int{3, 4, 5}, Total: 27, Visited: 1, Found: true}
	for _, tc := range []struct {
		why    string
		accept func([]int) bool
		want   Result
	}{
		{"greedy answer", nil, greedy},
		{"greedy answer accepted", func([]int) bool { return true }, greedy},
		{"greedy answer refused, a good choice is known", func(c []int) bool { return c[0] == 3 }, best},
		{"all refused", func([]int) bool { return false }, Result{Visited: 1}},
	} {
		p.Accept = tc.accept
		if got := Best(p); !reflect.DeepEqual(got, tc.want) {
			t.Errorf("%s: got %+v, want %+v", tc.why, got, tc.want)
		}
	}
}

// TestFallbackAgainstNaive compares the fallback with a literal reading of its
// description.
func TestFallbackAgainstNaive(t *testing.T) {
	for seed := range uint64(300) {
		rng := rand.New(rand.NewPCG(seed, 5))
		n := 4 + rng.IntN(12)
		card := make([]int, n)
		for i := range card {
			card[i] = rng.IntN(n)
		}
		p := Problem{N: n, K: 2 + rng.IntN(n-1), Limit: 1, Card: card, Weight: table(n, draws(rng)[seed%7])}
		got := Best(p)
		if got.Exact {
			continue
		}
		if want := naiveGreedy(p); !slices.Equal(got.Choice, want) || got.Total != sum(p, want) || got.Visited != 1 {
			t.Fatalf("seed %d: got %+v, want %v", seed, got, want)
		}
	}
}

func naiveGreedy(p Problem) []int {
	pair := naive(Problem{N: p.N, K: 2, Weight: p.Weight, Card: p.Card})
	choice := pair.Choice
	for len(choice) < p.K {
		var best []int
		for c := range p.N {
			if slices.Contains(choice, c) {
				continue
			}
			next := append(slices.Clone(choice), c)
			slices.Sort(next)
			if prefix(p, next) && (best == nil || sum(p, next) > sum(p, best)) {
				best = next
			}
		}
		choice = best
	}
	return choice
}

func TestLimitBoundsVisits(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 6))
	p := Problem{N: 20, K: 9, Weight: table(20, func() int64 { return rng.Int64N(1000) })}
	full := Best(p)
	if !full.Exact {
		t.Fatal("not exact")
	}
	for limit := 1; limit <= full.Visited; limit++ {
		p.Limit = limit
		if got := Best(p); got.Visited != limit || got.Exact != (limit == full.Visited) {
			t.Fatalf("limit %d of %d: visited %d, exact %v", limit, full.Visited, got.Visited, got.Exact)
		}
	}
}

// TestAcceptLimit lets a predicate refuse everything where there are too many
// choices to ask about.
func TestAcceptLimit(t *testing.T) {
	p := Problem{N: 32, K: 16, Limit: 20_000, Weight: allEqual}
	p.Accept = func([]int) bool { return false }
	if r := Best(p); r.Found || r.Exact || r.Visited != p.Limit {
		t.Errorf("got %+v", r)
	}
}

// TestAcceptedOnlyIncumbent refuses the best choice of a kind that bounding by
// a refused choice would miss the next one of.
func TestAcceptedOnlyIncumbent(t *testing.T) {
	var asked int
	p := Problem{N: 5, K: 2, Weight: func(i, j int) int64 { return int64(10*i + j) }}
	p.Accept = func(c []int) bool { asked++; return c[1] < 3 }
	r := Best(p)
	if !slices.Equal(r.Choice, []int{1, 2}) || !r.Exact {
		t.Errorf("got %+v after asking %d times", r, asked)
	}
}

func TestDeterministic(t *testing.T) {
	for seed := range uint64(20) {
		rng := rand.New(rand.NewPCG(seed, 7))
		p := Problem{N: 18, K: 9, Weight: table(18, draws(rng)[1+seed%5]), Card: []int{1, 1, 2, 2, 3}}
		p.Accept = func(c []int) bool { return c[0]%2 == 1 }
		first := Best(p)
		for range 3 {
			if again := Best(p); !reflect.DeepEqual(first, again) {
				t.Fatalf("seed %d: %+v, then %+v", seed, first, again)
			}
		}
	}
}

// TestConcurrent solves one Problem on several goroutines, for the race
// detector.
func TestConcurrent(t *testing.T) {
	p := Problem{N: 12, K: 5, Weight: cubeMesh(inOrder(12), 20), Card: []int{1, 2, 3, 1, 2, 3}}
	want := Best(p)
	results := make(chan Result)
	for range 4 {
		go func() { results <- Best(p) }()
	}
	for range 4 {
		if got := <-results; !reflect.DeepEqual(got, want) {
			t.Errorf("got %+v, want %+v", got, want)
		}
	}
}
