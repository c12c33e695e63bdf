package command

import (
	"fmt"
	"io"
	"os"

	"golang.org/x/term"
)

func processTerminal() Terminal {
	isTerminal := func(f *os.File) bool { return term.IsTerminal(int(f.Fd())) }
	return Terminal{
		In: os.Stdin, Out: os.Stdout, Err: os.Stderr,
		Colour:       isTerminal(os.Stdout) && os.Getenv("NO_COLOR") == "",
		ShowProgress: isTerminal(os.Stderr),
	}
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
