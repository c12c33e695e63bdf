package main

import (
	"context"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"
)

func TestFlags(t *testing.T) {
	for line, ok := range map[string]bool{
		"-minutes 0.5":                        true,
		"-minutes 1 -run ^device -parallel 1": true,
		"":                                    false,
		"-minutes 0":                          false,
		"-minutes NaN":                        false,
		"-minutes 1e-9":                       false,
		"-minutes 1 -parallel 0":              false,
		"-minutes 1 -run (":                   false,
		"-minutes 1 ./device":                 false,
	} {
		f := &fuzzer{}
		match, err := f.flags(strings.Fields(line), io.Discard)
		if (err == nil) != ok || ok && (match == nil || f.time < 30*time.Second || f.parallel < 1) {
			t.Errorf("%s: %+v, %v", line, f, err)
		}
	}
}

func TestReport(t *testing.T) {
	second := time.Second
	p := report{all: 4, rows: []row{
		{result{outcome: fine, executions: 3000, found: 2, corpus: 10, took: 2 * second}, "device", "FuzzA"},
		{result{outcome: crash, executions: 10, corpus: 5, crasher: "testdata/fuzz/FuzzB/1f", took: second}, "vendors/x", "FuzzB"},
		{result{outcome: crash, crasher: "FuzzC/seed#1"}, "vendors/x", "FuzzC"},
	}}
	var b strings.Builder
	p.print(&b)
	const want = `
PACKAGE    TARGET  EXECUTIONS     PER S     NEW  CORPUS  RESULT
device     FuzzA         3000      1500       2      10  ok
vendors/x  FuzzB           10        10       0       5  CRASH
vendors/x  FuzzC            0         0       0       0  CRASH

4 targets: 1 ok, 2 CRASH, 1 not run; 3010 executions in 3s, 1003/s; 2 new inputs, 15 in corpora
vendors/x FuzzB fails: vendors/x/testdata/fuzz/FuzzB/1f: commit it with its fix
vendors/x FuzzC fails: FuzzC/seed#1, a seed that the target adds itself
`
	if b.String() != want {
		t.Errorf("got\n%s\nwant\n%s", b.String(), want)
	}
}

func TestStatus(t *testing.T) {
	for want, outcomes := range [][]outcome{{fine, fine}, {fine, crash, interrupted}, {fine, interrupted}} {
		p := report{all: len(outcomes)}
		for _, o := range outcomes {
			p.rows = append(p.rows, row{result: result{outcome: o}})
		}
		if got := p.status(); got != want {
			t.Errorf("%v: status %d, want %d", outcomes, got, want)
		}
	}
	if p := (report{all: 1}); p.status() != 2 {
		t.Error("nothing run, and all is well")
	}
}

// toy is a module with a target of each kind.
const toy = `package toy

import "testing"

func FuzzFine(f *testing.F) {
	f.Add("a")
	f.Fuzz(func(t *testing.T, s string) {})
}

func FuzzFails(f *testing.F) {
	f.Add("a")
	f.Fuzz(func(t *testing.T, s string) {
		if len(s) > 3 {
			t.Fatal("too long")
		}
	})
}

func FuzzSetup(f *testing.F) { f.Fatal("no backend") }
`

// newToy runs the targets of toy.
func newToy(t *testing.T, d time.Duration) *fuzzer {
	t.Helper()
	if testing.Short() {
		t.Skip("builds and runs a module")
	}
	dir := t.TempDir()
	for name, text := range map[string]string{"go.mod": "module example.com/toy\n\ngo 1.25\n", "x/toy_test.go": toy} {
		name = filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	return &fuzzer{root: dir, time: d, parallel: 1, cache: filepath.Join(dir, "cache"), logs: filepath.Join(dir, "logs")}
}

func TestAll(t *testing.T) {
	f := newToy(t, time.Second)
	var b strings.Builder
	status, err := f.all(t.Context(), regexp.MustCompile(""), &b)
	output := b.String()
	crashers, _ := filepath.Glob(filepath.Join(f.root, "x/testdata/fuzz/FuzzFails/*"))
	if err != nil || status != 1 || len(crashers) != 1 {
		t.Fatalf("status %d, %v, crashers %v\n%s", status, err, crashers, output)
	}
	for _, want := range []string{
		"3 targets: 1 ok, 1 CRASH, 1 FAILED;", "too long", "FAILED  toy_test.go:19: no backend",
		"x FuzzFails fails: x/testdata/fuzz/FuzzFails/" + filepath.Base(crashers[0]) + ": commit it with its fix\n",
	} {
		if !strings.Contains(output, want) {
			t.Errorf("%q is missing", want)
		}
	}
	if log, err := os.ReadFile(filepath.Join(f.logs, "x.FuzzFine.log")); err != nil || !strings.Contains(string(log), "PASS") {
		t.Errorf("log %q, %v", log, err)
	}
	if t.Failed() {
		t.Log(output)
	}
}

func TestInterrupt(t *testing.T) {
	f := newToy(t, time.Hour)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	go func() { // cancels once the target runs
		defer cancel()
		for ctx.Err() == nil {
			time.Sleep(50 * time.Millisecond)
			if log, _ := os.ReadFile(filepath.Join(f.logs, "x.FuzzFine.log")); strings.Contains(string(log), "now fuzzing") {
				return
			}
		}
	}()
	var b strings.Builder
	status, err := f.all(ctx, regexp.MustCompile(`^x\.Fuzz(Fine|Setup)$`), &b)
	if want := "2 targets: 1 interrupted, 1 not run;"; err != nil || status != 2 || !strings.Contains(b.String(), want) {
		t.Errorf("status %d, %v, want %q in\n%s", status, err, want, b.String())
	}
}
