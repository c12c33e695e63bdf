package render

import (
	"slices"
	"strings"

	"github.com/jedib0t/go-pretty/v6/text"
)

// column is one column of a grid.
type column struct {
	name  string // its header; a grid whose columns have none has no header
	right bool   // numbers
	above bool   // of the first column: it stands above the others, said once for rows that have it in common
	max   int    // wrap wider cells, between words; 0: never. On a terminal it may be more where there is room, and as little as half
}

// section is rows under a heading of their own.
type section struct {
	heading string
	rows    [][]string
	below   []func(room int) []string // lines to put below each row, of so many cells on a terminal; may be shorter than rows
}

// mostColumns is the width from which a cell is cut: no namespace and name are that long, only garbage is.
const mostColumns = 320

// gap is between columns, and before what stands deeper.
const gap = 2

// grid lays out rows under a header, each line after inset blanks. Columns without any content are left out.
func (s Style) grid(inset int, columns []column, rows [][]string) string {
	return s.sections(inset, columns, []section{{rows: rows}})
}

// sections lays out the rows of several sections in the same columns, each below its heading, under one header.
func (s Style) sections(inset int, columns []column, all []section) string {
	columns, all = s.withContent(columns, all)
	if len(columns) == 0 {
		return s.print(all, nil)
	}
	if all[0].heading != "" {
		inset += gap
	}
	return s.print(all, s.fit(inset, columns, rowsOf(all)))
}

func rowsOf(all []section) (rows [][]string) {
	for i := range all {
		rows = append(rows, all[i].rows...)
	}
	return rows
}

// withContent is the columns that have any, and the sections with their cells alone, those cut that nobody could read.
func (s Style) withContent(columns []column, all []section) ([]column, []section) {
	keep := make([]bool, len(columns))
	for _, row := range rowsOf(all) {
		for i, cell := range row {
			keep[i] = keep[i] || cell != ""
		}
	}
	pick := func(row []string) (out []string) {
		for i, cell := range row {
			if keep[i] {
				out = append(out, s.together(cut(cell)))
			}
		}
		return out
	}
	all = slices.Clone(all)
	for i := range all {
		rows := make([][]string, len(all[i].rows))
		for k, row := range all[i].rows {
			rows[k] = pick(row)
		}
		all[i].rows = rows
	}
	var kept []column
	for i, c := range columns {
		if keep[i] {
			kept = append(kept, c)
		}
	}
	return kept, all
}

// cut shortens words that are garbage.
func cut(cell string) string {
	if longestWord(cell) <= mostColumns {
		return cell
	}
	words := strings.Split(cell, " ")
	for i := range words {
		words[i] = text.Snip(words[i], mostColumns, "…")
	}
	return strings.Join(words, " ")
}
