// Package command is the command line of the what-if tool.
package command

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/spf13/cobra"

	"github.com/accelfit/accelfit/examples/whatif/internal/render"
)

// Exit codes.
const (
	ExitAnswered = 0
	ExitNoFit    = 1 // something does not fit, is wrong or differs, and --fail was given; or verify has found less than promised
	ExitBadInput = 2
)

// Terminal is what the command reads from and writes to.
type Terminal struct {
	In           io.Reader
	Out, Err     io.Writer
	Colour       bool // of Out
	ShowProgress bool // on Err
}

// errNoFit ends a command with ExitNoFit; it was answered already.
var errNoFit = errors.New("something does not fit, is wrong, differs or is less than promised")

// Run runs the command line and returns the exit code.
func Run(ctx context.Context, args []string, t Terminal) (code int) {
	defer func() {
		if r := recover(); r != nil { // our own broken invariant: no answer, but no stack trace for people either
			fmt.Fprintf(t.Err, "whatif: internal error, please report it with the input: %s\n", render.Printable(fmt.Sprint(r)))
			code = ExitBadInput
		}
	}()
	root := newRoot(&t)
	root.SetArgs(append([]string{}, args...)) // nil would stand for those of the process
	root.SetIn(t.In)
	root.SetOut(t.Out)
	root.SetErr(t.Err)
	err := root.ExecuteContext(ctx)
	switch {
	case err == nil:
		return ExitAnswered
	case errors.Is(err, errNoFit):
		return ExitNoFit
	}
	fmt.Fprintln(t.Err, "whatif: "+render.Printable(err.Error()))
	return ExitBadInput
}

func newRoot(t *Terminal) *cobra.Command {
	f := &flags{terminal: t}
	root := &cobra.Command{
		Use:   "whatif",
		Short: "Which devices would serve a pod, and why others do not",
		Long: `whatif answers what a HAMi scheduler would decide, from files that kubectl prints:

  kubectl get nodes,pods,resourcequotas -A -o json > cluster.json
  whatif table -f cluster.json

"whatif demo" shows most commands on a small cluster that comes with the tool.

Exit codes: 0 answered; 1 something does not fit, is wrong (lint) or differs (diff), with --fail, or a node has less than
promised (verify); 2 bad input.`,
		SilenceUsage:  true,
		SilenceErrors: true,
		RunE:          func(c *cobra.Command, _ []string) error { return c.Help() },
	}
	f.register(root.PersistentFlags())
	root.CompletionOptions.HiddenDefaultCmd = true
	root.AddCommand(tableCommand(f), whyCommand(f), placeCommand(f), scaleUpCommand(f))
	root.AddCommand(capacityCommand(f), fragmentationCommand(f), makeRoomCommand(f), drainCommand(f), verifyCommand(f))
	root.AddCommand(explainCommand(f), lintCommand(f), diffCommand(f), anonymizeCommand(f), reportCommand(f), demoCommand(f))
	return root
}

// Main runs the command on the process's own terminal.
func Main() int { return Run(context.Background(), os.Args[1:], processTerminal()) }
