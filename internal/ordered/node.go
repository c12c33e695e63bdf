package ordered

// fanOut is the largest number of entries in a leaf and of children in a
// branch. Larger nodes make a flatter tree but more bytes to copy per update.
const fanOut = 32

// A node is a leaf with entries or a branch with kids, never both and never
// empty. All leaves are at the same depth. Nodes and their slices are not
// written once the function that allocated them returns.
type node[V any] struct {
	entries []entry[V] // ascending by key
	kids    []child[V] // ascending by low
}

type entry[V any] struct {
	key   string
	value V
}

// A child is one subtree of a branch: no key in it is below low, and none is at
// or above the low of the next child. The low of a first child is not used:
// that subtree takes everything below the second child.
type child[V any] struct {
	low  string
	node *node[V]
}

// An update is what became of a node after an entry was set below it.
type update[V any] struct {
	node  *node[V]
	right child[V] // the upper half if the node was split, else right.node is nil
	added bool     // the key is new
}

// leaf returns a leaf with copies of the entries.
func leaf[V any](entries []entry[V]) *node[V] {
	n := newLeaf[V](len(entries))
	copy(n.entries, entries)
	return n
}

// branch returns a branch with copies of the kids.
func branch[V any](kids []child[V]) *node[V] {
	n := newBranch[V](len(kids))
	copy(n.kids, kids)
	return n
}

func (n *node[V]) isLeaf() bool { return n.kids == nil }

// search returns the position of key among the entries of a leaf, or the
// position to insert it at and false.
func (n *node[V]) search(key string) (int, bool) {
	lo, hi := 0, len(n.entries)
	for lo < hi {
		mid := int(uint(lo+hi) / 2)
		if n.entries[mid].key < key {
			lo = mid + 1
		} else {
			hi = mid
		}
	}
	return lo, lo < len(n.entries) && n.entries[lo].key == key
}

// childFor returns the index of the child of a branch whose range has key.
func (n *node[V]) childFor(key string) int {
	lo, hi := 1, len(n.kids)
	for lo < hi {
		mid := int(uint(lo+hi) / 2)
		if n.kids[mid].low <= key {
			lo = mid + 1
		} else {
			hi = mid
		}
	}
	return lo - 1
}

// set returns n with e in it, in one node or, where it does not fit, in two.
func (n *node[V]) set(e entry[V]) update[V] {
	if n.isLeaf() {
		return n.setEntry(e)
	}
	i := n.childFor(e.key)
	u := n.kids[i].node.set(e)
	kid := child[V]{n.kids[i].low, u.node}
	if u.right.node == nil {
		return update[V]{node: n.withKid(i, kid), added: u.added}
	}
	if len(n.kids) == fanOut {
		kids := inserted(make([]child[V], fanOut+1), n.kids, i+1, u.right)
		kids[i] = kid
		left, right := branch(kids[:len(kids)/2]), branch(kids[len(kids)/2:])
		return update[V]{left, child[V]{right.kids[0].low, right}, u.added}
	}
	next := newBranch[V](len(n.kids) + 1)
	inserted(next.kids, n.kids, i+1, u.right)[i] = kid
	return update[V]{node: next, added: u.added}
}

func (n *node[V]) setEntry(e entry[V]) update[V] {
	i, found := n.search(e.key)
	if found {
		next := leaf(n.entries)
		next.entries[i] = e
		return update[V]{node: next}
	}
	if len(n.entries) == fanOut {
		entries := inserted(make([]entry[V], fanOut+1), n.entries, i, e)
		left, right := leaf(entries[:len(entries)/2]), leaf(entries[len(entries)/2:])
		return update[V]{left, child[V]{right.entries[0].key, right}, true}
	}
	next := newLeaf[V](len(n.entries) + 1)
	inserted(next.entries, n.entries, i, e)
	return update[V]{node: next, added: true}
}

// withKid returns a copy of a branch with another child at position i.
func (n *node[V]) withKid(i int, kid child[V]) *node[V] {
	next := branch(n.kids)
	next.kids[i] = kid
	return next
}

// delete returns n without key, nil if nothing is left, and whether n had key.
func (n *node[V]) delete(key string) (*node[V], bool) {
	if n.isLeaf() {
		return n.deleteEntry(key)
	}
	i := n.childFor(key)
	kid, found := n.kids[i].node.delete(key)
	switch {
	case !found:
		return n, false
	case kid != nil:
		return n.withKid(i, child[V]{n.kids[i].low, kid}), true
	case len(n.kids) == 1:
		return nil, true
	default:
		next := newBranch[V](len(n.kids) - 1)
		removed(next.kids, n.kids, i)
		return next, true
	}
}

func (n *node[V]) deleteEntry(key string) (*node[V], bool) {
	i, found := n.search(key)
	switch {
	case !found:
		return n, false
	case len(n.entries) == 1:
		return nil, true
	default:
		next := newLeaf[V](len(n.entries) - 1)
		removed(next.entries, n.entries, i)
		return next, true
	}
}

// walk yields the entries below n in order and reports whether yield wants more.
func (n *node[V]) walk(yield func(string, V) bool) bool {
	for i := range n.entries {
		if e := &n.entries[i]; !yield(e.key, e.value) {
			return false
		}
	}
	for i := range n.kids {
		if !n.kids[i].node.walk(yield) {
			return false
		}
	}
	return true
}

// inserted fills out with s and x before position i, and returns it.
func inserted[T any](out, s []T, i int, x T) []T {
	copy(out, s[:i])
	out[i] = x
	copy(out[i+1:], s[i:])
	return out
}

// removed fills out with s without position i.
func removed[T any](out, s []T, i int) {
	copy(out, s[:i])
	copy(out[i:], s[i+1:])
}
