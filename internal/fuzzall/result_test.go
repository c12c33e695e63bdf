package main

import (
	"slices"
	"strings"
	"testing"
)

// What go1.26 printed.
const (
	endsWell = `fuzz: elapsed: 0s, gathering baseline coverage: 0/1 completed
fuzz: elapsed: 0s, gathering baseline coverage: 1/1 completed, now fuzzing with 2 workers
fuzz: elapsed: 3s, execs: 208296 (69424/sec), new interesting: 1 (total: 2)
fuzz: elapsed: 4s, execs: 293067 (80419/sec), new interesting: 3 (total: 4)
PASS
`
	uninstrumented = `warning: the test binary was not built with coverage instrumentation, so fuzzing will run without coverage guidance and may be inefficient
fuzz: elapsed: 0s, testing seed corpus: 0/7 completed
fuzz: elapsed: 0s, testing seed corpus: 7/7 completed, now fuzzing with 2 workers
fuzz: elapsed: 3s, execs: 1200 (400/sec)
PASS
`
	fails = `fuzz: elapsed: 0s, gathering baseline coverage: 1/1 completed, now fuzzing with 2 workers
fuzz: elapsed: 3s, execs: 9000 (3000/sec), new interesting: 2 (total: 3)
fuzz: minimizing 34-byte failing input file
fuzz: elapsed: 4s, minimizing
--- FAIL: FuzzCrash (4.26s)
    --- FAIL: FuzzCrash (0.00s)
        toy_test.go:4: bad input: context deadline exceeded
    
    Failing input written to testdata/fuzz/FuzzCrash/fcd70e0a90bfdb21
    To re-run:
    go test -run=FuzzCrash/fcd70e0a90bfdb21
FAIL
`
	hangs = `fuzz: elapsed: 9s, execs: 1 (0/sec), new interesting: 0 (total: 1)
fuzz: elapsed: 10s, execs: 2 (1/sec), new interesting: 0 (total: 1)
--- FAIL: FuzzHang (10.10s)
    fuzzing process hung or terminated unexpectedly: exit status 2
    Failing input written to testdata/fuzz/FuzzHang/c5021f84c3e144d3
    To re-run:
    go test -run=FuzzHang/c5021f84c3e144d3
FAIL
`
	seedFails = `fuzz: elapsed: 0s, gathering baseline coverage: 0/2 completed
failure while testing seed corpus entry: FuzzSeed/seed#1
fuzz: elapsed: 0s, gathering baseline coverage: 1/2 completed
--- FAIL: FuzzSeed (0.03s)
    --- FAIL: FuzzSeed (0.00s)
        toy_test.go:6: bad seed
    
FAIL
`
	fileFails = `fuzz: elapsed: 0s, gathering baseline coverage: 0/1 completed
failure while testing seed corpus entry: FuzzFile/x
fuzz: elapsed: 0s, gathering baseline coverage: 0/1 completed
--- FAIL: FuzzFile (0.06s)
    --- FAIL: FuzzFile (0.00s)
        toy2_test.go:3: bad file
    
FAIL
`
	lateInBaseline = `fuzz: elapsed: 0s, gathering baseline coverage: 0/40 completed
fuzz: elapsed: 3s, gathering baseline coverage: 10/40 completed
fuzz: elapsed: 4s, gathering baseline coverage: 14/40 completed
--- FAIL: FuzzSlow (4.05s)
    context deadline exceeded
FAIL
`
	lateAtTheEnd = `fuzz: elapsed: 0s, gathering baseline coverage: 5/5 completed, now fuzzing with 2 workers
fuzz: elapsed: 3s, execs: 900 (300/sec), new interesting: 0 (total: 5)
--- FAIL: FuzzLate (3.10s)
    context deadline exceeded
FAIL
`
	doesNotBegin = `--- FAIL: FuzzSetup (0.00s)
    toy_test.go:9: no backend
FAIL
`
	inBaseline = `fuzz: elapsed: 0s, gathering baseline coverage: 0/40 completed
fuzz: elapsed: 2s, gathering baseline coverage: 6/40 completed
`
)

func TestParse(t *testing.T) {
	for name, c := range map[string]struct {
		output          string
		passed, stopped bool
		want            result
	}{
		"ends well":          {endsWell, true, false, result{outcome: fine, executions: 293067, found: 3, corpus: 4}},
		"uninstrumented":     {uninstrumented, true, false, result{outcome: fine, executions: 1200, corpus: 7}},
		"fails":              {fails, false, false, result{outcome: crash, executions: 9000, found: 2, corpus: 3, crasher: "testdata/fuzz/FuzzCrash/fcd70e0a90bfdb21"}},
		"fails, interrupted": {fails, false, true, result{outcome: crash, executions: 9000, found: 2, corpus: 3, crasher: "testdata/fuzz/FuzzCrash/fcd70e0a90bfdb21"}},
		"hangs":              {hangs, false, false, result{outcome: crash, executions: 2, corpus: 1, crasher: "testdata/fuzz/FuzzHang/c5021f84c3e144d3"}},
		"seed fails":         {seedFails, false, false, result{outcome: crash, corpus: 2, crasher: "FuzzSeed/seed#1"}},
		"file fails":         {fileFails, false, false, result{outcome: crash, corpus: 1, crasher: "testdata/fuzz/FuzzFile/x"}},
		"late, baseline":     {lateInBaseline, false, false, result{outcome: late, corpus: 40, note: "tried no more than 14 of the corpus"}},
		"late, at the end":   {lateAtTheEnd, false, false, result{outcome: late, executions: 900, corpus: 5}},
		"does not begin":     {doesNotBegin, false, false, result{outcome: failed, note: "toy_test.go:9: no backend"}},
		"skipped":            {"PASS\n", true, false, result{outcome: fine, note: "tried nothing"}},
		"killed":             {"", false, false, result{outcome: failed, note: "ended without a word"}},
		"interrupted":        {strings.TrimSuffix(endsWell, "PASS\n"), true, true, result{outcome: interrupted, executions: 293067, found: 3, corpus: 4}},
		"interrupted early":  {inBaseline, true, true, result{outcome: interrupted, corpus: 40, note: "tried no more than 6 of the corpus"}},
		"interrupted, late":  {lateAtTheEnd, false, true, result{outcome: interrupted, executions: 900, corpus: 5}},
	} {
		if got := parse(c.output, c.passed, c.stopped); got != c.want {
			t.Errorf("%s: got %+v\nwant %+v", name, got, c.want)
		}
	}
}

func TestListed(t *testing.T) {
	got := listed(`FuzzMap
ok  	example.com/m/internal/ordered	0.027s
?   	example.com/m/internal/testkit	[no test files]
ok  	example.com/m/score	(cached)
FAIL	example.com/m/broken [build failed]
FuzzParse
FuzzRead
ok  	example.com/m	0.102s
FAIL
`)
	want := []target{{"example.com/m/internal/ordered", "FuzzMap"}, {"example.com/m", "FuzzParse"}, {"example.com/m", "FuzzRead"}}
	if !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}
