package render

import (
	"regexp"
	"strings"

	"github.com/jedib0t/go-pretty/v6/text"
)

// cellWidth is the number of terminal cells that a line takes: wide characters take two, combining marks and colours none.
func cellWidth(line string) int { return text.StringWidthWithoutEscSequences(line) }

// noBreak is a blank at which no line is broken. Texts that are Clean have none.
const noBreak = "\u00a0"

// units are amounts with what they are of.
var units = regexp.MustCompile(`\d+/\d+ [A-Z]\w+|\d % core|\d (%|MiB|Gi)|\b(cpu|memory|pods) [\d.]+/`)

// together keeps amounts and what they are of on one line of a terminal, unless it is a narrow one.
func (s Style) together(words string) string {
	if s.Width == 0 {
		return words
	}
	return units.ReplaceAllStringFunc(words, func(unit string) string {
		if len(unit) > s.Width/2 {
			return unit
		}
		return s.whole(unit)
	})
}

// whole keeps words on one line of a terminal, so that they can be copied.
func (s Style) whole(words string) string {
	if s.Width == 0 {
		return words
	}
	return strings.ReplaceAll(words, " ", noBreak)
}

// lines is a text as wide as the terminal less some cells; one line where there is none.
func (s Style) lines(words string, less int) []string {
	if s.Width == 0 {
		return []string{words}
	}
	return wrap(s.together(words), s.Width-less)
}

// wrap breaks each line of a text between words so that none takes more than width cells. A word is never broken, so that names
// and ids can be copied and searched for: one that is wider stands on a line of its own. Blanks before the text stand before
// every line of it. A colour ends with its line, and goes on in the next.
func wrap(s string, width int) []string {
	var out []string
	for line := range strings.SplitSeq(s, "\n") {
		if cellWidth(line) <= width {
			out = append(out, line)
			continue
		}
		out = append(out, broken(line, width)...)
	}
	for i := range out {
		out[i] = strings.ReplaceAll(out[i], noBreak, " ")
	}
	return out
}

// broken is the lines of one that is too wide.
func broken(line string, width int) []string {
	rest := strings.TrimLeft(line, " ")
	start := line[:len(line)-len(rest)]
	var out []string
	line = ""
	for rest != "" {
		gap := len(rest) - len(strings.TrimLeft(rest, " "))
		word, after, _ := strings.Cut(rest[gap:], " ")
		if line != "" && len(start)+cellWidth(line)+gap+cellWidth(word) > width {
			out, line, gap = append(out, start+line), "", 0
		}
		line += strings.Repeat(" ", gap) + word
		rest = strings.TrimRight(" "+after, " ")
	}
	return coloured(append(out, start+line))
}

// coloured ends the colour of each line, and begins the next line with it.
func coloured(lines []string) []string {
	var open text.EscSeqParser
	for i, line := range lines {
		before := open.Sequence()
		if lines[i] = before + line; open.ParseString(line) != "" {
			lines[i] += text.EscapeReset
		}
	}
	return lines
}

// longestWord is the number of cells that a text takes at least.
func longestWord(s string) int {
	most := 0
	for line := range strings.SplitSeq(s, "\n") {
		start := len(line) - len(strings.TrimLeft(line, " "))
		for word := range strings.SplitSeq(strings.TrimLeft(line, " "), " ") {
			most = max(most, start+cellWidth(word))
		}
	}
	return most
}

// longestLine is the number of cells that a text takes without wrapping.
func longestLine(s string) int { return text.LongestLineLen(s) }

// Reflow breaks a text as Width asks for, whatever its lines were: those that begin with a blank, like command lines, stay.
func (s Style) Reflow(text string) string {
	if s.Width == 0 {
		return text
	}
	var out, paragraph []string
	flush := func() {
		if len(paragraph) > 0 {
			out = append(out, wrap(strings.Join(paragraph, " "), min(s.Width, proseWidth))...)
		}
		paragraph = nil
	}
	for line := range strings.SplitSeq(text, "\n") {
		if line == "" || line[0] == ' ' {
			flush()
			out = append(out, line)
			continue
		}
		paragraph = append(paragraph, line)
	}
	flush()
	return strings.Join(out, "\n")
}
