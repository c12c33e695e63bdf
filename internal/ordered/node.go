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

func leaf[V any](entries []entry[V]) *node[V] { return &node[V]{entries: entries} }

func branch[V any](kids []child[V]) *node[V] { return &node[V]{kids: kids} }

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
		return update[V]{node: branch(replaced(n.kids, i, kid)), added: u.added}
	}
	kids := inserted(n.kids, i+1, u.right)
	kids[i] = kid
	if len(kids) <= fanOut {
		return update[V]{node: branch(kids), added: u.added}
	}
	left, right := halves(kids)
	return update[V]{branch(left), child[V]{right[0].low, branch(right)}, u.added}
}

func (n *node[V]) setEntry(e entry[V]) update[V] {
	i, found := n.search(e.key)
	if found {
		return update[V]{node: leaf(replaced(n.entries, i, e))}
	}
	entries := inserted(n.entries, i, e)
	if len(entries) <= fanOut {
		return update[V]{node: leaf(entries), added: true}
	}
	left, right := halves(entries)
	return update[V]{leaf(left), child[V]{right[0].key, leaf(right)}, true}
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
		return branch(replaced(n.kids, i, child[V]{n.kids[i].low, kid})), true
	case len(n.kids) == 1:
		return nil, true
	default:
		return branch(removed(n.kids, i)), true
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
		return leaf(removed(n.entries, i)), true
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

// replaced returns a copy of s with x at position i.
func replaced[T any](s []T, i int, x T) []T {
	out := make([]T, len(s))
	copy(out, s)
	out[i] = x
	return out
}

// inserted returns a copy of s with x inserted before position i.
func inserted[T any](s []T, i int, x T) []T {
	out := make([]T, len(s)+1)
	copy(out, s[:i])
	out[i] = x
	copy(out[i+1:], s[i:])
	return out
}

// removed returns a copy of s without position i.
func removed[T any](s []T, i int) []T {
	out := make([]T, len(s)-1)
	copy(out, s[:i])
	copy(out[i:], s[i+1:])
	return out
}

// halves returns copies of the lower and the upper half of s. They share no
// array: the longer-lived half must not keep the other one in memory.
func halves[T any](s []T) (lower, upper []T) {
	mid := len(s) / 2
	lower, upper = make([]T, mid), make([]T, len(s)-mid)
	copy(lower, s)
	copy(upper, s[mid:])
	return lower, upper
}
