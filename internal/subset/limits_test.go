package subset

import (
	"fmt"
	"math/rand/v2"
	"testing"
)

func allEqual(int, int) int64 { return 40 }

// clustered links the members of each of some clusters of random sizes with
// 600 and all others with 20.
func clustered(n, clusters int, rng *rand.Rand) func(i, j int) int64 {
	of := make([]int, n)
	for i := range of {
		of[i] = rng.IntN(clusters)
	}
	return linkedWithin(of)
}

// evenClusters has clusters of equal size, one after the other or dealt out.
func evenClusters(n, clusters int, dealt bool) func(i, j int) int64 {
	of := make([]int, n)
	for i := range of {
		of[i] = i * clusters / n
		if dealt {
			of[i] = i % clusters
		}
	}
	return linkedWithin(of)
}

func linkedWithin(of []int) func(i, j int) int64 {
	return func(i, j int) int64 {
		if of[i] == of[j] {
			return 600
		}
		return 20
	}
}

// cubeMesh links each eight candidates like the two quads of a hybrid cube
// mesh: single and double links within a quad, one link to the other quad.
func cubeMesh(position []int, across int64) func(i, j int) int64 {
	quad := [4][4]int64{{0, 100, 100, 200}, {100, 0, 200, 100}, {100, 200, 0, 200}, {200, 100, 200, 0}}
	return func(i, j int) int64 {
		a, b := position[i], position[j]
		switch {
		case a/8 != b/8:
			return across
		case a/4 == b/4:
			return quad[a%4][b%4]
		case a%4 == b%4:
			return 200
		}
		return 0
	}
}

func inOrder(n int) []int {
	order := make([]int, n)
	for i := range order {
		order[i] = i
	}
	return order
}

// kind is a family of weights, one member for each seed.
type kind struct {
	name    string
	weights func(n int, rng *rand.Rand) func(i, j int) int64
}

func kinds() []kind {
	links := []int64{10, 20, 30, 40, 50, 60, 100, 200, 300, 400, 600, 900, 1200, 1800}
	return []kind{
		{"links", func(n int, rng *rand.Rand) func(i, j int) int64 {
			return table(n, func() int64 { return links[rng.IntN(len(links))] })
		}},
		{"few links", func(n int, rng *rand.Rand) func(i, j int) int64 {
			return table(n, func() int64 { return links[rng.IntN(6)] })
		}},
		{"uniform", func(n int, rng *rand.Rand) func(i, j int) int64 {
			return table(n, func() int64 { return rng.Int64N(1_000_000) })
		}},
		{"signed", func(n int, rng *rand.Rand) func(i, j int) int64 {
			return table(n, func() int64 { return rng.Int64N(201) - 100 })
		}},
		{"linked or not", func(n int, rng *rand.Rand) func(i, j int) int64 {
			return table(n, func() int64 { return rng.Int64N(2) })
		}},
		{"sparse", func(n int, rng *rand.Rand) func(i, j int) int64 {
			return table(n, func() int64 { return max(0, rng.Int64N(6)-4) * 100 })
		}},
		{"clusters", func(n int, rng *rand.Rand) func(i, j int) int64 {
			return clustered(n, 2+rng.IntN(5), rng)
		}},
		{"small clusters", func(n int, rng *rand.Rand) func(i, j int) int64 {
			return clustered(n, n/3, rng)
		}},
		{"cube mesh", func(n int, rng *rand.Rand) func(i, j int) int64 {
			return cubeMesh(rng.Perm(n), 0)
		}},
		{"thinned cube mesh", func(n int, rng *rand.Rand) func(i, j int) int64 {
			return cubeMesh(rng.Perm(2 * n)[:n], 20)
		}},
		{"clusters with noise", func(n int, rng *rand.Rand) func(i, j int) int64 {
			near := clustered(n, 2+rng.IntN(5), rng)
			far := table(n, func() int64 { return rng.Int64N(100) })
			return func(i, j int) int64 { return near(i, j) + far(i, j) }
		}},
	}
}

// sizes states how many partial sets may be examined.
var sizes = []struct{ k, n, limit int }{{8, 16, 5_000}, {10, 24, 200_000}}

// Deviation N1: the best choice without listing all.
func TestVisitedRandom(t *testing.T) {
	seeds := uint64(200)
	if testing.Short() {
		seeds = 25
	}
	for _, size := range sizes {
		for _, kind := range kinds() {
			most := 0
			for seed := range seeds {
				weight := kind.weights(size.n, rand.New(rand.NewPCG(seed, uint64(size.n))))
				r := Best(Problem{N: size.n, K: size.k, Weight: weight})
				if !r.Exact || r.Visited > size.limit {
					t.Errorf("%d of %d %s seed %d: visited %d, exact %v", size.k, size.n, kind.name, seed, r.Visited, r.Exact)
				}
				most = max(most, r.Visited)
			}
			t.Logf("%d of %d %s: at most %d", size.k, size.n, kind.name, most)
		}
	}
}

