package subset

// startWork limits the steps spent on finding good choices before the search.
const startWork = 1 << 20

// search looks for the best choice of a model that keeps the rules and is
// accepted. It is used once, by one goroutine.
type search struct {
	*model
	rules  rules
	accept func([]int) bool // nil accepts all

	limit, visited int
	exhausted      bool // the limit is reached

	// The partial set being examined, and its members in the order of adding.
	set   partial
	stack []int

	// The best accepted choice so far, if one is held. Partial sets are given
	// up by comparison with it, so a refused choice must not get here.
	best      bitset
	bestTotal int64
	held      bool

	// levels holds the free candidates of the partial sets being examined, n
	// for each depth. The others are results of a single step: value of bound,
	// pool of its free candidates, with and without of require and refuse,
	// asked of offer.
	levels              []int
	value               []int64
	pool, without, with bitset
	asked               []int
}

func newSearch(m *model, r rules, accept func([]int) bool, limit int) *search {
	return &search{
		model: m, rules: r, accept: accept, limit: limit,
		set:    newPartial(m),
		stack:  make([]int, 0, m.k),
		best:   newBitset(m.n),
		levels: make([]int, (m.k+1)*m.n),
		value:  make([]int64, m.n),
		pool:   newBitset(m.n), without: newBitset(m.n), with: newBitset(m.n),
		asked: make([]int, 0, m.k),
	}
}

func (s *search) run() {
	s.start()
	free := s.levels[:s.n]
	for i := range free {
		free[i] = i
	}
	s.explore(free, 0)
}

// start offers good choices found by local search from greedy choices with
// different first members, so that bounding is effective from the beginning.
func (s *search) start() {
	p := newPartial(s.model)
	work := 0
	for _, card := range s.cards {
		if work >= startWork {
			return
		}
		p.clear()
		p.add(card[0])
		p.fill()
		p.improve(startWork/(s.n*s.k) + 1)
		s.offer(&p)
		work += s.n * s.k
		if repair := s.n * s.n * s.k; !s.held && work+repair < startWork {
			s.repair(&p)
			work += repair
		}
	}
}

// repair offers the choices that differ from the refused choice p in one
// member. It costs O(n*n*k).
func (s *search) repair(p *partial) {
	for _, out := range p.in.list() {
		if !p.last(out) {
			continue
		}
		p.remove(out)
		for in := range s.n {
			if in != out && p.open(in) {
				p.add(in)
				s.offer(p)
				p.remove(in)
			}
		}
		p.add(out)
	}
}

// offer makes the complete choice p the best one if it is better and accepted.
func (s *search) offer(p *partial) {
	if s.held && (p.total < s.bestTotal || p.total == s.bestTotal && !p.in.before(s.best, p.in, 0)) {
		return
	}
	if s.accept != nil {
		s.asked = p.in.appendTo(s.asked[:0])
		if !s.accept(s.asked) {
			return
		}
	}
	copy(s.best, p.in)
	s.bestTotal, s.held = p.total, true
}

// explore examines all completions of the current partial set by the free
// candidates, which it reorders. The set is unchanged when it returns.
func (s *search) explore(free []int, depth int) {
	entry := len(s.stack)
	for free = s.reduce(free); len(free) > 0; free = s.reduce(free) {
		mark := len(s.stack)
		c := free[0]
		if s.include(c) {
			child := s.levels[(depth+1)*s.n:][:0]
			for _, i := range free {
				if !s.set.in.has(i) {
					child = append(child, i)
				}
			}
			s.explore(child, depth+1)
		}
		s.unwind(mark)
		free = s.exclude(free, c)
	}
	s.unwind(entry)
}

// include adds c and what it needs, and reports whether there is room for them.
func (s *search) include(c int) bool {
	clear(s.with)
	s.require(c)
	return s.addRequired()
}

// exclude returns free without c and what needs c.
func (s *search) exclude(free []int, c int) []int {
	clear(s.without)
	s.refuse(c)
	return s.remaining(free)
}

// require notes that c must be added.
func (s *search) require(c int) {
	s.with.add(c)
	s.with.union(s.rules.needs[c])
}

// refuse notes that c cannot be added.
func (s *search) refuse(c int) {
	s.without.add(c)
	s.without.union(s.rules.neededBy[c])
}

// addRequired adds the candidates noted by require to the partial set, and
// reports whether there is room for them.
func (s *search) addRequired() bool {
	s.with.subtract(s.set.in)
	if s.with.count() > s.k-s.set.size {
		return false
	}
	mark := len(s.stack)
	s.stack = s.with.appendTo(s.stack)
	for _, c := range s.stack[mark:] {
		s.set.add(c)
	}
	return true
}

// unwind removes the members added since the stack had the given length.
func (s *search) unwind(length int) {
	for last := len(s.stack) - 1; last >= length; last-- {
		s.set.remove(s.stack[last])
	}
	s.stack = s.stack[:length]
}

// remaining returns free without the members of the set and those noted by
// refuse. It overwrites free.
func (s *search) remaining(free []int) []int {
	kept := free[:0]
	for _, i := range free {
		if !s.set.in.has(i) && !s.without.has(i) {
			kept = append(kept, i)
		}
	}
	return kept
}

// result returns the answer: the best choice held, or once the limit is
// reached the greedy choice if that is accepted.
func (s *search) result() Result {
	r := Result{Visited: s.visited, Exact: !s.exhausted}
	if s.exhausted {
		if p := s.greedy(); s.accept == nil || s.accept(p.in.list()) {
			copy(s.best, p.in)
			s.bestTotal, s.held = p.total, true
		}
	}
	if s.held {
		r.Choice, r.Total, r.Found = s.best.list(), s.unscale(s.bestTotal), true
	}
	return r
}
