package report

import (
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// longestTask is the most milliseconds for which the page may not answer.
const longestTask = 200

// TestLargePage uses the page about 2,000 nodes and checks that it goes on answering. A machine that is busy with other things
// makes any page slow, so it has three tries.
func TestLargePage(t *testing.T) {
	page := pageOf(t, large(2000))
	const tries = 3
	for try := 1; ; try++ {
		b := open(t, page, 1600, 1000)
		b.useLarge()
		var longest float64
		b.do(chromedp.Evaluate(`window.longest`, &longest))
		t.Logf("try %d: longest task %.0f ms", try, longest)
		if longest <= longestTask || t.Failed() {
			b.shot("large-1600")
			return
		}
		if try == tries {
			t.Fatalf("a task took %.0f ms, want at most %d", longest, longestTask)
		}
	}
}

// useLarge opens groups, scrolls and filters.
func (b *browser) useLarge() {
	b.t.Helper()
	b.is("no group is open", visible+` === 0`)
	b.do(chromedp.Click("#open"))
	b.is("the first nodes of eight groups are drawn", `document.querySelectorAll('[data-map="0"] .node').length === 8 * 12`)
	b.do(chromedp.Evaluate(`document.querySelector(".more").click()`, nil))
	b.is("the next nodes are drawn, too", `document.querySelectorAll('[data-map="0"] .node').length === 9 * 12`)
	for range 5 {
		b.press(kb.PageDown)
	}
	b.do(chromedp.SendKeys("#filter", "gpu-node-17"))
	b.is("a hundred nodes match", `document.getElementById("found").value === "100 nodes match"`)
	b.press("42")
	b.is("one node matches", `document.getElementById("found").value === "1 node matches" && `+visible+` === 1`)
	b.press(kb.Backspace + kb.Backspace + kb.Backspace + "x")
	b.is("no node matches", `document.getElementById("found").value === "0 nodes match" && `+visible+` === 0`)
	b.quiet()
}
