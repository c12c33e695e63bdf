package report

import (
	"testing"
	"time"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// longestTask is for how long a task may keep the page from answering.
const longestTask = 200 * time.Millisecond

// TestLargePage loads and uses the page about 2,000 nodes and checks in the browser's trace that it goes on answering.
func TestLargePage(t *testing.T) {
	b := open(t, pageOf(t, large(2000)), 1600, 1000)
	longest := b.trace(func() {
		b.do(chromedp.Reload())
		b.useLarge()
	})
	t.Logf("longest task: %v, of which %v on a processor", longest.took, longest.busy)
	if longest.busy < time.Millisecond || longest.busy > longestTask {
		t.Errorf("a task worked for %v, want at most %v", longest.busy, longestTask)
	}
	b.shot("large-1600")
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
