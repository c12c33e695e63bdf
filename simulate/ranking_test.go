package simulate

import (
	"math/rand/v2"
	"testing"

	"github.com/accelfit/accelfit/internal/testkit"
)

// bestOf is the plain way to find the best.
func bestOf(marks []float32, will func(int) bool) int {
	best := nobody
	for i, m := range marks {
		if m != absent && will(i) && (best == nobody || m > marks[best]) {
			best = i
		}
	}
	return best
}

// TestRanking compares with a plain search, while numbers are added, marked and taken out.
func TestRanking(t *testing.T) {
	r := rand.New(rand.NewPCG(testkit.Seed(t), 17))
	for range 200 {
		var rank ranking
		var marks []float32
		if rank.best() != nobody {
			t.Fatal("somebody is best of nobody")
		}
		for range 60 {
			for range r.IntN(3) {
				marks = append(marks, absent)
			}
			rank.grow(len(marks))
			if len(marks) == 0 {
				continue
			}
			i := r.IntN(len(marks))
			marks[i] = testkit.OneOf[float32](r, absent, -3, 0, 0, 1, 2.5)
			rank.set(i, marks[i])
			odd := r.IntN(4) + 1
			will := func(i int) bool { return i%odd == 0 }
			if got, want := rank.first(will), bestOf(marks, will); got != want {
				t.Fatalf("of %v: %d, want %d", marks, got, want)
			}
			if got, want := rank.best(), bestOf(marks, func(int) bool { return true }); got != want {
				t.Fatalf("of %v: best is %d, want %d", marks, got, want)
			}
		}
	}
}

// TestBoard compares with looking at every node each time, with more kinds of requests than are kept. Nodes are looked at
// only when they are new or have changed, as long as kinds are kept.
func TestBoard(t *testing.T) {
	r := rand.New(rand.NewPCG(testkit.Seed(t), 18))
	for _, kinds := range []int{1, 5, maxViews + 20} {
		var b board
		var state []int
		rated := 0
		mark := func(kind, i int) float32 {
			if m := float32((state[i]*7 + kind*3) % 11); m > 2 {
				return m
			}
			return absent
		}
		for step := range 3000 {
			if len(state) < 50 && r.IntN(3) == 0 {
				state = append(state, r.IntN(20))
				b.add()
			} else if len(state) > 0 {
				i := r.IntN(len(state))
				state[i]++
				b.note(i)
			}
			kind := r.IntN(kinds)
			key := string(rune('a' + kind))
			v := b.view(key, func(i int) float32 { rated++; return mark(kind, i) })
			want := nobody
			for i := range state {
				if m := mark(kind, i); m != absent && (want == nobody || m > mark(kind, want)) {
					want = i
				}
			}
			if got := v.best(); got != want {
				t.Fatalf("step %d: node %d is best for %s, want %d", step, got, key, want)
			}
			if r.IntN(50) == 0 {
				b.drop(key)
			}
		}
		if kinds == 1 && rated > 3000+100*50 {
			t.Errorf("%d looks at nodes", rated)
		}
		if len(b.views) > maxViews || len(b.changed) > 1000 {
			t.Errorf("%d kinds are kept, and %d changes", len(b.views), len(b.changed))
		}
	}
}
