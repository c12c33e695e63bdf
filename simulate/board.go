package simulate

// board keeps, for each kind of request, which of a growing number of nodes serve it and how well. Nodes that change are only
// noted; a kind of request looks at them when it is asked for the next time.
type board struct {
	size    int     // nodes are numbered from 0
	changed []int32 // nodes, in the order in which they changed
	noted   int     // changes in all
	views   map[string]*view
	clock   int
}

// maxViews is for how many kinds of requests a board is kept at a time; others are worked out anew. It bounds the memory: pods
// are placed the most demanding first, so that equal ones come together.
const maxViews = 64

// view is the nodes as one kind of request sees them.
type view struct {
	ranking
	seen int // changes that are taken into account
	used int // when it was asked for the last time
}

// rater says how well a node serves, or absent.
type rater func(i int) float32

// note says that a node has changed.
func (b *board) note(i int) {
	b.changed = append(b.changed, int32(i))
	b.noted++
}

// add numbers one more node.
func (b *board) add() {
	b.size++
	b.note(b.size - 1)
}

// view brings the nodes up to date for a kind of request. What rate says must depend on the key and the state of the node
// alone. Cost: one rating for each node that has changed since, of all nodes where the kind is new.
func (b *board) view(key string, rate rater) *view {
	v := b.views[key]
	if v == nil {
		v = b.enter(key)
	}
	b.clock++
	v.used = b.clock
	v.grow(b.size)
	if fresh := len(b.changed) - v.seen; v.seen < 0 || fresh > b.size {
		for i := range b.size {
			v.set(i, rate(i))
		}
	} else {
		for _, i := range b.changed[v.seen:] {
			v.set(int(i), rate(int(i)))
		}
	}
	v.seen = len(b.changed)
	b.compact()
	return v
}

func (b *board) enter(key string) *view {
	if b.views == nil {
		b.views = map[string]*view{}
	}
	if len(b.views) >= maxViews {
		b.dropOldest()
	}
	v := &view{seen: -1}
	b.views[key] = v
	return v
}

func (b *board) dropOldest() {
	oldest, at := "", -1
	for key, v := range b.views {
		if at < 0 || v.used < at {
			oldest, at = key, v.used
		}
	}
	delete(b.views, oldest)
}

// drop forgets a kind of request that does not come again.
func (b *board) drop(key string) { delete(b.views, key) }

// compact forgets changes that are more than there are nodes: who has not seen them looks at all nodes.
func (b *board) compact() {
	if len(b.changed) <= 4*b.size+64 {
		return
	}
	for _, v := range b.views {
		if v.seen < len(b.changed) {
			v.seen = -1
		} else {
			v.seen = 0
		}
	}
	b.changed = b.changed[:0]
}
