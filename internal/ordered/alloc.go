package ordered

// Nodes and their slices are one piece of memory each, with room for a multiple of 8 entries: a path costs half as many
// allocations, and at most 7 places in a node are spare.
type (
	leaf8[V any] struct {
		node[V]
		room [8]entry[V]
	}
	leaf16[V any] struct {
		node[V]
		room [16]entry[V]
	}
	leaf24[V any] struct {
		node[V]
		room [24]entry[V]
	}
	leaf32[V any] struct {
		node[V]
		room [fanOut]entry[V]
	}

	branch8[V any] struct {
		node[V]
		room [8]child[V]
	}
	branch16[V any] struct {
		node[V]
		room [16]child[V]
	}
	branch24[V any] struct {
		node[V]
		room [24]child[V]
	}
	branch32[V any] struct {
		node[V]
		room [fanOut]child[V]
	}
)

// newLeaf returns a leaf with n zero entries, n ≤ fanOut.
func newLeaf[V any](n int) *node[V] {
	switch {
	case n <= 8:
		x := new(leaf8[V])
		x.entries = x.room[:n:n]
		return &x.node
	case n <= 16:
		x := new(leaf16[V])
		x.entries = x.room[:n:n]
		return &x.node
	case n <= 24:
		x := new(leaf24[V])
		x.entries = x.room[:n:n]
		return &x.node
	}
	x := new(leaf32[V])
	x.entries = x.room[:n:n]
	return &x.node
}

// newBranch returns a branch with n zero kids, n ≤ fanOut.
func newBranch[V any](n int) *node[V] {
	switch {
	case n <= 8:
		x := new(branch8[V])
		x.kids = x.room[:n:n]
		return &x.node
	case n <= 16:
		x := new(branch16[V])
		x.kids = x.room[:n:n]
		return &x.node
	case n <= 24:
		x := new(branch24[V])
		x.kids = x.room[:n:n]
		return &x.node
	}
	x := new(branch32[V])
	x.kids = x.room[:n:n]
	return &x.node
}
