package ordered

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"strconv"
	"sync"
	"testing"
)

// TestUpdateCopiesOnePath counts the nodes an update does not share with the map
// it started from. The count must not depend on the number of entries.
func TestUpdateCopiesOnePath(t *testing.T) {
	m := Collect(numbered(100_000))
	old := map[*node[int]]bool{}
	nodes(m.root, old)
	h := height(m.root)
	updates := map[string]struct {
		next  Map[int]
		limit int
	}{
		"replace": {m.Set(key(777), -1), h},
		"insert":  {m.Set("node-777x", -1), 2*h + 1},
		"delete":  {m.Delete(key(777)), h},
	}
	for name, u := range updates {
		fresh := 0
		now := map[*node[int]]bool{}
		nodes(u.next.root, now)
		for n := range now {
			if !old[n] {
				fresh++
			}
		}
		if fresh == 0 || fresh > u.limit {
			t.Errorf("%s: %d new nodes, want 1 to %d", name, fresh, u.limit)
		}
	}
}

// nodes adds the nodes of the subtree n to set.
func nodes(n *node[int], set map[*node[int]]bool) {
	set[n] = true
	for _, c := range n.kids {
		nodes(c.node, set)
	}
}

// TestSiblingsConcurrently derives siblings from one map on many goroutines
// that also read the map itself. It proves the absence of shared writes only
// under the race detector; the contents are compared in any case.
func TestSiblingsConcurrently(t *testing.T) {
	rng := newRand(t)
	base := Collect(numbered(4000)).Delete(key(17)).Set("extra", 1)
	want := model(maps.Collect(base.All()))
	const siblings = 16
	var derived [siblings]Map[int]
	var wants [siblings]model
	var wg sync.WaitGroup
	for i := range siblings {
		own := rand.New(rand.NewPCG(rng.Uint64(), 0))
		wg.Go(func() {
			derived[i], wants[i] = mutate(own, base, maps.Clone(want))
		})
	}
	wg.Wait()
	check(t, base, want)
	for i := range siblings {
		check(t, derived[i], wants[i])
	}
}

// mutate applies random operations to m and want, reading the whole of the map
// it was given from time to time.
func mutate(rng *rand.Rand, m Map[int], want model) (Map[int], model) {
	base, sum := m, 0
	for step := range 1500 {
		m = randomOp(rng, m, want, 5000, step%600 < 300)
		if step%100 == 0 {
			for _, v := range base.All() {
				sum += v
			}
		}
		v, _ := base.Get(key(rng.IntN(5000)))
		sum += v
	}
	want["sum"] = sum
	return m.Set("sum", sum), want
}

// TestReadersOfForks has readers go through a map while its owner derives the
// next one from it, the way a scheduler hands out snapshots.
func TestReadersOfForks(t *testing.T) {
	var wg sync.WaitGroup
	m := Collect(numbered(1000))
	for round := range 50 {
		snapshot := m
		wg.Go(func() {
			n := 0
			for range snapshot.All() {
				n++
			}
			if v, ok := snapshot.Get("round"); n != snapshot.Len() || ok != (round > 0) || ok && v != round-1 {
				t.Errorf("round %d: %d entries, round entry %d, %t", round, n, v, ok)
			}
		})
		m = m.Set("round", round).Delete(key(round)).Set("new-"+strconv.Itoa(round), round)
	}
	wg.Wait()
}

func TestAllocations(t *testing.T) {
	const n = 100_000
	m := Collect(numbered(n))
	present, h, sum := key(777), float64(height(m.root)), 0
	limits := []struct {
		name  string
		limit float64
		run   func()
	}{
		{"Get", 0, func() { v, _ := m.Get(present); sum += v }},
		{"Get absent", 0, func() { v, _ := m.Get("absent"); sum += v }},
		{"Delete absent", 0, func() { sum += m.Delete("absent").Len() }},
		{"Set", 2 * h, func() { sum += m.Set(present, 1).Len() }},
		{"Delete", 2 * h, func() { sum += m.Delete(present).Len() }},
		{"All", 4, func() {
			for _, v := range m.All() {
				sum += v
			}
		}},
	}
	for _, l := range limits {
		t.Run(l.name, func(t *testing.T) {
			if got := testing.AllocsPerRun(10, l.run); got > l.limit {
				t.Errorf("%g allocations, limit %g", got, l.limit)
			}
		})
	}
	if sum == 0 {
		t.Error("nothing was read")
	}
}

// FuzzMap reads its input as up to 100 operations of three bytes on a map that
// starts with base entries, and forks the map before every third operation.
func FuzzMap(f *testing.F) {
	f.Fuzz(func(t *testing.T, base uint16, ops []byte) {
		base, ops = base%4096, ops[:min(len(ops), 300)]
		m := Collect(numbered(int(base)))
		want := model(maps.Collect(numbered(int(base))))
		var forks []Map[int]
		var wants []model
		for ; len(ops) >= 3; ops = ops[3:] {
			if len(ops)%9 < 3 && len(forks) < 8 {
				forks, wants = append(forks, m), append(wants, maps.Clone(want))
			}
			m = fuzzOp(m, want, ops[0], int(ops[1])<<8|int(ops[2]))
		}
		check(t, m, want)
		for i := range forks {
			check(t, forks[i], wants[i])
		}
	})
}

// fuzzOp applies the operation op on the key of number arg to m and want. Runs
// of up to 64 keys make it likely that leaves fill up or empty.
func fuzzOp(m Map[int], want model, op byte, arg int) Map[int] {
	run := 1 + int(op>>2)
	for i := range run {
		k := key((arg + i) % 5000)
		switch op & 3 {
		case 0:
			want[k] = arg
			m = m.Set(k, arg)
		case 1:
			delete(want, k)
			m = m.Delete(k)
		case 2:
			k = fmt.Sprintf("%s-%d", k, i)
			want[k] = i
			m = m.Set(k, i)
		default:
			k = k[:len(k)-1]
			delete(want, k)
			m = m.Delete(k)
		}
	}
	return m
}
