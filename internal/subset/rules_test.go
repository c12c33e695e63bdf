package subset

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// TestOrderedRulesKeepTheBest checks that the first of the best choices keeps
// the rules derived from exchangeable cards, and that there are such rules.
func TestOrderedRulesKeepTheBest(t *testing.T) {
	derived := 0
	for seed := range uint64(4000) {
		rng := rand.New(rand.NewPCG(seed, 9))
		n, cards := 3+rng.IntN(6), 1+rng.IntN(4)
		card := make([]int, n)
		for i := range card {
			card[i] = rng.IntN(cards)
		}
		draw := func() int64 { return rng.Int64N(2) }
		weights := []func(i, j int) int64{byCard(card, cards, draw), table(n, draw), allEqual}
		p := Problem{N: n, K: 1 + rng.IntN(n), Card: card, Weight: weights[seed%3]}
		m := newModel(p)
		rules, own := m.ordered(), m.prefixes()
		best := naive(p).Choice
		for _, i := range best {
			if !includes(best, rules.needs[i]) {
				t.Fatalf("seed %d: %v, but %d needs %v", seed, best, i, rules.needs[i].list())
			}
		}
		for i := range n {
			derived += rules.needs[i].count() - own.needs[i].count()
		}
	}
	if derived < 1000 {
		t.Errorf("only %d derived rules", derived)
	}
}

// TestExchangeable names the conditions one by one.
func TestExchangeable(t *testing.T) {
	pairs := func(of map[[2]int]int64) func(i, j int) int64 {
		return func(i, j int) int64 { return of[[2]int{i, j}] }
	}
	for _, tc := range []struct {
		why    string
		card   []int
		weight func(i, j int) int64
		want   []int
	}{
		{"equal cards, one after the other", []int{1, 1, 2, 2}, allEqual, []int{-1, -1, 0, 1}},
		{"equal cards, alternating", []int{1, 2, 1, 2}, allEqual, []int{-1, 0, -1, 2}},
		{"the first card is larger", []int{1, 1, 1, 2, 2}, allEqual, []int{-1, -1, -1, 0, 1}},
		{"the first card is smaller", []int{1, 2, 2}, allEqual, []int{-1, -1, -1}},
		{"a later entry comes first", []int{1, 2, 2, 1}, allEqual, []int{-1, -1, -1, -1}},
		{"the nearest of several", []int{1, 2, 3}, allEqual, []int{-1, 0, 1}},
		{"different links to a third", nil, pairs(map[[2]int]int64{{0, 2}: 1, {2, 3}: 1}), []int{-1, -1, -1, 0}},
		{"different links inside", []int{1, 1, 2, 2}, pairs(map[[2]int]int64{{0, 1}: 1}), []int{-1, -1, -1, -1}},
		{"different links across", []int{1, 1, 2, 2}, pairs(map[[2]int]int64{{0, 3}: 1}), []int{-1, -1, -1, -1}},
	} {
		m := newModel(Problem{N: len(tc.want), K: 1, Card: tc.card, Weight: tc.weight})
		if got := m.twins(); !slices.Equal(got, tc.want) {
			t.Errorf("%s: got %v, want %v", tc.why, got, tc.want)
		}
	}
}

// includes reports whether all members of needed are in the choice.
func includes(choice []int, needed bitset) bool {
	for _, i := range needed.list() {
		if !slices.Contains(choice, i) {
			return false
		}
	}
	return true
}
