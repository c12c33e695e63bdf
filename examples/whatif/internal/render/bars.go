package render

import (
	"fmt"
	"strings"

	"github.com/jedib0t/go-pretty/v6/text"

	"github.com/accelfit/accelfit/examples/whatif/internal/answer"
)

// Bars have this many cells where there is no terminal; on one as many as there is room for, from leastBar to mostBar.
const (
	barCells  = 10
	shortBar  = 5 // a table with shorter ones is folded
	leastBar  = 3
	mostBar   = 24
	nearlyAll = 0.9 // from this part of all on a bar has a colour
)

// bar draws a share: a cell that is partly used is drawn as used, so that only an empty bar means nothing is. On a terminal there
// is none of a device that has nothing to share.
func (s Style) bar(x answer.Share, size int) string {
	if x.All == 0 && s.Width > 0 {
		return strings.Repeat(" ", size)
	}
	n, c := 0, colour("")
	if x.All > 0 && x.Used > 0 {
		part := float64(x.Used) / float64(x.All)
		n = min(size, max(1, int(part*float64(size)+0.5)))
		if n == size && x.Used < x.All {
			n--
		}
		if part >= nearlyAll {
			c = yellow
		}
	}
	return s.paint(c, strings.Repeat("█", n)) + s.paint(faint, strings.Repeat("░", size-n))
}

// shortSlice is how wide the slices of a card are drawn where names of profiles are not in full.
const shortSlice = 2

// strip draws one cell per slice of a card in mode mig, with the names of profiles in full if slices are drawn wider than short:
// [1g.5gb|······|2g.10gb──────|······], else [1g|··|2g───|··]. Without room for either it says so in words.
func (s Style) strip(m *answer.MIGStrip, slice, room int) string {
	fits := func(slice int) bool { return s.Width == 0 || 1+m.Slices*(slice+1) <= room }
	if !fits(slice) {
		slice = shortSlice
	}
	if !fits(slice) {
		return stripWords(m)
	}
	var parts []string
	free := func(n int) {
		for range n {
			parts = append(parts, strings.Repeat("·", slice))
		}
	}
	next := 0
	for _, x := range drawn(m) {
		free(x.start - next)
		name := x.profile
		if slice == shortSlice {
			name, _, _ = strings.Cut(name, ".")
		}
		wide := (slice+1)*x.size - 1
		name = text.Trim(name, wide)
		parts = append(parts, name+strings.Repeat("─", max(0, wide-cellWidth(name))))
		next = x.start + x.size
	}
	free(m.Slices - next)
	return "[" + strings.Join(parts, "|") + "]"
}

// sliceFor is how wide a slice must be drawn so that every name of a profile can be read.
func sliceFor(m *answer.MIGStrip) int {
	most := shortSlice
	for _, x := range drawn(m) {
		most = max(most, (cellWidth(x.profile)+x.size)/x.size-1)
	}
	return most
}

// stripWords says what strip draws.
func stripWords(m *answer.MIGStrip) string {
	parts := []string{fmt.Sprintf("%d slices", m.Slices)}
	for _, x := range drawn(m) {
		parts = append(parts, fmt.Sprintf("%s at %d", x.profile, x.start))
	}
	return strings.Join(parts, ", ")
}

// instance is an instance as far as it is on the card, and not where another is.
type instance struct {
	profile     string
	start, size int
}

func drawn(m *answer.MIGStrip) (out []instance) {
	next := 0
	for _, x := range m.Instances {
		start := max(int(min(x.Start, uint32(m.Slices))), next)
		size := int(min(max(int64(x.Start)+int64(x.Size)-int64(start), 0), int64(m.Slices-start)))
		if size > 0 {
			out = append(out, instance{x.Profile, start, size})
			next = start + size
		}
	}
	return out
}
