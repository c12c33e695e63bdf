// Command fuzzall fuzzes every fuzz target of the module at length, one after the other:
//
//	go run ./internal/fuzzall -minutes N [-run REGEXP] [-parallel P] [-log DIR]
//
// A line for each target tells how it ended; a table and totals follow at the end. Where a target fails, Go has written the
// input to testdata/fuzz of its package: the file is to be committed with the fix, and go test runs it ever after. Inputs that
// reach new code are kept in Go's build cache, and the next run begins with them (go clean -fuzzcache drops them). An input
// that never ends is noticed after 10 seconds, so that shorter runs miss it.
//
// A target that only fails to stop in time has found nothing: it is run once more, for 10 seconds at most, and is ok with a
// note if that finds nothing either. An interrupt stops the run; what was done is told all the same.
//
// The exit status is 1 if a target failed, 2 if not everything could be run.
package main

import (
	"cmp"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"regexp"
	"runtime"
	"syscall"
	"time"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	f := &fuzzer{root: "."}
	match, err := f.flags(os.Args[1:], os.Stderr)
	if err != nil {
		fmt.Fprintln(os.Stderr, "fuzzall:", err)
		os.Exit(2)
	}
	status, err := f.all(ctx, match, os.Stdout)
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "fuzzall:", err)
	}
	os.Exit(status)
}

// flags reads the command line. It returns which targets to run.
func (f *fuzzer) flags(args []string, stderr io.Writer) (*regexp.Regexp, error) {
	set := flag.NewFlagSet("fuzzall", flag.ContinueOnError)
	set.SetOutput(stderr)
	minutes := set.Float64("minutes", 0, "how long to run each target, in minutes; fractions will do")
	run := set.String("run", "", "run only targets whose <package>.<name> matches, such as '^device\\.' or 'FuzzModel$'")
	set.IntVar(&f.parallel, "parallel", runtime.GOMAXPROCS(0), "workers of each target, as of go test")
	set.StringVar(&f.logs, "log", "", "folder to keep what the targets print, a file for each")
	if err := set.Parse(args); err != nil {
		return nil, err
	}
	if !(*minutes*60 >= 0.1 && *minutes < 1e6) || f.parallel < 1 || set.NArg() > 0 {
		return nil, errors.New("want -minutes of a tenth of a second at least, -parallel above 0, and no arguments")
	}
	f.time = time.Duration(*minutes * float64(time.Minute)).Round(time.Millisecond)
	return regexp.Compile(*run)
}

// all runs the targets that match, tells of each, and of all at the end. It returns the exit status.
func (f *fuzzer) all(ctx context.Context, match *regexp.Regexp, w io.Writer) (int, error) {
	var err error
	if f.binaries, err = os.MkdirTemp("", "fuzzall"); err != nil {
		return 2, err
	}
	defer os.RemoveAll(f.binaries)
	if f.logs != "" {
		if err := os.MkdirAll(f.logs, 0o777); err != nil {
			return 2, err
		}
	}
	targets, err := f.targets(ctx, match)
	switch {
	case ctx.Err() != nil:
		return 2, errors.New("interrupted before any target was run")
	case len(targets) == 0:
		return 2, cmp.Or(err, errors.New("no target to run"))
	}
	done := report{all: len(targets)}
	for i, t := range targets {
		if ctx.Err() != nil {
			break
		}
		fmt.Fprintf(w, "[%*d/%d] %-20s %-28s", len(fmt.Sprint(len(targets))), i+1, len(targets), f.short(t.pkg), t.name)
		r, output := f.fuzz(ctx, t)
		done.rows = append(done.rows, row{result: r, pkg: f.short(t.pkg), name: t.name})
		fmt.Fprintln(w, r.text())
		if r.outcome == crash || r.outcome == failed {
			fmt.Fprintln(w, output)
		}
	}
	done.print(w)
	if status := done.status(); status != 0 {
		return status, err
	}
	if err != nil {
		return 2, err
	}
	return 0, nil
}