func TestVisitedRegular(t *testing.T) {
	for _, size := range append(sizes, struct{ k, n, limit int }{16, 32, 200_000}) {
		for _, kind := range regular() {
			most := 0
			weight := kind.weights(size.n, nil)
			for k := 1; k <= size.n; k++ {
				r := Best(Problem{N: size.n, K: k, Weight: weight})
				if !r.Exact || r.Visited > size.limit {
					t.Errorf("%d of %d %s: visited %d, exact %v", k, size.n, kind.name, r.Visited, r.Exact)
				}
				most = max(most, r.Visited)
			}
			t.Logf("any of %d %s: at most %d", size.n, kind.name, most)
		}
	}
}

// TestVisitedAllEqual requires that ties cost nothing: the first choice found
// is the answer, and its own bound proves it.
func TestVisitedAllEqual(t *testing.T) {
	for n := 1; n <= 40; n++ {
		for k := 1; k <= n; k++ {
			if r := Best(Problem{N: n, K: k, Weight: allEqual}); !r.Exact || r.Visited != 1 && k < n {
				t.Errorf("%d of %d: visited %d, exact %v", k, n, r.Visited, r.Exact)
			}
		}
	}
}

// regular are the kinds without randomness.
func regular() []kind {
	list := []kind{
		{"all equal", func(int, *rand.Rand) func(i, j int) int64 { return allEqual }},
		{"cube mesh", func(n int, _ *rand.Rand) func(i, j int) int64 { return cubeMesh(inOrder(n), 0) }},
	}
	for _, clusters := range []int{2, 3, 4, 6, 8} {
		for _, dealt := range []bool{false, true} {
			name := fmt.Sprintf("%d clusters, dealt out %v", clusters, dealt)
			list = append(list, kind{name, func(n int, _ *rand.Rand) func(i, j int) int64 {
				return evenClusters(n, clusters, dealt)
			}})
		}
	}
	return list
}

// instances are 8 cards with 7 entries each; entries of one card are not linked.
func instances(draw func() int64) Problem {
	p := Problem{N: 56, K: 8, Card: make([]int, 56)}
	for i := range p.Card {
		p.Card[i] = i / 7
	}
	between := byCard(p.Card, 8, draw)
	p.Weight = func(i, j int) int64 {
		if p.Card[i] == p.Card[j] {
			return 0
		}
		return between(i, j)
	}
	return p
}

func TestVisitedInstances(t *testing.T) {
	most := 0
	for seed := range uint64(200) {
		rng := rand.New(rand.NewPCG(seed, 56))
		for d, draw := range draws(rng) {
			p := instances(draw)
			r := Best(p)
			if !r.Exact || r.Visited > 200_000 {
				t.Errorf("seed %d draw %d: visited %d, exact %v", seed, d, r.Visited, r.Exact)
			}
			if !prefix(p, r.Choice) {
				t.Errorf("seed %d draw %d: %v breaks the prefix rule", seed, d, r.Choice)
			}
			most = max(most, r.Visited)
		}
	}
	t.Logf("at most %d", most)
}

func TestVisitedSixteenOf32(t *testing.T) {
	seeds := uint64(4)
	if testing.Short() {
		seeds = 1
	}
	for _, kind := range kinds() {
		most := 0
		for seed := range seeds {
			r := Best(Problem{N: 32, K: 16, Weight: kind.weights(32, rand.New(rand.NewPCG(seed, 32)))})
			if !r.Exact {
				t.Errorf("%s seed %d: not exact", kind.name, seed)
			}
			most = max(most, r.Visited)
		}
		t.Logf("%s: at most %d", kind.name, most)
	}
}

// TestVisitedAccepted measures predicates that refuse the best choice. Those
// that refuse one candidate are the hardest: all choices with it come first.
func TestVisitedAccepted(t *testing.T) {
	for _, kind := range kinds() {
		most := 0
		for seed := range uint64(10) {
			rng := rand.New(rand.NewPCG(seed, 24))
			p := Problem{N: 24, K: 10, Weight: kind.weights(24, rng)}
			for a, accept := range accepts(rng, 24) {
				if a == refusesAll {
					continue
				}
				p.Accept = accept
				r := Best(p)
				if !r.Exact || r.Visited > 200_000 {
					t.Errorf("%s seed %d accept %d: visited %d, exact %v", kind.name, seed, a, r.Visited, r.Exact)
				}
				most = max(most, r.Visited)
			}
		}
		t.Logf("%s: at most %d", kind.name, most)
	}
}

func TestAllocations(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 8))
	for _, size := range sizes {
		p := Problem{N: size.n, K: size.k, Weight: table(size.n, func() int64 { return rng.Int64N(1000) })}
		if got := testing.AllocsPerRun(10, func() { Best(p) }); got > 64 {
			t.Errorf("%d of %d: %v allocations", size.k, size.n, got)
		} else {
			t.Logf("%d of %d: %v allocations", size.k, size.n, got)
		}
	}
}
