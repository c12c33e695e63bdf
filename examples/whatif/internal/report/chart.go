package report

import (
	"fmt"

	"github.com/accelfit/accelfit/examples/whatif/internal/answer"
)

// chart shows of one vendor how many nodes still have room for how large a request.
type chart struct {
	Vendor  string
	Unit    string // of the request
	Bars    []bar
	Summary string // the chart in words
	Wide    int    // of the drawing
}

// bar is the nodes whose largest request is within a range.
type bar struct {
	Label          string
	Nodes          int
	X, Y, Height   int
	Middle, Number int // where the label and the number are centred
}

// Size of the drawing of a chart.
const (
	chartBars   = 8
	chartHeight = 120
	barWidth    = 56
)

// charts draws the fragmentation: nodes by the largest request for one device that they still have room for.
func charts(f *answer.Fragmentation) []chart {
	var out []chart
	for i := range f.Vendors {
		if len(f.Vendors[i].Nodes) > 0 {
			out = append(out, newChart(&f.Vendors[i]))
		}
	}
	return out
}

func newChart(v *answer.VendorFragments) chart {
	c := chart{Vendor: v.Vendor, Unit: "GiB", Wide: (chartBars + 1) * barWidth}
	size := func(n *answer.NodeFragment) int64 { return n.Memory >> 10 }
	if !v.ByMemory {
		c.Unit = "devices"
		size = func(n *answer.NodeFragment) int64 { return n.Devices }
	}
	full, free, most := 0, int64(0), int64(0)
	for i := range v.Nodes {
		if v.Nodes[i].Devices == 0 {
			full++
			free += v.Nodes[i].Free
		}
		most = max(most, size(&v.Nodes[i]))
	}
	width := most/chartBars + 1
	counts := [chartBars + 1]int{full}
	for i := range v.Nodes {
		if v.Nodes[i].Devices > 0 {
			counts[1+max(size(&v.Nodes[i]), 0)/width]++
		}
	}
	c.draw(counts[:], width)
	c.Summary = fmt.Sprintf("%d of %s have no room for another device request; %d MiB are free on those.",
		full, count(len(v.Nodes), "node"), free)
	return c
}

// draw places the bars: the nodes with no room, then ranges of the same width up to the last that has any.
func (c *chart) draw(counts []int, width int64) {
	most, last := 1, 0
	for i, n := range counts {
		most = max(most, n)
		if n > 0 {
			last = i
		}
	}
	for i, n := range counts[:last+1] {
		height := (n*chartHeight + most - 1) / most
		label := "none"
		if from := int64(i-1) * width; i > 0 && width == 1 {
			label = fmt.Sprint(from)
		} else if i > 0 {
			label = fmt.Sprintf("%d–%d", from, from+width-1)
		}
		y := 20 + chartHeight - height
		c.Bars = append(c.Bars, bar{label, n, i*barWidth + 6, y, height, i*barWidth + barWidth/2, y - 5})
	}
	c.Wide = max(last+1, 3) * barWidth
}
