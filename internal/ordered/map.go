package ordered

import (
	"iter"
	"slices"
	"strings"
)

// Map is an immutable map from string keys to values of type V, ordered by the
// bytes of the key. The zero value is an empty map. Assigning a Map is the O(1)
// fork: neither copy can be affected through the other.
//
// Maps that are equal under == have the same content; maps that differ under ==
// may have the same content too.
type Map[V any] struct {
	root *node[V] // nil when the map is empty
	size int
}

// Len returns the number of entries in O(1).
func (m Map[V]) Len() int { return m.size }

// Get returns the value stored under key, or the zero value and false. It takes
// O(log n) and does not allocate.
func (m Map[V]) Get(key string) (V, bool) {
	n := m.root
	if n == nil {
		var zero V
		return zero, false
	}
	for !n.isLeaf() {
		n = n.kids[n.childFor(key)].node
	}
	i, found := n.search(key)
	if !found {
		var zero V
		return zero, false
	}
	return n.entries[i].value, true
}

// Set returns a map in which key holds v and every other entry is as in m. It
// copies one path of O(log n) nodes.
func (m Map[V]) Set(key string, v V) Map[V] {
	e := entry[V]{key, v}
	if m.root == nil {
		return Map[V]{root: leaf([]entry[V]{e}), size: 1}
	}
	u := m.root.set(e)
	next := Map[V]{root: u.node, size: m.size}
	if u.added {
		next.size++
	}
	if u.right.node != nil {
		next.root = branch([]child[V]{{node: u.node}, u.right})
	}
	return next
}

// Delete returns a map without key; every other entry is as in m. It returns m
// itself, without allocating, when m does not have key. It copies one path of
// O(log n) nodes otherwise.
func (m Map[V]) Delete(key string) Map[V] {
	if m.root == nil {
		return m
	}
	root, found := m.root.delete(key)
	if !found {
		return m
	}
	for root != nil && len(root.kids) == 1 {
		root = root.kids[0].node
	}
	return Map[V]{root: root, size: m.size - 1}
}

// All returns the entries of m in ascending byte order of the key. The sequence
// can be used any number of times and by several goroutines. It always yields
// the entries of m, whatever the loop body derives from m meanwhile. Nothing is
// allocated per entry.
func (m Map[V]) All() iter.Seq2[string, V] {
	return func(yield func(string, V) bool) {
		if m.root != nil {
			m.root.walk(yield)
		}
	}
}

// Collect returns a map with the entries of seq; of entries with the same key
// the last one wins. The nodes of the result are as full as possible. Collect
// takes O(n) when the keys ascend strictly, and sorts a copy otherwise.
func Collect[V any](seq iter.Seq2[string, V]) Map[V] {
	var entries []entry[V]
	ascending := true
	for k, v := range seq {
		if last := len(entries) - 1; last >= 0 && entries[last].key >= k {
			ascending = false
		}
		entries = append(entries, entry[V]{k, v})
	}
	if !ascending {
		entries = sortLastWins(entries)
	}
	return build(entries)
}

// sortLastWins sorts entries in place and keeps only the last of each key.
func sortLastWins[V any](entries []entry[V]) []entry[V] {
	slices.SortStableFunc(entries, func(a, b entry[V]) int {
		return strings.Compare(a.key, b.key)
	})
	kept := entries[:0]
	for i, e := range entries {
		if i+1 < len(entries) && entries[i+1].key == e.key {
			continue
		}
		kept = append(kept, e)
	}
	return kept
}

// build makes a map of strictly ascending entries, level by level from the
// leaves up. Each node gets an array of its own, so that a node which outlives
// the others does not keep all entries in memory.
func build[V any](entries []entry[V]) Map[V] {
	if len(entries) == 0 {
		return Map[V]{}
	}
	var level []child[V]
	for part := range slices.Chunk(entries, fanOut) {
		level = append(level, child[V]{part[0].key, leaf(part)})
	}
	for len(level) > 1 {
		var up []child[V]
		for part := range slices.Chunk(level, fanOut) {
			up = append(up, child[V]{part[0].low, branch(part)})
		}
		level = up
	}
	return Map[V]{root: level[0].node, size: len(entries)}
}
