package render

import (
	"slices"
)

// layout is where the cells of a grid stand: the bands of a row below each other, all but the first a little deeper.
type layout []band

// band is columns that stand beside each other.
type band struct {
	columns []column
	widths  []int
	from    int // the first of them
	inset   int // blanks before it
}

// fit finds a layout that takes no more than the terminal. Columns of words are made narrower, down to half of what they are where
// there is no terminal; if that is not enough, the first columns stand in a band above the others. Only a word that is wider
// than the terminal makes a line too wide.
func (s Style) fit(inset int, columns []column, rows [][]string) layout {
	wanted, least := s.measure(columns, rows)
	if s.Width == 0 {
		return layout{{columns: columns, widths: wanted, inset: inset}}
	}
	for depth := 0; ; depth++ {
		if l := s.bands(inset, depth, columns, wanted, least); len(l) <= depth+1 {
			return l
		}
	}
}

// bands lays out columns from the last to the first, as many beside each other as there is room for. The last band is so much
// deeper than the first.
func (s Style) bands(inset, depth int, columns []column, wanted, least []int) (out layout) {
	deep := inset + gap*depth
	for to := len(columns); to > 0; {
		from := 0
		if columns[0].above && to > 1 {
			from = 1
		}
		for from < to-1 && total(least[from:to]) > s.Width-deep {
			from++
		}
		widths := squeezed(columns[from:to], wanted[from:to], least[from:to], s.Width-deep)
		out = append(out, band{columns: columns[from:to], widths: widths, from: from, inset: deep})
		to = from
		deep = max(deep-gap, inset)
	}
	slices.Reverse(out)
	return out
}

// measure is how wide columns are at most, and on a terminal at least.
func (s Style) measure(columns []column, rows [][]string) (wanted, least []int) {
	for i, c := range columns {
		line, word := longest(columns, rows, i, longestLine), longest(columns, rows, i, longestWord)
		switch {
		case c.max == 0:
			wanted, least = append(wanted, line), append(least, line)
		case s.Width == 0:
			wanted, least = append(wanted, max(c.max, word)), append(least, word)
		default:
			line = min(line, max(word, proseWidth))
			wanted, least = append(wanted, line), append(least, min(line, max(word, min(c.max, s.Width)/2)))
		}
	}
	return wanted, least
}

// squeezed makes columns narrower until all take no more than room: each time that which is widest for its max, as far as it may be.
func squeezed(columns []column, wanted, least []int, room int) []int {
	widths := slices.Clone(wanted)
	for over := total(widths) - room; over > 0; over-- {
		widest := -1
		for i := range widths {
			if widths[i] > least[i] && (widest < 0 || widths[i]*columns[widest].max > widths[widest]*columns[i].max) {
				widest = i
			}
		}
		if widest < 0 {
			break
		}
		widths[widest]--
	}
	for i := range widths { // a word that is wider makes no other line wide
		widths[i] = min(widths[i], room)
	}
	return widths
}

// total is what columns take beside each other.
func total(widths []int) int {
	sum := gap * (len(widths) - 1)
	for _, n := range widths {
		sum += n
	}
	return sum
}

// longest is the most that a column's cells, its header too, take.
func longest(columns []column, rows [][]string, i int, of func(string) int) int {
	most := of(columns[i].name)
	for _, row := range rows {
		most = max(most, of(row[i]))
	}
	return most
}
