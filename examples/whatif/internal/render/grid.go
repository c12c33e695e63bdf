package render

import (
	"strings"

	"github.com/jedib0t/go-pretty/v6/table"
	"github.com/jedib0t/go-pretty/v6/text"
)

// column is one column of a grid.
type column struct {
	name  string
	right bool // numbers
	max   int  // wrap wider cells; 0: never
}

// section is rows under a heading of their own.
type section struct {
	heading string
	rows    [][]string
	below   [][]string // lines to put below each row; may be shorter than rows
}

// mostColumns is the width from which even a cell that is not wrapped is cut: only garbage is that long.
const mostColumns = 200

// grid lays out rows under a header. Columns without any content are left out.
func grid(columns []column, rows [][]string) string {
	return sections(columns, []section{{rows: rows}})
}

// sections lays out the rows of several sections in the same columns, each below its heading, under one header.
func sections(columns []column, all []section) string {
	var rows [][]string
	for _, s := range all {
		rows = append(rows, s.rows...)
	}
	if len(rows) == 0 {
		return headings(all)
	}
	keep := filled(len(columns), rows)
	t := table.NewWriter()
	t.SetStyle(plainStyle())
	t.SetColumnConfigs(configs(columns, keep))
	names := make([]string, len(columns))
	for i, c := range columns {
		names[i] = c.name
	}
	t.AppendHeader(pick(names, keep))
	for _, row := range rows {
		t.AppendRow(pick(row, keep))
	}
	return interleave(strings.Split(t.Render(), "\n"), all, func(row []string) int { return height(pick(row, keep), columns, keep) })
}

// interleave puts the headings of sections between the lines of their rows. height is how many lines a row takes.
func interleave(lines []string, all []section, height func(row []string) int) string {
	var b strings.Builder
	indent := ""
	if all[0].heading != "" {
		indent = "  "
	}
	take := func(n int) {
		for _, line := range lines[:n] {
			b.WriteString(strings.TrimRight(indent+line, " ") + "\n")
		}
		lines = lines[n:]
	}
	take(1) // the header
	for _, s := range all {
		if s.heading != "" {
			b.WriteString(s.heading + "\n")
		}
		for i, row := range s.rows {
			take(height(row))
			if i < len(s.below) {
				for _, line := range s.below[i] {
					b.WriteString(indent + "  " + line + "\n")
				}
			}
		}
	}
	return b.String()
}

func headings(all []section) string {
	var b strings.Builder
	for _, s := range all {
		if s.heading != "" {
			b.WriteString(s.heading + "\n")
		}
	}
	return b.String()
}

// height is the number of lines that a row takes.
func height(row table.Row, columns []column, keep []bool) int {
	most, at := 1, 0
	for i, ok := range keep {
		if !ok {
			continue
		}
		cell := row[at].(string)
		if columns[i].max > 0 {
			cell = text.WrapSoft(cell, columns[i].max)
		}
		most = max(most, 1+strings.Count(cell, "\n"))
		at++
	}
	return most
}

func configs(columns []column, keep []bool) []table.ColumnConfig {
	var out []table.ColumnConfig
	for i, c := range columns {
		if !keep[i] {
			continue
		}
		config := table.ColumnConfig{Number: len(out) + 1, WidthMax: c.max, WidthMaxEnforcer: text.WrapSoft}
		if c.right {
			config.Align, config.AlignHeader = text.AlignRight, text.AlignRight
		}
		out = append(out, config)
	}
	return out
}

// pick is the cells of the columns that are kept, those cut that nobody could read.
func pick(cells []string, keep []bool) table.Row {
	var out table.Row
	for i, ok := range keep {
		if !ok {
			continue
		}
		lines := strings.Split(cells[i], "\n")
		for k, line := range lines {
			if text.StringWidthWithoutEscSequences(line) > mostColumns {
				lines[k] = text.Trim(line, mostColumns) + "…"
			}
		}
		out = append(out, strings.Join(lines, "\n"))
	}
	return out
}

func filled(n int, rows [][]string) []bool {
	keep := make([]bool, n)
	for _, row := range rows {
		for i, cell := range row {
			keep[i] = keep[i] || cell != ""
		}
	}
	return keep
}

func plainStyle() table.Style {
	box := table.StyleBoxDefault
	box.PaddingLeft, box.PaddingRight = "", "  "
	return table.Style{Name: "plain", Box: box, Options: table.OptionsNoBordersAndSeparators}
}

func indent(block string) string {
	return "  " + strings.ReplaceAll(strings.TrimSuffix(block, "\n"), "\n", "\n  ") + "\n"
}
