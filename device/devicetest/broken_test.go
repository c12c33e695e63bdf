package devicetest_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"text/tabwriter"

	"github.com/accelfit/accelfit/device/devicetest"
)

// broken lists the laws that a harness breaks, and what the first of them says. With -short only one law is tried, the one that is
// to be broken.
func broken(t *testing.T, expected string, harness func() devicetest.Harness) (laws []string, first error) {
	t.Helper()
	for _, l := range devicetest.Laws() {
		if testing.Short() && l.Name != expected {
			continue
		}
		h := harness()
		if l.Name != expected && h.Tries == 0 && l.Name != "rules" && l.Name != "claims" {
			h.Tries = 30 // enough for the others to be broken too
		}
		err := l.Check(h)
		if err == nil {
			continue
		}
		if first == nil {
			first = err
		}
		laws = append(laws, l.Name)
	}
	return laws, first
}

// TestEachMistakeIsCaughtByItsLaw prints a table of mistakes, the law that catches each, and the smallest situation found.
func TestEachMistakeIsCaughtByItsLaw(t *testing.T) {
	var table rows
	t.Cleanup(func() {
		close(released)
		t.Logf("caught by its law only:\n%s", table.text())
	})
	caught := map[string]bool{"claims": true} // see TestClaims
	for _, v := range variants() {
		caught[v.law] = true
		t.Run(v.law+"/"+v.mistake, func(t *testing.T) {
			t.Parallel()
			laws, err := broken(t, v.law, func() devicetest.Harness { return v.harness() })
			if !slices.Equal(laws, []string{v.law}) {
				t.Errorf("caught by %q: %v", laws, err)
			}
			var violation *devicetest.Violation
			if err != nil && (!errors.As(err, &violation) || violation.Law != v.law) {
				t.Errorf("no violation: %v", err)
			}
			table.add(v.law, v.mistake, err)
		})
	}
	for _, l := range devicetest.Laws() {
		if !caught[l.Name] {
			t.Errorf("law %s catches nothing", l.Name)
		}
	}
}

func (v *variant) harness() devicetest.Harness {
	h := devicetest.Shortened(harnessOf(v.backend()))
	h.Tries, h.Limit = v.tries, v.limit
	return h
}

// rows are a table, filled in by tests that run at the same time.
type rows struct {
	mu  sync.Mutex
	all []string
}

func (r *rows) add(law, mistake string, err error) {
	shown := strings.ReplaceAll(strings.TrimPrefix(fmt.Sprint(err), "law "+law+": "), "\n", "\n\t\t")
	r.mu.Lock()
	defer r.mu.Unlock()
	r.all = append(r.all, law+"\t"+mistake+"\n\t\t"+shown+"\n")
}

func (r *rows) text() string {
	slices.Sort(r.all)
	var b strings.Builder
	w := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
	for _, row := range r.all {
		fmt.Fprint(w, row)
	}
	_ = w.Flush()
	return b.String()
}
