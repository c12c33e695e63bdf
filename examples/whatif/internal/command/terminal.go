package command

import (
	"fmt"
	"io"
	"os"
	"strconv"

	"golang.org/x/term"
)

// processTerminal is that of the process. A dumb terminal has no colours and cannot take back a line.
func processTerminal() Terminal {
	able := func(f *os.File) bool { return term.IsTerminal(int(f.Fd())) && os.Getenv("TERM") != "dumb" }
	return Terminal{
		In: os.Stdin, Out: os.Stdout, Err: os.Stderr,
		Colour:       able(os.Stdout) && os.Getenv("NO_COLOR") == "",
		Width:        width(os.Stdout, os.Getenv("COLUMNS")),
		ShowProgress: able(os.Stderr),
	}
}

// A terminal that does not tell its width has usualWidth. None is taken to have less than leastWidth: nothing could be read there.
const (
	usualWidth = 80
	leastWidth = 40
)

// width is the number of cells of a line: what COLUMNS says, else what the terminal says; 0 if there is none.
func width(out *os.File, columns string) int {
	n, err := strconv.Atoi(columns)
	switch {
	case err == nil && n > 0:
	case !term.IsTerminal(int(out.Fd())):
		return 0
	default:
		if n, _, err = term.GetSize(int(out.Fd())); err != nil || n <= 0 {
			n = usualWidth
		}
	}
	return max(n, leastWidth)
}

// longWork is the number of pods from which placing them is worth a progress line.
const longWork = 200

// progress keeps one line on a terminal up to date.
type progress struct {
	out   io.Writer
	shown bool
}

func (p *progress) tell(what string, done, all int) {
	if all < longWork || done%16 != 0 {
		return
	}
	p.shown = true
	fmt.Fprintf(p.out, "\r\x1b[K%s: %d of %d pods", what, done, all)
}

// clear removes the line before the answer is printed.
func (p *progress) clear() {
	if p.shown {
		fmt.Fprint(p.out, "\r\x1b[K")
	}
}
