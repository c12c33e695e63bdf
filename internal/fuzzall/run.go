package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"time"
)

const (
	again = 10 * time.Second // how long a target is run once more at most
	grace = 2 * time.Minute  // how much longer than its time a target may take: a failing input is made smaller first
	calm  = 10 * time.Second // how long a command may take to end that is asked to

	// minimize is how often an input that reaches new code is tried to be made smaller. Go's own limit is a minute, in which a target
	// whose coverage varies from run to run tries nothing new.
	minimize = "20x"
)

// fuzzer runs targets of the module at root.
type fuzzer struct {
	root     string
	time     time.Duration // of each target
	parallel int
	logs     string // folder for what targets print; empty: none
	cache    string // folder of the inputs that were found before
	binaries string // folder for test binaries

	module string
	folder map[string]string // of packages, by import path
	built  string            // package whose test binary is there
}

// targets finds the module's targets that match, by "<package in the module>.<name>". Where some packages do not build it returns
// those of the others, and an error.
func (f *fuzzer) targets(ctx context.Context, match *regexp.Regexp) ([]target, error) {
	packages, err := f.goCommand(ctx, "list", "-f", "{{.Module.Path}}\t{{.ImportPath}}\t{{.Dir}}", "./...")
	if err != nil {
		return nil, err
	}
	f.folder = map[string]string{}
	for line := range strings.Lines(packages) {
		if field := strings.Split(strings.TrimSpace(line), "\t"); len(field) == 3 {
			f.module = field[0]
			f.folder[field[1]] = field[2]
		}
	}
	if f.cache == "" {
		cache, err := f.goCommand(ctx, "env", "GOCACHE")
		if err != nil {
			return nil, err
		}
		f.cache = filepath.Join(strings.TrimSpace(cache), "fuzz") // where go test -fuzz keeps them
	}
	names, err := f.goCommand(ctx, "test", "-list", "^Fuzz", "./...")
	var out []target
	for _, t := range listed(names) {
		if match.MatchString(f.short(t.pkg) + "." + t.name) {
			out = append(out, t)
		}
	}
	return out, err
}

// short is the path of a package within the module.
func (f *fuzzer) short(pkg string) string {
	return strings.TrimPrefix(strings.TrimPrefix(pkg, f.module), "/")
}

// goCommand runs the go command in the root and returns its output.
func (f *fuzzer) goCommand(ctx context.Context, args ...string) (string, error) {
	cmd := command(ctx, f.root, "go", args...)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		err = fmt.Errorf("go %s: %w\n%s", strings.Join(args, " "), err, stderr.Bytes())
	}
	return string(out), err
}

// command is a command that is asked to end when the context does, and killed where it does not.
func command(ctx context.Context, dir, name string, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Dir, cmd.WaitDelay = dir, calm
	cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) }
	return cmd
}

// fuzz runs a target for its time. It returns what the target printed, too.
func (f *fuzzer) fuzz(ctx context.Context, t target) (result, string) {
	binary, err := f.build(ctx, t.pkg)
	switch {
	case ctx.Err() != nil:
		return result{outcome: interrupted}, ""
	case err != nil:
		return result{outcome: failed, note: "does not build"}, err.Error()
	}
	r, output := f.once(ctx, binary, t, f.time, "")
	if r.outcome != late {
		return r, output
	}
	repeated, more := f.once(ctx, binary, t, min(f.time, again), ".again")
	if repeated.outcome != fine && repeated.outcome != late {
		return repeated, more
	}
	r.outcome, r.note = fine, strings.TrimPrefix(r.note+"; did not stop in time", "; ")
	return r, output
}

// build makes the test binary of a package, with what fuzzing needs, in place of that of another package.
func (f *fuzzer) build(ctx context.Context, pkg string) (string, error) {
	binary := filepath.Join(f.binaries, "fuzz.test.exe") // the ending matters to Windows only
	if f.built == pkg {
		return binary, nil
	}
	f.built = ""
	_, err := f.goCommand(ctx, "test", "-c", "-fuzz", ".", "-o", binary, pkg)
	if err == nil {
		f.built = pkg
	}
	return binary, err
}

// once runs a target, in its package's folder, as go test -fuzz would.
func (f *fuzzer) once(ctx context.Context, binary string, t target, d time.Duration, suffix string) (result, string) {
	hurry, cancel := context.WithTimeout(ctx, d+grace)
	defer cancel()
	cmd := command(hurry, f.folder[t.pkg], binary, "-test.run=^$", "-test.fuzz=^"+t.name+"$", "-test.fuzztime="+d.String(),
		"-test.fuzzminimizetime="+minimize,
		"-test.fuzzcachedir="+filepath.Join(f.cache, filepath.FromSlash(t.pkg)), fmt.Sprintf("-test.parallel=%d", f.parallel), "-test.paniconexit0")
	cmd.Dir, cmd.WaitDelay = f.folder[t.pkg], again
	cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) }
	began := time.Now()
	output, err := f.output(cmd, t, suffix)
	took := time.Since(began)
	r := parse(output, err == nil, ctx.Err() != nil)
	r.took = took
	if hurry.Err() != nil && ctx.Err() == nil && r.outcome != crash {
		r.outcome, r.note = failed, fmt.Sprintf("had not ended %v after its time", grace)
	}
	return r, output
}

// output runs a command and returns what it prints, which goes to the target's log as it comes.
func (f *fuzzer) output(cmd *exec.Cmd, t target, suffix string) (string, error) {
	var out bytes.Buffer
	cmd.Stdout = &out
	if f.logs != "" {
		name := strings.ReplaceAll(f.short(t.pkg), "/", "_") + "." + t.name + suffix + ".log"
		log, err := os.Create(filepath.Join(f.logs, name))
		if err != nil {
			return err.Error(), err
		}
		defer log.Close()
		cmd.Stdout = io.MultiWriter(&out, log)
	}
	cmd.Stderr = cmd.Stdout
	err := cmd.Run()
	return out.String(), err
}

// target is a fuzz target.
type target struct {
	pkg  string // import path
	name string
}

// listed reads the output of go test -list '^Fuzz' on several packages: names, then the package they are in.
func listed(output string) []target {
	var all []target
	var names []string
	for line := range strings.Lines(output) {
		words := strings.Fields(line)
		switch {
		case len(words) == 1 && strings.HasPrefix(words[0], "Fuzz"):
			names = append(names, words[0])
		case len(words) > 1 && words[0] == "ok":
			for _, name := range names {
				all = append(all, target{words[1], name})
			}
			names = nil
		}
	}
	return all
}
