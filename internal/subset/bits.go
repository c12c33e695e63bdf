package subset

import "math/bits"

// bitset is a set of positions. Sets of one Problem have the same length.
type bitset []uint64

func newBitset(n int) bitset { return make(bitset, (n+63)/64) }

func (b bitset) has(i int) bool { return b[i>>6]>>(i&63)&1 != 0 }
func (b bitset) add(i int)      { b[i>>6] |= 1 << (i & 63) }
func (b bitset) remove(i int)   { b[i>>6] &^= 1 << (i & 63) }

// union adds the members of c to b.
func (b bitset) union(c bitset) {
	for w := range b {
		b[w] |= c[w]
	}
}

// subtract removes the members of c from b.
func (b bitset) subtract(c bitset) {
	for w := range b {
		b[w] &^= c[w]
	}
}

func (b bitset) count() int {
	n := 0
	for _, w := range b {
		n += bits.OnesCount64(w)
	}
	return n
}

func (b bitset) meets(c bitset) bool {
	for w := range b {
		if b[w]&c[w] != 0 {
			return true
		}
	}
	return false
}

// list returns the members in ascending order, in a new slice.
func (b bitset) list() []int {
	return b.appendTo(make([]int, 0, b.count()))
}

func (b bitset) appendTo(list []int) []int {
	for w, word := range b {
		for ; word != 0; word &= word - 1 {
			list = append(list, w<<6+bits.TrailingZeros64(word))
		}
	}
	return list
}

// before reports whether b, completed by the first count members of free, is
// lexicographically before c. Both have the same number of members then, and
// the one that holds the first difference is the earlier one. Sets b and free
// have no common member.
func (b bitset) before(c, free bitset, count int) bool {
	for w := range b {
		taken := lowest(free[w], count)
		count -= bits.OnesCount64(taken)
		word := b[w] | taken
		if d := word ^ c[w]; d != 0 {
			return word&d&-d != 0
		}
	}
	return false
}

// lowest returns the lowest count members of word, all if there are fewer.
func lowest(word uint64, count int) uint64 {
	if bits.OnesCount64(word) <= count {
		return word
	}
	rest := word
	for range count {
		rest &= rest - 1
	}
	return word &^ rest
}
