package subset

// reduce examines the current partial set with its free candidates. As long as
// that helps it adds those that must be members and drops those that cannot be.
// It returns the candidates still free, the most promising one first, or none
// when the partial set is settled: complete, without a better completion, or
// because the limit is reached.
func (s *search) reduce(free []int) []int {
	for {
		left := s.k - s.set.size
		if len(free) < left || !s.visit() {
			return nil
		}
		if left == 0 {
			s.offer(&s.set)
			return nil
		}
		before := len(free)
		if free = s.tighten(free, left); len(free) == before {
			return free
		}
	}
}

// visit counts a partial set, unless the limit is reached.
func (s *search) visit() bool {
	if s.visited >= s.limit {
		s.exhausted = true
		return false
	}
	s.visited++
	return true
}

// tighten sorts free by promise, adds those of them that a better choice must
// have and removes those it cannot have. It returns fewer than are left to
// choose if there is no better choice.
func (s *search) tighten(free []int, left int) []int {
	slack, open := s.bound(free, left)
	if !open {
		return free[:0]
	}
	clear(s.with)
	clear(s.without)
	if len(free) == left {
		for _, i := range free {
			s.require(i)
		}
	} else if s.held {
		s.fix(free, left, slack)
	}
	if s.with.meets(s.without) || !s.addRequired() {
		return free[:0]
	}
	return s.remaining(free)
}

// fix notes which free candidates a better choice must or cannot have: those
// that, left out or taken against the order of value, lower the bound by more
// than slack. There must be more free candidates than are left to choose.
func (s *search) fix(free []int, left int, slack int64) {
	weakest, next := s.value[free[left-1]], s.value[free[left]]
	for _, i := range free[:left] {
		if s.value[i]-next <= slack {
			break
		}
		s.require(i)
	}
	for at := len(free) - 1; at >= left && weakest-s.value[free[at]] > slack; at-- {
		s.refuse(free[at])
	}
}

// bound sorts free by value and reports how far the upper bound of all
// completions exceeds what a better choice needs, and whether it reaches that.
// Values and slack are doubled to avoid halves. While no choice is held there
// is nothing to compare with and values are the plain gains.
//
// The bound adds up, for the best candidates left to choose, the gain and half
// the heaviest links to as many free candidates as there would be partners.
// Every link between two of them is counted by both, therefore no completion
// has a higher total. It costs O(n*n).
func (s *search) bound(free []int, left int) (slack int64, open bool) {
	clear(s.pool)
	for _, i := range free {
		s.pool.add(i)
	}
	partners := left - 1
	if !s.held {
		partners = 0
	}
	for _, i := range free {
		s.value[i] = 2*s.set.gain[i] + s.heaviest(i, partners)
	}
	s.sortByValue(free)
	if !s.held {
		return 0, true
	}
	need := s.bestTotal
	if !s.set.in.before(s.best, s.pool, left) {
		need++
	}
	slack = 2 * (s.set.total - need)
	for _, i := range free[:left] {
		slack += s.value[i]
	}
	return slack, slack >= 0
}

// heaviest returns the sum of the count heaviest links of i into the pool.
func (s *search) heaviest(i, count int) int64 {
	var sum int64
	row := s.row(i)
	for _, j := range s.near[i*(s.n-1) : (i+1)*(s.n-1)] {
		if count == 0 {
			break
		}
		if s.pool.has(j) {
			sum += row[j]
			count--
		}
	}
	return sum
}

// sortByValue sorts free by falling value, equal ones by position. Values
// change little from one partial set to the next, so it takes close to O(n).
func (s *search) sortByValue(free []int) {
	for at := 1; at < len(free); at++ {
		c := free[at]
		to := at
		for ; to > 0 && s.outranks(c, free[to-1]); to-- {
			free[to] = free[to-1]
		}
		free[to] = c
	}
}

func (s *search) outranks(a, b int) bool {
	if s.value[a] != s.value[b] {
		return s.value[a] > s.value[b]
	}
	return a < b
}
