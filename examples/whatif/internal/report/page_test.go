package report

import (
	"os"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"github.com/accelfit/accelfit/examples/whatif/internal/demo"
)

const (
	visible  = `[...document.querySelectorAll('[data-map="0"] .node')].filter((e) => e.checkVisibility()).length`
	focused  = `document.activeElement.getAttribute("aria-label")`
	noScroll = `document.documentElement.scrollWidth <= document.documentElement.clientWidth`
	light    = `getComputedStyle(document.body).backgroundColor === "rgb(246, 247, 249)"`
	dark     = `getComputedStyle(document.body).backgroundColor === "rgb(20, 23, 28)"`
)

// TestPage uses the page about the demo cluster as people do.
func TestPage(t *testing.T) {
	b := open(t, pageOf(t, demo.Cluster), 1600, 1000)
	b.is("all nodes with devices are shown", visible+` === 5`)
	b.do(chromedp.SendKeys("#filter", "GPU-1F0C7A52"))
	b.is("one node has that device", visible+` === 1 && document.getElementById("found").value === "1 node matches"`)
	b.do(chromedp.Evaluate(`document.getElementById("filter").select()`, nil))
	b.press("cordoned")
	b.is("one node has a cordoned device", visible+` === 1 && document.querySelector('[data-map="0"] h4').textContent.startsWith("h100-1")`)
	b.do(chromedp.Evaluate(`document.getElementById("filter").select()`, nil))
	b.press(kb.Backspace)
	b.is("all nodes are shown again", visible+` === 5 && document.getElementById("found").value === ""`)
	b.do(chromedp.Click("#close"))
	b.is("all groups are closed", visible+` === 0`)
	b.do(chromedp.Click("#open"))
	b.is("all groups are open", visible+` === 5`)
	b.quiet()
}

// TestKeyboard goes from device to device without a mouse.
func TestKeyboard(t *testing.T) {
	b := open(t, pageOf(t, demo.Cluster), 1600, 1000)
	b.do(chromedp.Focus("#close"))
	b.press(kb.Tab)
	b.is("the heading of a group has the focus", `document.activeElement.tagName === "SUMMARY"`)
	b.press(kb.Tab)
	b.is("the first device has the focus", focused+`.startsWith("GPU-a0c4e8f2") && `+focused+`.includes("instance 3g.20gb at slice 4")`)
	b.is("a box tells who holds it", `!tip.hidden && tip.textContent.includes("research/notebook-a")`)
	b.press(kb.ArrowRight)
	b.is("the next device has the focus", focused+`.startsWith("GPU-a15b9d36")`)
	b.press(kb.ArrowRight)
	b.is("there is no device behind the last", focused+`.startsWith("GPU-a15b9d36")`)
	b.press(kb.Home)
	b.is("the first device has the focus again", focused+`.startsWith("GPU-a0c4e8f2")`)
	b.press(kb.Escape)
	b.is("the box is gone", `tip.hidden`)
	b.press(kb.Tab)
	b.is("the next stop is the next group", `document.activeElement.textContent.startsWith("h100")`)
	b.press(kb.Enter)
	b.is("it is closed", `!document.activeElement.parentElement.open`)
	b.quiet()
}

// TestThemes checks light and dark, chosen by the system or by hand.
func TestThemes(t *testing.T) {
	b := open(t, pageOf(t, demo.Cluster), 1600, 1000)
	b.prefer("dark")
	b.is("dark as the system", dark)
	b.do(chromedp.Evaluate(`document.getElementById("theme").click()`, nil))
	b.is("light by hand", light)
	b.prefer("light")
	b.do(chromedp.Evaluate(`document.getElementById("theme").click()`, nil))
	b.is("dark by hand", dark)
	b.do(chromedp.Evaluate(`document.getElementById("theme").click()`, nil))
	b.is("light as the system", light)
	b.prefer("dark")
	b.shot("dark-1600")
	b.quiet()
}

// TestWidths checks that nothing is wider than the window.
func TestWidths(t *testing.T) {
	page := pageOf(t, demo.Cluster)
	for name, width := range map[string]int64{"light-360": 360, "light-1600": 1600} {
		b := open(t, page, width, 900)
		b.prefer("light")
		b.is("the page fits the window", noScroll)
		b.do(chromedp.Evaluate(`document.querySelectorAll("details").forEach((d) => { d.open = true; })`, nil))
		b.is("the page fits the window with everything open", noScroll)
		b.shot(name)
		b.quiet()
	}
}

// TestHostilePage checks that no text of the input runs in the browser.
func TestHostilePage(t *testing.T) {
	b := open(t, pageOf(t, hostileCluster(t)), 360, 900)
	b.is("the nodes are drawn", visible+` === 5`)
	b.is("the title is ours", `document.title === "Devices of the cluster"`)
	b.is("nothing has become markup", `document.images.length === 0 && document.scripts.length === 2`)
	b.is("the page fits the window", noScroll)
	b.do(chromedp.Focus("#close"))
	b.press(kb.Tab + kb.Tab)
	b.is("the box names it", `!tip.hidden`)
	b.shot("hostile-360")
	b.quiet()
}

// picture is what the README shows of the report.
const picture = "../../report.png"

// TestPicture checks that the README has a picture; -update takes it anew.
func TestPicture(t *testing.T) {
	if *update {
		b := open(t, pageOf(t, demo.Cluster), 1240, 860)
		b.prefer("light")
		b.is("all nodes are shown", visible+` === 5`)
		var png []byte
		b.do(chromedp.CaptureScreenshot(&png))
		if err := os.WriteFile(picture, png, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	info, err := os.Stat(picture)
	if err != nil {
		t.Fatal(err)
	}
	if info.Size() > 300<<10 {
		t.Errorf("%d bytes, want less than 300 kB", info.Size())
	}
}
