package subset

import (
	"cmp"
	"slices"
)

// model is a Problem made ready for searching. It is not modified afterwards.
type model struct {
	n, k int

	// weight holds the pair weights, scaled to (w-base)/unit: small, never
	// negative, symmetric, zero for a pair (i, i). As every choice has the same
	// number of pairs, scaling does not change the order of choices.
	weight     []int64
	base, unit int64

	// near lists for each candidate all others, the heaviest link first.
	near []int

	// cards lists the candidates of each card in ascending order; cards are in
	// the order of their first candidates.
	cards [][]int

	// prev and next are the neighbours of a candidate within its card, or -1.
	prev, next []int
}

// newModel reads the weights of p, which must have 1 <= K <= N <= MaxN.
func newModel(p Problem) *model {
	m := &model{n: p.N, k: p.K, weight: make([]int64, p.N*p.N)}
	m.readWeights(p.Weight)
	m.sortLinks()
	m.readCards(p.Card)
	return m
}

// row returns the weights of the pairs of i.
func (m *model) row(i int) []int64 { return m.weight[i*m.n : (i+1)*m.n] }

func (m *model) readWeights(weight func(i, j int) int64) {
	m.unit = 1
	if weight == nil || m.n < 2 {
		return
	}
	lowest := int64(MaxWeight)
	for i := range m.n {
		for j := i + 1; j < m.n; j++ {
			w := min(max(weight(i, j), -MaxWeight), MaxWeight)
			m.row(i)[j] = w
			lowest = min(lowest, w)
		}
	}
	m.scale(lowest)
}

// scale replaces each weight w above the diagonal by (w-base)/unit, with the
// greatest unit that divides all differences, and mirrors it.
func (m *model) scale(base int64) {
	var unit int64
	for i := range m.n {
		for _, w := range m.row(i)[i+1:] {
			unit = gcd(w-base, unit)
		}
	}
	m.base, m.unit = base, max(unit, 1)
	for i := range m.n {
		for j := i + 1; j < m.n; j++ {
			w := (m.row(i)[j] - m.base) / m.unit
			m.row(i)[j], m.row(j)[i] = w, w
		}
	}
}

// gcd returns the greatest common divisor of two numbers that are not negative.
func gcd(a, b int64) int64 {
	for b != 0 {
		a, b = b, a%b
	}
	return a
}

// unscale returns the total in the weights of the Problem.
func (m *model) unscale(total int64) int64 {
	pairs := int64(m.k) * int64(m.k-1) / 2
	return total*m.unit + pairs*m.base
}

func (m *model) sortLinks() {
	m.near = make([]int, 0, m.n*(m.n-1))
	for i := range m.n {
		start := len(m.near)
		for j := range m.n {
			if j != i {
				m.near = append(m.near, j)
			}
		}
		row := m.row(i)
		slices.SortStableFunc(m.near[start:], func(a, b int) int { return cmp.Compare(row[b], row[a]) })
	}
}

func (m *model) readCards(card []int) {
	m.prev, m.next = make([]int, m.n), make([]int, m.n)
	m.cards = make([][]int, 0, m.n)
	single := make([]int, m.n)
	index := make(map[int]int)
	for i := range m.n {
		m.prev[i], m.next[i], single[i] = -1, -1, i
		c := len(m.cards)
		if i < len(card) {
			if known, ok := index[card[i]]; ok {
				c = known
			}
			index[card[i]] = c
		}
		if c == len(m.cards) {
			m.cards = append(m.cards, single[i:i+1:i+1])
			continue
		}
		last := m.cards[c][len(m.cards[c])-1]
		m.prev[i], m.next[last] = last, i
		m.cards[c] = append(m.cards[c], i)
	}
}
