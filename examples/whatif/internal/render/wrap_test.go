package render

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestWrap(t *testing.T) {
	for name, c := range map[string]struct {
		in    string
		width int
		want  string
	}{
		"fits":                      {"a b", 3, "a b"},
		"between words":             {"one two three", 8, "one two\nthree"},
		"to the last cell":          {"one two", 7, "one two"},
		"a word is never broken":    {"see node-with-a-long-name for more", 10, "see\nnode-with-a-long-name\nfor more"},
		"lines stay":                {"one\ntwo three", 5, "one\ntwo\nthree"},
		"blanks in a line stay":     {"a  b   c d", 8, "a  b   c\nd"},
		"blanks at its end do not":  {"a bb      c", 4, "a bb\nc"},
		"blanks before it":          {"  one two", 6, "  one\n  two"},
		"nothing":                   {"", 5, ""},
		"no room":                   {"a b", 0, "a\nb"},
		"a blank that is to stay":   {"one 2" + noBreak + "MiB", 6, "one\n2 MiB"},
		"wide characters":           {"生命 の 木", 7, "生命 の\n木"},
		"combining marks":           {"e\u0301e\u0301 e\u0301", 4, "e\u0301e\u0301 e\u0301"},
		"colour of all":             {"\x1b[31mone two\x1b[0m", 4, "\x1b[31mone\x1b[0m\n\x1b[31mtwo\x1b[0m"},
		"colour of the end":         {"one \x1b[31mtwo six\x1b[0m", 7, "one \x1b[31mtwo\x1b[0m\n\x1b[31msix\x1b[0m"},
		"colour takes no room":      {"\x1b[31mone\x1b[0m two", 7, "\x1b[31mone\x1b[0m two"},
		"colour that ended is over": {"\x1b[31mone\x1b[0m two six", 7, "\x1b[31mone\x1b[0m two\nsix"},
	} {
		if d := cmp.Diff(c.want, strings.Join(wrap(c.in, c.width), "\n")); d != "" {
			t.Errorf("%s (-want +got):\n%s", name, d)
		}
	}
}

func TestTogether(t *testing.T) {
	words := "1/2 CardNotHealth, 20 % core, 8000 MiB, cpu 1.5/16, memory 20.2/64 Gi, pods 4/110, cpu (want 2)"
	if got := (Style{}).together(words); got != words {
		t.Errorf("without a terminal: %q", got)
	}
	want := strings.NewReplacer("2 C", "2_C", "0 % c", "0_%_c", "0 M", "0_M", "cpu 1", "cpu_1", "memory ", "memory_", "4 G", "4_G", "pods ", "pods_")
	if got := strings.ReplaceAll((Style{Width: 80}).together(words), noBreak, "_"); got != want.Replace(words) {
		t.Errorf("got %s", got)
	}
}

// TestPrintable checks that what is not there to be seen is replaced, and that what is stays.
func TestPrintable(t *testing.T) {
	for in, want := range map[string]string{
		"plain":                         "plain",
		"\x1b]0;title\x07":              "�]0;title�",
		"\x1b[2J\x9b2J\u009b2J":         "�[2J�2J�2J",
		"a\rb\x08\x7f\x00":              "a�b���",
		"a\tb":                          "a b",
		"a\u202egpj.exe\u2066\u2069":    "a�gpj.exe��",
		"zero\u200bwidth\u200d\ufeff":   "zero�width��",
		"a\u2028b\u00a0c":               "a�b�c",
		"\xff\xfe":                      "��",
		"生命 e\u0301 ✓ 🚀 שלום":           "生命 e\u0301 ✓ 🚀 שלום",
		"tag \U000e0041 private \ue000": "tag � private �",
	} {
		if got := Printable(in); got != want {
			t.Errorf("%q: %q, want %q", in, got, want)
		}
	}
}

func TestClean(t *testing.T) {
	type inner struct{ Texts []string }
	answer := struct {
		Name  string
		Inner *inner
		Map   map[string]string
		None  *inner
	}{"a\nb", &inner{[]string{"\x1b[2J"}}, map[string]string{"k": "\r\n"}, nil}
	Clean(&answer)
	if answer.Name != "a b" || answer.Inner.Texts[0] != "�[2J" || answer.Map["k"] != "� " {
		t.Errorf("got %q %q %q", answer.Name, answer.Inner.Texts, answer.Map)
	}
}

func TestReflow(t *testing.T) {
	in := "One sentence of\nsome length.\n\n  a command line of some length # stays\nAnd\nmore.\n"
	if got := (Style{}).Reflow(in); got != in {
		t.Errorf("without a terminal: %q", got)
	}
	want := "One sentence\nof some\nlength.\n\n  a command line of some length # stays\nAnd more.\n"
	if d := cmp.Diff(want, Style{Width: 12}.Reflow(in)); d != "" {
		t.Errorf("(-want +got):\n%s", d)
	}
}
