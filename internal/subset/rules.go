package subset

// rules tell which candidates are chosen only together with others.
// Both relations are transitive and do not include the candidate itself.
type rules struct {
	needs    []bitset // needs[i]: must be chosen if i is
	neededBy []bitset // neededBy[i]: cannot be chosen if i is not
}

// prefixes returns the rules of the Problem itself: candidates of one card are
// chosen as a prefix.
func (m *model) prefixes() rules {
	return m.closure(m.prev)
}

// ordered returns the prefix rules and those that follow from exchangeable
// cards: of two such cards the later one does not hold more of the choice.
// The first of the best choices keeps these rules, provided that no choice is
// refused: exchanging the two cards of a choice that breaks one gives an
// earlier choice of the same total.
func (m *model) ordered() rules {
	return m.closure(m.prev, m.twins())
}

// closure builds rules from lists of earlier candidates that each candidate
// needs, -1 for none.
func (m *model) closure(needs ...[]int) rules {
	r := rules{needs: make([]bitset, m.n), neededBy: make([]bitset, m.n)}
	words := len(newBitset(m.n))
	backing := make(bitset, 2*m.n*words)
	for i := range m.n {
		r.needs[i], backing = backing[:words:words], backing[words:]
		r.neededBy[i], backing = backing[:words:words], backing[words:]
	}
	for i := range m.n {
		for _, need := range needs {
			if need[i] >= 0 {
				r.needs[i].add(need[i])
				r.needs[i].union(r.needs[need[i]])
			}
		}
		for j := range i {
			if r.needs[i].has(j) {
				r.neededBy[j].add(i)
			}
		}
	}
	return r
}

// twins returns for each candidate the one at the same place of the nearest
// earlier card its card is exchangeable with, or -1. It costs O(n*n) for each
// different kind of card.
func (m *model) twins() []int {
	twin := make([]int, m.n)
	for i := range twin {
		twin[i] = -1
	}
	for c, later := range m.cards {
		for e := c - 1; e >= 0; e-- {
			if earlier := m.cards[e]; m.exchangeable(earlier, later) {
				for t, i := range later {
					twin[i] = earlier[t]
				}
				break
			}
		}
	}
	return twin
}

// exchangeable reports whether every choice with more candidates of later than
// of earlier becomes a lexicographically earlier choice of the same total when
// the candidates of the two cards are exchanged place by place.
func (m *model) exchangeable(earlier, later []int) bool {
	if len(earlier) < len(later) {
		return false
	}
	earlier = earlier[:len(later)]
	for t := range later {
		if earlier[t] > later[t] || !m.sameLinks(earlier, later, t) {
			return false
		}
	}
	return true
}

// sameLinks reports whether a[t] and b[t] have the same weights to all others
// when a and b are exchanged place by place.
func (m *model) sameLinks(a, b []int, t int) bool {
	x, y := m.row(a[t]), m.row(b[t])
	for u := range a {
		if x[a[u]] != y[b[u]] || x[b[u]] != y[a[u]] {
			return false
		}
	}
	exchanged := func(j int) bool {
		for u := range a {
			if a[u] == j || b[u] == j {
				return true
			}
		}
		return false
	}
	for j := range x {
		if x[j] != y[j] && !exchanged(j) {
			return false
		}
	}
	return true
}
