package render

import (
	"strings"

	"github.com/jedib0t/go-pretty/v6/table"
	"github.com/jedib0t/go-pretty/v6/text"
)

// render lays out the cells of a band, below its header if it has one.
func (b *band) render(rows [][]string) []string {
	t := table.NewWriter()
	t.SetStyle(plainStyle())
	configs := make([]table.ColumnConfig, len(b.columns))
	for i, c := range b.columns {
		configs[i].Number = i + 1
		if c.right {
			configs[i].Align, configs[i].AlignHeader = text.AlignRight, text.AlignRight
		}
	}
	t.SetColumnConfigs(configs)
	if names := b.names(); !empty(names) {
		t.AppendHeader(b.wrapped(names))
	}
	for _, row := range rows {
		t.AppendRow(b.wrapped(b.cells(row)))
	}
	return strings.Split(t.Render(), "\n")
}

// cells is what of a row is in the band.
func (b *band) cells(row []string) []string { return row[b.from : b.from+len(b.columns)] }

func (b *band) names() []string {
	names := make([]string, len(b.columns))
	for i, c := range b.columns {
		names[i] = c.name
	}
	return names
}

// wrapped is cells as wide as their columns. A column of which a cell is wrapped is as wide as it may be.
func (b *band) wrapped(cells []string) table.Row {
	out := make(table.Row, len(cells))
	for i, cell := range cells {
		lines := wrap(cell, b.widths[i])
		if longestLine(cell) > b.widths[i] {
			lines[0] = text.Pad(lines[0], b.widths[i], ' ')
		}
		out[i] = strings.Join(lines, "\n")
	}
	return out
}

// height is the number of lines that cells take.
func (b *band) height(cells []string) int {
	most := 1
	for i, cell := range cells {
		most = max(most, len(wrap(cell, b.widths[i])))
	}
	return most
}

func empty(cells []string) bool { return strings.Join(cells, "") == "" }

func plainStyle() table.Style {
	box := table.StyleBoxDefault
	box.PaddingLeft, box.PaddingRight = "", strings.Repeat(" ", gap)
	return table.Style{Name: "plain", Box: box, Options: table.OptionsNoBordersAndSeparators}
}
