package subset

// partial is a set under construction. All its methods take O(n).
type partial struct {
	m     *model
	in    bitset
	size  int
	total int64

	// gain holds for each candidate the sum of its weights to the members.
	gain []int64
}

func newPartial(m *model) partial {
	return partial{m: m, in: newBitset(m.n), gain: make([]int64, m.n)}
}

func (p *partial) add(c int) {
	p.in.add(c)
	p.size++
	p.total += p.gain[c]
	for j, w := range p.m.row(c) {
		p.gain[j] += w
	}
}

func (p *partial) remove(c int) {
	p.in.remove(c)
	p.size--
	for j, w := range p.m.row(c) {
		p.gain[j] -= w
	}
	p.total -= p.gain[c]
}

func (p *partial) clear() {
	clear(p.in)
	clear(p.gain)
	p.size, p.total = 0, 0
}

// open reports whether c can be added under the prefix rule.
func (p *partial) open(c int) bool {
	prev := p.m.prev[c]
	return !p.in.has(c) && (prev < 0 || p.in.has(prev))
}

// last reports whether member c can be removed under the prefix rule.
func (p *partial) last(c int) bool {
	next := p.m.next[c]
	return next < 0 || !p.in.has(next)
}

// fill completes the set to k members: each time the open candidate with the
// highest gain, the first one among equals. It costs O(n*k).
func (p *partial) fill() {
	for p.size < p.m.k {
		best := -1
		for c := range p.m.n {
			if p.open(c) && (best < 0 || p.gain[c] > p.gain[best]) {
				best = c
			}
		}
		p.add(best)
	}
}

// improve exchanges a member for another candidate as long as this gives a
// better or an equally good and earlier choice, at most the given number of
// times. It costs O(n*k) for each exchange.
func (p *partial) improve(times int) {
	for range times {
		out, in := p.bestSwap()
		if out < 0 {
			return
		}
		p.remove(out)
		p.add(in)
	}
}

// bestSwap returns the best exchange that keeps the prefix rule, the first one
// among equals, or out = -1 if none improves the choice.
func (p *partial) bestSwap() (out, in int) {
	out, in = -1, -1
	var best int64
	for o := range p.m.n {
		if !p.in.has(o) || !p.last(o) {
			continue
		}
		row := p.m.row(o)
		for i := range p.m.n {
			if !p.open(i) || p.m.prev[i] == o {
				continue
			}
			delta := p.gain[i] - p.gain[o] - row[i]
			if delta > best || delta == 0 && best == 0 && out < 0 && i < o {
				best, out, in = delta, o, i
			}
		}
	}
	return out, in
}

// greedy returns the greedy choice: the best pair that keeps the prefix rule,
// the first one among equals, completed by fill.
func (m *model) greedy() partial {
	p := newPartial(m)
	first, second := m.bestPair()
	if first >= 0 && m.k > 1 {
		p.add(first)
		p.add(second)
	}
	p.fill()
	return p
}

// bestPair returns the heaviest pair i < j that keeps the prefix rule, the
// first one among equals, or -1, -1 if there is a single candidate.
func (m *model) bestPair() (first, second int) {
	first, second = -1, -1
	for i := range m.n {
		if m.prev[i] >= 0 {
			continue
		}
		for j := i + 1; j < m.n; j++ {
			if m.prev[j] >= 0 && m.prev[j] != i {
				continue
			}
			if first < 0 || m.row(i)[j] > m.row(first)[second] {
				first, second = i, j
			}
		}
	}
	return first, second
}
