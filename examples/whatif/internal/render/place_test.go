package render

import (
	"strings"
	"testing"

	"github.com/accelfit/accelfit/examples/whatif/internal/answer"
)

// TestAnnotationsWhole checks that the value of an annotation is never broken, with or without a terminal.
func TestAnnotationsWhole(t *testing.T) {
	value := `[{"a": 1, "b": "` + strings.Repeat("long ", 30) + `"}]`
	p := &answer.Place{Pods: []answer.Placement{{Pod: "s/p", Node: "n", Annotations: map[string]string{"key": value}, Stale: []string{"old"}}}}
	for width, want := range map[int]string{
		0:   "  set     key: " + value + "\n  remove  old\n",
		80:  "  set     key:\n    " + value + "\n  remove  old\n",
		250: "  set     key: " + value + "\n  remove  old\n",
	} {
		var out strings.Builder
		Style{Width: width}.Place(&out, p)
		if !strings.Contains(out.String(), want) {
			t.Errorf("width %d:\n%s", width, out.String())
		}
	}
}
