package subset

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
)

// TestBefore compares with lists, for sets longer than one word.
func TestBefore(t *testing.T) {
	for seed := range uint64(3000) {
		rng := rand.New(rand.NewPCG(seed, 10))
		n := 65 + rng.IntN(130)
		order := rng.Perm(n)
		size, count := rng.IntN(n/2), rng.IntN(n/4)
		members, free := order[:size], order[size:size+count+rng.IntN(n/4)]
		completed := append(slices.Clone(members), slices.Sorted(slices.Values(free))[:count]...)
		slices.Sort(completed)
		other := slices.Clone(completed)
		if len(other) > 0 && rng.IntN(8) > 0 {
			other[rng.IntN(len(other))] = order[n-1]
		} else if rng.IntN(2) == 0 {
			other = rng.Perm(n)[:size+count]
		}
		slices.Sort(other)
		want := slices.Compare(completed, other) < 0
		if got := setOf(n, members).before(setOf(n, other), setOf(n, free), count); got != want {
			t.Fatalf("seed %d: %v before %v: got %v", seed, completed, other, got)
		}
	}
}

func setOf(n int, members []int) bitset {
	b := newBitset(n)
	for _, i := range members {
		b.add(i)
	}
	return b
}

// TestBestBeyondOneWord compares with naive where sets take several words.
func TestBestBeyondOneWord(t *testing.T) {
	for seed := range uint64(14) {
		rng := rand.New(rand.NewPCG(seed, 11))
		n := 63 + rng.IntN(8)
		draw := draws(rng)[seed%7]
		for k := 1; k <= 3; k++ {
			check(t, fmt.Sprintf("seed %d: %d of %d", seed, k, n), Problem{N: n, K: k, Weight: table(n, draw)})
		}
		p := Problem{N: n, K: 2, Weight: table(n, draw), Accept: func(c []int) bool { return c[0] > 30 && c[1] > 62 }}
		if n > 63 {
			check(t, fmt.Sprintf("seed %d: accepted 2 of %d", seed, n), p)
		}
	}
}
