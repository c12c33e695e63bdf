package report

import (
	"encoding/json"
	"time"

	"github.com/chromedp/cdproto/tracing"
	"github.com/chromedp/chromedp"
)

// task is a task of a thread in the browser's trace. Busy is the time for which it had a processor: a machine that is busy with
// other things makes it take longer, not work more.
type task struct{ took, busy time.Duration }

// traceEvent is an event of the trace, as far as it counts here.
type traceEvent struct {
	Name    string `json:"name"`
	Process int    `json:"pid"`
	Thread  int    `json:"tid"`
	Took    int64  `json:"dur"`  // µs
	Busy    int64  `json:"tdur"` // µs
	Args    struct {
		Name string `json:"name"`
	} `json:"args"`
}

// trace has the browser note what its threads do while use runs, and returns the task that kept the page's main thread busy longest.
func (b *browser) trace(use func()) (longest task) {
	b.t.Helper()
	var events []traceEvent
	done := make(chan struct{})
	chromedp.ListenTarget(b.ctx, func(event any) {
		switch e := event.(type) {
		case *tracing.EventDataCollected:
			for _, text := range e.Value {
				var one traceEvent
				if err := json.Unmarshal(text, &one); err == nil {
					events = append(events, one)
				}
			}
		case *tracing.EventTracingComplete:
			close(done)
		}
	})
	b.do(tracing.Start().WithTransferMode(tracing.TransferModeReportEvents).
		WithTraceConfig(&tracing.TraceConfig{IncludedCategories: []string{"toplevel", "__metadata"}}))
	use()
	b.do(tracing.End())
	select {
	case <-done:
	case <-b.ctx.Done():
		b.t.Fatal("the trace does not end")
	}
	return longestOf(events)
}

func longestOf(events []traceEvent) (longest task) {
	type thread struct{ process, id int }
	tasks, page := map[thread]task{}, map[thread]bool{}
	for _, e := range events {
		t := thread{e.Process, e.Thread}
		if e.Name == "thread_name" {
			page[t] = e.Args.Name == "CrRendererMain"
		} else if busy := time.Duration(e.Busy) * time.Microsecond; busy > tasks[t].busy {
			tasks[t] = task{time.Duration(e.Took) * time.Microsecond, busy}
		}
	}
	for t, worst := range tasks {
		if page[t] && worst.busy > longest.busy {
			longest = worst
		}
	}
	return longest
}
