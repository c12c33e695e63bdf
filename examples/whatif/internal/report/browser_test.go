package report

import (
	"context"
	"flag"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
)

var shots = flag.String("shots", "", "directory to write screenshots to")

// browser is a tab of a headless Chromium.
type browser struct {
	t   *testing.T
	ctx context.Context

	mu    sync.Mutex
	wrong []string // errors on the console, and requests
}

// chromium is the browser that WHATIF_CHROMIUM names, by path or by name; without it the test is skipped.
func chromium(t *testing.T) string {
	t.Helper()
	name := os.Getenv("WHATIF_CHROMIUM")
	if name == "" {
		t.Skip("WHATIF_CHROMIUM names no browser")
	}
	path, err := exec.LookPath(name)
	if err != nil {
		t.Fatal(err)
	}
	return path
}

// open shows a report in a window.
func open(t *testing.T, report []byte, width, height int64) *browser {
	t.Helper()
	options := append(chromedp.DefaultExecAllocatorOptions[:], chromedp.ExecPath(chromium(t)), chromedp.NoSandbox, chromedp.DisableGPU,
		chromedp.Flag("disable-quic", true), chromedp.Flag("disable-component-update", true), chromedp.WSURLReadTimeout(time.Minute))
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	t.Cleanup(cancel)
	ctx, stop := chromedp.NewExecAllocator(ctx, options...)
	t.Cleanup(stop)
	ctx, closeTab := chromedp.NewContext(ctx)
	t.Cleanup(closeTab)
	path := filepath.Join(t.TempDir(), "report.html")
	if err := os.WriteFile(path, report, 0o600); err != nil {
		t.Fatal(err)
	}
	b := &browser{t: t, ctx: ctx}
	chromedp.ListenTarget(ctx, b.listen)
	b.do(network.Enable(), log.Enable(), chromedp.EmulateViewport(width, height),
		emulation.SetFocusEmulationEnabled(true),
		chromedp.Navigate((&url.URL{Scheme: "file", Path: path}).String()))
	return b
}

func (b *browser) listen(event any) {
	said := ""
	switch e := event.(type) {
	case *runtime.EventExceptionThrown:
		said = "exception: " + e.ExceptionDetails.Error()
	case *runtime.EventConsoleAPICalled:
		said = "console: " + string(e.Type)
	case *log.EventEntryAdded:
		said = string(e.Entry.Level) + ": " + e.Entry.Text
	case *network.EventRequestWillBeSent:
		if !strings.HasPrefix(e.Request.URL, "file:") {
			said = "request: " + e.Request.URL
		}
	}
	if said != "" {
		b.mu.Lock()
		defer b.mu.Unlock()
		b.wrong = append(b.wrong, said)
	}
}

func (b *browser) do(actions ...chromedp.Action) {
	b.t.Helper()
	if err := chromedp.Run(b.ctx, actions...); err != nil {
		b.t.Fatal(err)
	}
}

// is waits until an expression is true of the page.
func (b *browser) is(what, expression string) {
	b.t.Helper()
	var result bool
	err := chromedp.Run(b.ctx, chromedp.Poll(expression, &result, chromedp.WithPollingInterval(50*time.Millisecond), chromedp.WithPollingTimeout(20*time.Second)))
	if err != nil {
		b.t.Errorf("not so: %s (%v)", what, err)
	}
}

// press presses a key and lets the page work on it.
func (b *browser) press(keys string) { b.t.Helper(); b.do(chromedp.KeyEvent(keys)) }

// prefer sets the colour scheme that the user prefers.
func (b *browser) prefer(scheme string) {
	b.t.Helper()
	b.do(emulation.SetEmulatedMedia().WithFeatures([]*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: scheme}}))
}

// shot takes a picture of the whole page if somebody wants to look at it.
func (b *browser) shot(name string) {
	b.t.Helper()
	if *shots == "" {
		return
	}
	var png []byte
	b.do(chromedp.Evaluate(`document.head.appendChild(document.createElement("style")).textContent = ".node, .pod { content-visibility: visible }"`, nil))
	b.do(chromedp.FullScreenshot(&png, 100))
	if err := os.WriteFile(filepath.Join(*shots, name+".png"), png, 0o600); err != nil {
		b.t.Error(err)
	}
}

// quiet checks that the page has not complained and asked for nothing.
func (b *browser) quiet() {
	b.t.Helper()
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, w := range b.wrong {
		b.t.Error(w)
	}
}
