package subset

import (
	"fmt"
	"math/rand/v2"
	"testing"
)

// BenchmarkBest measures whole searches; a metric tells the partial sets
// examined.
func BenchmarkBest(b *testing.B) {
	rng := rand.New(rand.NewPCG(1, 1))
	random := func() int64 { return rng.Int64N(1_000_000) }
	for _, size := range []struct{ k, n int }{{8, 16}, {10, 24}, {16, 32}} {
		name := fmt.Sprintf("%dof%d", size.k, size.n)
		run(b, name+"/random", Problem{N: size.n, K: size.k, Weight: table(size.n, random)})
		run(b, name+"/clusters", Problem{N: size.n, K: size.k, Weight: evenClusters(size.n, 4, true)})
		run(b, name+"/equal", Problem{N: size.n, K: size.k, Weight: allEqual})
	}
	run(b, "8of56/random", instances(random))
	run(b, "8of56/equal", instances(func() int64 { return 600 }))
}

// BenchmarkBestLimit measures searches that end at the default limit: their
// worst case.
func BenchmarkBestLimit(b *testing.B) {
	rng := rand.New(rand.NewPCG(1, 1))
	random := func() int64 { return rng.Int64N(1_000_000) }
	for _, n := range []int{56, 128, 512, MaxN} {
		run(b, fmt.Sprintf("%dof%d", n/2, n), Problem{N: n, K: n / 2, Weight: table(n, random)})
	}
	refuse := Problem{N: 32, K: 16, Weight: table(32, random), Accept: func([]int) bool { return false }}
	run(b, "16of32/refused", refuse)
}

// BenchmarkBaseline is a lower bound of BenchmarkBest: reading and preparing
// the weights and one greedy choice.
func BenchmarkBaseline(b *testing.B) {
	rng := rand.New(rand.NewPCG(1, 1))
	for _, size := range []struct{ k, n int }{{8, 16}, {10, 24}, {16, 32}, {8, 56}} {
		p := Problem{N: size.n, K: size.k, Weight: table(size.n, rng.Int64)}
		b.Run(fmt.Sprintf("%dof%d", size.k, size.n), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				newModel(p).greedy()
			}
		})
	}
}

func run(b *testing.B, name string, p Problem) {
	b.Run(name, func(b *testing.B) {
		b.ReportAllocs()
		var r Result
		for b.Loop() {
			r = Best(p)
		}
		b.ReportMetric(float64(r.Visited), "visited")
	})
}
