package ordered

import (
	"fmt"
	"iter"
	"maps"
	"math/rand/v2"
	"slices"
	"strconv"
	"testing"
)

// model is the obvious implementation: a plain map, copied whole to fork.
type model map[string]int

// check compares m with want through every method and checks the invariants of
// the tree.
func check(t *testing.T, m Map[int], want model) {
	t.Helper()
	if m.Len() != len(want) {
		t.Fatalf("Len() = %d, want %d", m.Len(), len(want))
	}
	keys := slices.Sorted(maps.Keys(want))
	i := 0
	for k, v := range m.All() {
		if i == len(keys) || k != keys[i] || v != want[k] {
			t.Fatalf("All()[%d] = %q, %d; want keys %.80q and value %d", i, k, v, keys[min(i, len(keys)):], want[k])
		}
		if got, ok := m.Get(k); !ok || got != v {
			t.Fatalf("Get(%q) = %d, %t; want %d, true", k, got, ok, v)
		}
		i++
	}
	if i != len(keys) {
		t.Fatalf("All() yielded %d entries, want %d", i, len(keys))
	}
	if err := invalid(m); err != nil {
		t.Fatal(err)
	}
}

// invalid reports the first violated invariant of the tree of m.
func invalid(m Map[int]) error {
	if m.root == nil {
		return nil
	}
	if len(m.root.kids) == 1 {
		return fmt.Errorf("root has a single child")
	}
	return invalidNode(m.root, height(m.root), "", "")
}

// invalidNode checks the subtree n of height h with keys in [low, high); an
// empty high means no bound.
func invalidNode(n *node[int], h int, low, high string) error {
	if size := len(n.entries) + len(n.kids); size == 0 || size > fanOut {
		return fmt.Errorf("node has %d entries or children", size)
	}
	if len(n.entries) > 0 && len(n.kids) > 0 || n.isLeaf() != (h == 1) {
		return fmt.Errorf("leaf %t at height %d: %d entries, %d children", n.isLeaf(), h, len(n.entries), len(n.kids))
	}
	for _, e := range n.entries {
		if e.key < low || high != "" && e.key >= high {
			return fmt.Errorf("key %q outside [%q, %q)", e.key, low, high)
		}
	}
	for i, c := range n.kids {
		from, to := low, high
		if i > 0 {
			from = c.low
		}
		if i+1 < len(n.kids) {
			to = n.kids[i+1].low
		}
		if err := invalidNode(c.node, h-1, from, to); err != nil {
			return err
		}
	}
	return nil
}

func height(n *node[int]) int {
	h := 1
	for ; !n.isLeaf(); n = n.kids[0].node {
		h++
	}
	return h
}

func key(i int) string { return "node-" + strconv.Itoa(i) }

// numbered yields key(0), 0 to key(n-1), n-1; the keys do not ascend.
func numbered(n int) iter.Seq2[string, int] {
	return func(yield func(string, int) bool) {
		for i := range n {
			if !yield(key(i), i) {
				return
			}
		}
	}
}

// newRand returns a random source whose seed is printed if t fails.
func newRand(t *testing.T) *rand.Rand {
	seed := rand.Uint64()
	t.Cleanup(func() {
		if t.Failed() {
			t.Logf("seed %d", seed)
		}
	})
	return rand.New(rand.NewPCG(seed, 0))
}

func TestZeroValueIsEmpty(t *testing.T) {
	var m Map[int]
	check(t, m, nil)
	if v, ok := m.Get("a"); ok || v != 0 {
		t.Errorf("Get = %d, %t; want 0, false", v, ok)
	}
	if m.Delete("a") != m {
		t.Error("Delete of an absent key made another map")
	}
	check(t, m.Set("", 7), model{"": 7})
}

// TestModel runs random operations on a map and on a plain map. Phases that
// mostly insert alternate with phases that mostly delete, so that trees of
// several levels grow, thin out and grow again. Forks are compared at the end:
// nothing done after a fork may show in it.
func TestModel(t *testing.T) {
	type fork struct {
		m    Map[int]
		want model
	}
	for _, keys := range []int{1, 50, 500, 6000} {
		t.Run(fmt.Sprintf("keys=%d", keys), func(t *testing.T) {
			rng := newRand(t)
			var m Map[int]
			want := model{}
			var forks []fork
			for step := range 8 * keys {
				m = randomOp(rng, m, want, keys, step/(2*keys)%2 == 0)
				if rng.IntN(keys/4+1) == 0 {
					forks = append(forks, fork{m, maps.Clone(want)})
				}
			}
			forks = append(forks, fork{m, want})
			for _, f := range forks {
				check(t, f.m, f.want)
			}
		})
	}
}

// randomOp applies one operation to m and want.
func randomOp(rng *rand.Rand, m Map[int], want model, keys int, growing bool) Map[int] {
	k := key(rng.IntN(keys))
	if rng.IntN(10) < 2 == growing {
		delete(want, k)
		return m.Delete(k)
	}
	v := rng.Int()
	want[k] = v
	return m.Set(k, v)
}

