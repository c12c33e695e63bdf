package answer

import (
	"fmt"
	"os"
	"strings"
	"testing"
)

// TestPhrasesAreDocumented: docs/reasons.md tells of every phrase which reasons it stands for.
func TestPhrasesAreDocumented(t *testing.T) {
	text, err := os.ReadFile("../../../../docs/reasons.md")
	if err != nil {
		t.Fatal(err)
	}
	_, rest, _ := strings.Cut(string(text), "| In the sentence |")
	section, _, _ := strings.Cut(rest, "\n\n")
	codes := map[string]string{}
	for line := range strings.SplitSeq(section, "\n") {
		if cells := strings.Split(strings.Trim(line, "| "), " | "); len(cells) == 2 {
			codes[cells[0]] = cells[1]
		}
	}
	said := map[string]bool{}
	for code, phrase := range phrases {
		said[phrase] = true
		if !strings.Contains(codes[phrase], fmt.Sprintf("`%s`", code)) {
			t.Errorf("%q stands for %s, the page says %q", phrase, code, codes[phrase])
		}
	}
	if len(codes) != len(said) {
		t.Errorf("the page has %d phrases, whatif %d", len(codes), len(said))
	}
}
