package kunlun

import "math/bits"

const (
	boardSize = 8
	wingSize  = 4
)

// slots is a set of the slots of one board, bit i for slot i (spec kunlun §2.1): slots 0 to 3 are the left wing, 4 to 7 the
// right wing. Two cards are linked across the wings if they are four slots apart.
type slots uint8

const (
	leftWing   slots = 0b0000_1111
	wholeBoard slots = 0b1111_1111
)

// quads are the sets of four cards across the wings that are linked, in the order in which they are tried.
var quads = [...]slots{0b0011_0011, 0b1100_1100, 0b0101_0101, 0b1010_1010, 0b1001_1001, 0b0110_0110}

// fillings says, by the number of cards wanted of one wing, how many usable cards a wing must have, the best first.
var fillings = [...][]int{1: {1, 3, 2, 4}, 2: {2, 3, 4}, 4: {4}}

// pick returns the n slots out of s, the usable ones, that serve best (spec kunlun §2.2); none if no set serves.
func (s slots) pick(n int) slots {
	switch n {
	case 1, 2, 4:
		if in := s.withinWing(n); in != 0 {
			return in
		}
		return s.acrossWings(n)
	case boardSize:
		if s == wholeBoard {
			return s
		}
	}
	return 0
}

func (s slots) withinWing(n int) slots {
	left, right := s&leftWing, s&^leftWing
	for _, filling := range fillings[n] {
		switch filling {
		case left.count():
			return left.lowest(n)
		case right.count():
			return right.lowest(n)
		}
	}
	return 0
}

// acrossWings is for wings with fewer than n usable cards each.
func (s slots) acrossWings(n int) slots {
	switch {
	case n == 2 && s.isCrossPair():
		return s
	case n == 4:
		return s.quad()
	}
	return 0
}

// quad returns the first quad; where two usable cards are left over, the first that leaves them linked, or else the last.
func (s slots) quad() slots {
	var last slots
	for _, q := range quads {
		if s&q != q {
			continue
		}
		rest := s &^ q
		if rest.count() < 2 || rest.isCrossPair() || rest.isWingPair() {
			return q
		}
		last = q
	}
	return last
}

func (s slots) isCrossPair() bool {
	left := s & leftWing
	return left.count() == 1 && s == left|left<<wingSize
}

func (s slots) isWingPair() bool { return s.count() == 2 && (s&leftWing == s || s&leftWing == 0) }

func (s slots) count() int { return bits.OnesCount8(uint8(s)) }

// lowest returns the n lowest slots of a set that has as many.
func (s slots) lowest(n int) slots {
	rest := s
	for range n {
		rest &= rest - 1
	}
	return s &^ rest
}