// TestForkOfFork changes a fork of a map and a fork of that in turn.
func TestForkOfFork(t *testing.T) {
	rng := newRand(t)
	base := Collect(numbered(3000))
	want := model(maps.Collect(numbered(3000)))
	a, b := base, base
	wantA, wantB := maps.Clone(want), maps.Clone(want)
	for range 2000 {
		a = randomOp(rng, a, wantA, 4000, true)
		b = randomOp(rng, b, wantB, 4000, false)
		if rng.IntN(500) == 0 {
			a, wantA = b, maps.Clone(wantB)
		}
	}
	check(t, base, want)
	check(t, a, wantA)
	check(t, b, wantB)
}

func TestDeleteToEmpty(t *testing.T) {
	const n = 5000
	up := make([]int, n)
	for i := range up {
		up[i] = i
	}
	down := slices.Clone(up)
	slices.Reverse(down)
	for name, order := range map[string][]int{"ascending": up, "descending": down, "random": newRand(t).Perm(n)} {
		t.Run(name, func(t *testing.T) {
			m := Collect(numbered(n))
			want := model(maps.Collect(m.All()))
			for i, o := range order {
				m = m.Delete(key(o))
				delete(want, key(o))
				if i%500 == 0 || len(want) < 10 {
					check(t, m, want)
				}
			}
			if m != (Map[int]{}) {
				t.Error("the map without entries is not the zero value")
			}
			check(t, m.Set("a", 1), model{"a": 1})
		})
	}
}

func TestDeleteAbsentReturnsSameMap(t *testing.T) {
	m := Collect(numbered(2000))
	for _, k := range []string{"", "node-", "node-1x", "zzz"} {
		if m.Delete(k) != m {
			t.Errorf("Delete(%q) made another map", k)
		}
	}
}

// TestFirstChildTakesLowerKeys empties the first subtree and then inserts below
// every separator left: the new first subtree has to take those keys.
func TestFirstChildTakesLowerKeys(t *testing.T) {
	m := Collect(numbered(2000))
	want := model(maps.Collect(m.All()))
	for _, k := range slices.Sorted(maps.Keys(want))[:1500] {
		m = m.Delete(k)
		delete(want, k)
	}
	for i := range 500 {
		k := "a" + strconv.Itoa(i)
		m = m.Set(k, i)
		want[k] = i
	}
	check(t, m, want)
}

func TestByteOrder(t *testing.T) {
	var m Map[int]
	for i, k := range []string{"b", "é", "", "a\x00", "a", "\xff", "B", "aa"} {
		m = m.Set(k, i)
	}
	want := []string{"", "B", "a", "a\x00", "aa", "b", "é", "\xff"}
	var got []string
	for k := range m.All() {
		got = append(got, k)
	}
	if !slices.Equal(got, want) {
		t.Errorf("keys in order %q, want %q", got, want)
	}
}

func TestAllStopsEarly(t *testing.T) {
	m := Collect(numbered(3000))
	keys := slices.Sorted(maps.Keys(maps.Collect(m.All())))
	for _, stop := range []int{1, 31, 32, 33, 1024, 1025, 2999} {
		var got []string
		for k := range m.All() {
			got = append(got, k)
			if len(got) == stop {
				break
			}
		}
		if !slices.Equal(got, keys[:stop]) {
			t.Errorf("break after %d: other keys than the first ones", stop)
		}
	}
}

func TestAllIsFrozen(t *testing.T) {
	m := Collect(numbered(2000))
	before, want := m.All(), model(maps.Collect(m.All()))
	for k := range m.All() {
		m = m.Delete(k).Set(k+"'", 0)
	}
	if !maps.Equal(maps.Collect(before), want) {
		t.Error("a sequence taken before the changes yields other entries")
	}
	if m.Len() != 2000 {
		t.Errorf("the loop saw its own changes: %d entries", m.Len())
	}
}

func TestCollect(t *testing.T) {
	rng := newRand(t)
	for _, n := range []int{0, 1, 2, 31, 32, 33, 64, 1024, 1025, 32769} {
		sorted := make([]string, n)
		for i := range sorted {
			sorted[i] = fmt.Sprintf("%06d", i)
		}
		shuffled := slices.Clone(sorted)
		rng.Shuffle(n, func(i, j int) { shuffled[i], shuffled[j] = shuffled[j], shuffled[i] })
		orders := map[string][]string{
			"ascending": sorted,
			"random":    shuffled,
			"pairs":     slices.Sorted(slices.Values(slices.Concat(sorted, sorted))),
			"twice":     slices.Concat(sorted, shuffled),
		}
		for name, keys := range orders {
			t.Run(fmt.Sprintf("%s/%d", name, n), func(t *testing.T) {
				want := model{}
				for i, k := range keys {
					want[k] = i
				}
				check(t, Collect(positions(keys)), want)
			})
		}
	}
}

// positions yields each key with its position.
func positions(keys []string) iter.Seq2[string, int] {
	return func(yield func(string, int) bool) {
		for i, k := range keys {
			if !yield(k, i) {
				return
			}
		}
	}
}

// TestHeight checks the bound of the package documentation for the insertion
// order that splits most and for packed trees.
func TestHeight(t *testing.T) {
	var m Map[int]
	for i := range 100_000 {
		m = m.Set(fmt.Sprintf("%06d", i), i)
	}
	if h := height(m.root); h > 4 {
		t.Errorf("100,000 ascending insertions: height %d", h)
	}
	if h := height(Collect(m.All()).root); h != 4 {
		t.Errorf("100,000 collected: height %d, want 4", h)
	}
}
