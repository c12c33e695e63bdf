// Package command is the command line of the what-if tool.
package command

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"

	"github.com/spf13/cobra"
	"k8s.io/klog/v2"

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
	Program      string // path of the program, or its name; empty: whatif
	Colour       bool   // of Out, unless --color says otherwise
	Width        int    // cells of a line of Out; 0: no terminal, lines may be longer
	ShowProgress bool   // on Err
}

// errNoFit ends a command with ExitNoFit; it was answered already.
var errNoFit = errors.New("something does not fit, is wrong, differs or is less than promised")

// Run runs the command line and returns the exit code.
func Run(ctx context.Context, args []string, t Terminal) (code int) {
	called := nameOf(t.Program)
	defer func() {
		if r := recover(); r != nil { // our own broken invariant: no answer, but no stack trace for people either
			fmt.Fprintf(t.Err, "%s: internal error, please report it with the input: %s\n", called.shown, render.Printable(fmt.Sprint(r)))
			code = ExitBadInput
		}
	}()
	root := newRoot(&t)
	called.apply(root)
	fitHelp(root, t.Width)
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
	fmt.Fprintln(t.Err, called.shown+": "+render.Printable(err.Error()))
	return ExitBadInput
}

func newRoot(t *Terminal) *cobra.Command {
	f := &flags{terminal: t}
	root := &cobra.Command{
		Short: "Which devices would serve a pod, and why others do not",
		Long: `whatif answers what a HAMi scheduler would decide, from files that kubectl prints or about a live cluster, of which it only
lists nodes, pods and resourcequotas:

  kubectl get nodes,pods,resourcequotas -A -o json > cluster.json
  whatif table -f cluster.json
  whatif table --context staging

"whatif demo" shows most commands on a small cluster that comes with the tool.

Exit codes: 0 answered; 1 something does not fit, is wrong (lint) or differs (diff), with --fail, or a node has less than
promised (verify); 2 bad input.`,
		SilenceUsage:  true,
		SilenceErrors: true,
		RunE:          func(c *cobra.Command, _ []string) error { return c.Help() },
	}
	f.register(root.PersistentFlags())
	root.AddCommand(tableCommand(f), whyCommand(f), placeCommand(f), scaleUpCommand(f))
	root.AddCommand(capacityCommand(f), fragmentationCommand(f), makeRoomCommand(f), drainCommand(f), verifyCommand(f))
	root.AddCommand(explainCommand(f), lintCommand(f), diffCommand(f), anonymizeCommand(f), reportCommand(f), demoCommand(f))
	f.complete(root)
	return root
}

// Main runs the command on the process's own terminal. What client-go logs is in the errors too, so the log is left out.
func Main() int {
	klog.SetSlogLogger(slog.New(slog.DiscardHandler))
	t := processTerminal()
	t.Program = os.Args[0]
	return Run(context.Background(), os.Args[1:], t)
}
