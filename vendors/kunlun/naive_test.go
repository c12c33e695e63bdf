package kunlun

import "slices"

// naivePick is spec kunlun §2.2 on one board by its tables, as lists; nil: no set. It shares nothing with slots.pick.
func naivePick(usable []int, n int) []int {
	left, right := naiveWings(usable)
	switch {
	case n == 8 && len(usable) == 8:
		return usable
	case n == 1 && len(usable) > 0:
		return naiveWing(naiveSingle[len(left)][len(right)], left, right)[:1]
	case n == 2 && (len(left) >= 2 || len(right) >= 2):
		return naiveSmallest(left, right, 2)[:2]
	case n == 4 && len(left) == 4:
		return left
	case n == 4 && len(right) == 4:
		return right
	case n == 2 && len(left) == 1 && len(right) == 1 && right[0] == left[0]+4:
		return []int{left[0], right[0]}
	case n == 4:
		return naiveQuad(left, right)
	}
	return nil
}

func naiveWings(usable []int) (left, right []int) {
	for _, slot := range usable {
		if slot < 4 {
			left = append(left, slot)
		} else {
			right = append(right, slot)
		}
	}
	return left, right
}

// naiveSingle is the wing that a single card comes from, by the usable cards of the left (rows) and of the right wing (columns).
var naiveSingle = [5]string{
	"-rrrr",
	"lllll",
	"lrlrl",
	"lrlll",
	"lrrrl",
}

func naiveWing(letter byte, left, right []int) []int {
	if letter == 'l' {
		return left
	}
	return right
}

// naiveSmallest is the wing with the fewest cards that are enough, the left one of two.
func naiveSmallest(left, right []int, n int) []int {
	if len(left) >= n && (len(right) < n || len(left) <= len(right)) {
		return left
	}
	return right
}

// naiveQuad is for wings with at most three usable cards each: with two in a wing both of their cross partners must be usable; with
// three and three the table of spec kunlun §2.2 says which quad.
func naiveQuad(left, right []int) []int {
	switch {
	case len(left) == 3 && len(right) == 3:
		return naiveSix[[2]int{missing(left, 0), missing(right, 4)}]
	case len(left) == 2 && slices.Contains(right, left[0]+4) && slices.Contains(right, left[1]+4):
		return []int{left[0], left[1], left[0] + 4, left[1] + 4}
	case len(right) == 2 && slices.Contains(left, right[0]-4) && slices.Contains(left, right[1]-4):
		return []int{right[0] - 4, right[1] - 4, right[0], right[1]}
	}
	return nil
}

func missing(wing []int, from int) int {
	for slot := from; ; slot++ {
		if !slices.Contains(wing, slot) {
			return slot
		}
	}
}

// naiveSix is the quad for six usable cards, by the unusable card of the left and of the right wing.
var naiveSix = map[[2]int][]int{
	{0, 4}: {2, 3, 6, 7}, {0, 5}: {2, 3, 6, 7}, {0, 6}: {1, 3, 5, 7}, {0, 7}: {1, 2, 5, 6},
	{1, 4}: {2, 3, 6, 7}, {1, 5}: {2, 3, 6, 7}, {1, 6}: {0, 3, 4, 7}, {1, 7}: {0, 2, 4, 6},
	{2, 4}: {1, 3, 5, 7}, {2, 5}: {0, 3, 4, 7}, {2, 6}: {0, 1, 4, 5}, {2, 7}: {0, 1, 4, 5},
	{3, 4}: {1, 2, 5, 6}, {3, 5}: {0, 2, 4, 6}, {3, 6}: {0, 1, 4, 5}, {3, 7}: {0, 1, 4, 5},
}

// naiveChoice is deviation kD2: the first board with a set, as slots of the node.
func naiveChoice(usable []int, n int) []int {
	boards := map[int][]int{}
	last := -1
	for _, slot := range usable {
		boards[slot/8] = append(boards[slot/8], slot%8)
		last = max(last, slot/8)
	}
	for b := range last + 1 {
		slices.Sort(boards[b])
		if picked := naivePick(boards[b], n); picked != nil {
			out := slices.Clone(picked)
			for i := range out {
				out[i] += 8 * b
			}
			return out
		}
	}
	return nil
}
