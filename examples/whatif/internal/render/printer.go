package render

import (
	"slices"
	"strings"
)

// printer writes the lines of a grid with what stands between them.
type printer struct {
	style  Style
	layout layout
	lines  [][]string // of each band, those that are not written yet
	out    strings.Builder
}

// print writes sections. Without a layout they have no rows.
func (s Style) print(all []section, l layout) string {
	p := printer{style: s, layout: l, lines: make([][]string, len(l))}
	rows := rowsOf(all)
	for i := range l {
		p.lines[i] = l[i].render(rows)
		if names := l[i].names(); !empty(names) {
			p.take(i, l[i].height(names), faint)
		}
	}
	for i := range all {
		p.heading(all[i].heading)
		var before []string
		for k, row := range all[i].rows {
			p.row(row, before)
			before = row
			if k < len(all[i].below) {
				p.below(all[i].below[k])
			}
		}
	}
	return p.out.String()
}

// heading writes what stands above a section.
func (p *printer) heading(s string) {
	if s == "" {
		return
	}
	for i, line := range p.style.lines(s, 2*gap) {
		p.line(2*gap*min(i, 1), line)
	}
}

// row writes one row, without bands that are empty, and without those above the last that say the same as in the row before.
func (p *printer) row(row, before []string) {
	same := before != nil
	for i := range p.layout {
		b := &p.layout[i]
		cells := b.cells(row)
		n := b.height(cells)
		same = same && i < len(p.layout)-1 && slices.Equal(cells, b.cells(before))
		if same || empty(cells) {
			p.lines[i] = p.lines[i][n:]
			continue
		}
		p.take(i, n, "")
	}
}

// below writes what stands below a row, deeper than its last band.
func (p *printer) below(lines func(room int) []string) {
	inset := p.layout[len(p.layout)-1].inset + gap
	for _, line := range lines(p.style.Width - inset) {
		p.line(inset, line)
	}
}

// take writes the next lines of a band.
func (p *printer) take(i, n int, c colour) {
	for _, line := range p.lines[i][:n] {
		p.line(p.layout[i].inset, p.style.paint(c, strings.TrimRight(line, " ")))
	}
	p.lines[i] = p.lines[i][n:]
}

func (p *printer) line(indent int, line string) {
	p.out.WriteString(strings.TrimRight(strings.Repeat(" ", indent)+line, " ") + "\n")
}
