package simulate

import (
	"math"
	"sync"
	"sync/atomic"

	"github.com/accelfit/accelfit/device"
	"github.com/accelfit/accelfit/vendors"
)

// memo remembers what came of trying requests on nodes in a state, for a snapshot and all its forks, whose goroutines share it.
// What it knows depends on nothing but the request and the state, so nobody can tell whether it knows it. Its size is bounded
// by the number of nodes.
type memo struct {
	mu        sync.Mutex
	text      []byte
	lastInfo  uint64 // numbers given last: what is forgotten is not taken for something else
	lastShape uint32
	infos     map[string]uint64                  // of descriptions
	states    map[string]*nodeState              // by number of the description, and usage
	shapes    map[string]uint32                  // of requests
	reasons   map[device.Reasons]*device.Reasons // one of each
}

// nodeState is a state that nodes are in, with what is known of requests that were tried on them.
type nodeState struct{ tried atomic.Pointer[[]tried] }

// tried is what came of trying a request on a node in some state.
type tried struct {
	why   *device.Reasons // nil: the request fits
	shape uint32
	score float32
}

// description is the number of the description of a node, once it is known: written by whoever wants to know it first.
type description struct{ number atomic.Uint64 }

// What is remembered at most, besides states: for each state, and for all of them.
const (
	maxTried   = 64
	maxShapes  = 4096
	maxReasons = 1 << 14
	maxShape   = 1 << 13 // bytes of what tells a request from others; longer ones are not remembered
)

func newMemo() *memo {
	return &memo{
		infos: map[string]uint64{}, states: map[string]*nodeState{},
		shapes: map[string]uint32{}, reasons: map[device.Reasons]*device.Reasons{},
	}
}

// asked is a request on its way through the nodes.
type asked struct {
	*vendors.Request
	shape uint32 // 0: answers are for one node, or for now
}

// ask prepares a request, which limited tells to be under a quota.
func (m *memo) ask(r *vendors.Request, limited bool) asked {
	key := shapeKey(r)
	if key == "" || len(key) > maxShape || limited || r.ByName() {
		return asked{Request: r}
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	number, known := m.shapes[key]
	if !known {
		if m.lastShape == math.MaxUint32 {
			return asked{Request: r}
		}
		bound(m.shapes, maxShapes)
		m.lastShape++
		number = m.lastShape
		m.shapes[key] = number
	}
	return asked{r, number}
}

// bound empties a map that is full.
func bound[K comparable, V any](m map[K]V, most int) {
	if len(m) >= most {
		clear(m)
	}
}

// try returns what comes of trying a request on one of so many nodes.
func (m *memo) try(set *vendors.Set, a *asked, n *node, nodes int) tried {
	if a.shape == 0 {
		return m.evaluate(set, a, n)
	}
	st := m.state(n, nodes)
	if list := st.tried.Load(); list != nil {
		for i := range *list {
			if (*list)[i].shape == a.shape {
				return (*list)[i]
			}
		}
	}
	t := m.evaluate(set, a, n)
	m.remember(st, t)
	return t
}

func (m *memo) evaluate(set *vendors.Set, a *asked, n *node) tried {
	fit := set.Fit(a.Request, n.usage)
	if fit.OK() {
		return tried{shape: a.shape, score: set.Score(a.Request, n.usage, fit)}
	}
	return tried{shape: a.shape, why: m.reason(fit.Reasons)}
}

// reason returns the one pointer to equal reasons.
func (m *memo) reason(why device.Reasons) *device.Reasons {
	m.mu.Lock()
	defer m.mu.Unlock()
	known := m.reasons[why]
	if known == nil {
		bound(m.reasons, maxReasons)
		known = &why
		m.reasons[why] = known
	}
	return known
}

// remember adds to what is known of a state. Readers see the list as it was; elements behind their end are nobody's else.
func (m *memo) remember(st *nodeState, t tried) {
	m.mu.Lock()
	defer m.mu.Unlock()
	var list []tried
	if old := st.tried.Load(); old != nil {
		list = *old
	}
	switch n := len(list); {
	case n >= maxTried:
		list = append(make([]tried, 0, maxTried), list[n/2:]...)
	case n == cap(list):
		list = append(make([]tried, 0, n+max(4, n/4)), list...)
	}
	list = append(list, t)
	st.tried.Store(&list)
}

// state returns the state of a node, which is one of so many.
func (m *memo) state(n *node, nodes int) *nodeState {
	if st := n.state.Load(); st != nil {
		return st
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	st := m.stateOf(n, nodes)
	n.state.Store(st)
	return st
}

func (m *memo) stateOf(n *node, nodes int) *nodeState {
	number := m.described(n, nodes)
	text, ok := writeUsage(m.prefix(number), n.usage)
	m.text = text[:0]
	if number == unlike || !ok {
		return new(nodeState)
	}
	st := m.states[string(text)]
	if st == nil {
		bound(m.states, 2*nodes+1024)
		st = new(nodeState)
		m.states[string(text)] = st
	}
	return st
}

func (m *memo) prefix(number uint64) []byte {
	b := m.text[:0]
	for range 8 {
		b = append(b, byte(number))
		number >>= 8
	}
	return b
}

// unlike is the number of descriptions that are equal to no other.
const unlike = 1 << 63

func (m *memo) described(n *node, nodes int) uint64 {
	if n.described != nil {
		if number := n.described.number.Load(); number != 0 {
			return number
		}
	}
	number := m.describe(n.usage.Info(), nodes)
	if n.described != nil {
		n.described.number.Store(number)
	}
	return number
}

func (m *memo) describe(info *device.NodeInfo, nodes int) uint64 {
	text, ok := writeInfo(m.text[:0], info)
	m.text = text[:0]
	if !ok {
		return unlike
	}
	number, known := m.infos[string(text)]
	if !known {
		bound(m.infos, nodes+1024)
		m.lastInfo++
		number = m.lastInfo
		m.infos[string(text)] = number
	}
	return number
}
