package main

import (
	"fmt"
	"io"
	"path"
	"regexp"
	"strconv"
	"strings"
	"text/tabwriter"
	"time"
)

// outcome is how a run of a target ended.
type outcome string

const (
	fine        outcome = "ok"
	crash       outcome = "CRASH"       // an input fails
	failed      outcome = "FAILED"      // the target does, and no input is to blame
	late        outcome = "late"        // nothing was found, but it did not stop in time
	interrupted outcome = "interrupted" // before its time was up
)

// result is what a run of a target came to.
type result struct {
	outcome
	executions, found, corpus int64
	crasher                   string // the failing input: a path from the package's folder, or the name of a seed that the target adds
	note                      string
	took                      time.Duration // not from what it printed
}

var (
	counted  = regexp.MustCompile(`execs: (\d+) \(\d+/sec\)(?:, new interesting: (\d+) \(total: (\d+)\))?`)
	baseline = regexp.MustCompile(`(?:gathering baseline coverage|testing seed corpus): (\d+)/(\d+) completed`)
	written  = regexp.MustCompile(`(?m)^ *Failing input written to (.+)$`)
	seed     = regexp.MustCompile(`failure while testing seed corpus entry: (\S+)`)
	why      = regexp.MustCompile(`(?m)^--- FAIL: .*\n +(.+)$`)
)

// parse reads what a test binary printed while it fuzzed. passed: it ended with status 0; stopped: it was told to end early.
func parse(output string, passed, stopped bool) result {
	var r result
	begun := last(baseline, output)
	if begun != nil {
		r.corpus = number(begun[2])
	}
	if m := last(counted, output); m != nil {
		r.executions, r.found, r.corpus = number(m[1]), number(m[2]), max(r.corpus, number(m[3]))
	}
	r.outcome, r.crasher = ending(output, passed, stopped)
	switch m := last(why, output); {
	case r.outcome == failed && m != nil:
		r.note = m[1]
	case r.outcome == failed:
		r.note = "ended without a word"
	case r.outcome == crash || r.executions > 0:
	case begun == nil:
		r.note = "tried nothing"
	default:
		r.note = "tried no more than " + begun[1] + " of the corpus"
	}
	return r
}

func ending(output string, passed, stopped bool) (o outcome, crasher string) {
	if m := last(written, output); m != nil {
		return crash, m[1]
	}
	if m := last(seed, output); m != nil && !passed {
		if strings.Contains(m[1], "/seed#") {
			return crash, m[1]
		}
		return crash, "testdata/fuzz/" + m[1]
	}
	switch {
	case stopped:
		return interrupted, ""
	case passed:
		return fine, ""
	case strings.Contains(output, "context deadline exceeded"):
		return late, ""
	}
	return failed, ""
}

func last(pattern *regexp.Regexp, text string) []string {
	all := pattern.FindAllStringSubmatch(text, -1)
	if len(all) == 0 {
		return nil
	}
	return all[len(all)-1]
}

// number reads digits; 0 where there are none.
func number(digits string) int64 {
	n, _ := strconv.ParseInt(digits, 10, 64)
	return n
}

// row is a target that was run.
type row struct {
	result
	pkg  string // within the module
	name string
}

// rate is how many inputs were tried in a second, the time counted in which the corpus was read.
func (r *result) rate() int64 {
	if r.took <= 0 {
		return 0
	}
	return int64(float64(r.executions) / r.took.Seconds())
}

func (r *result) text() string {
	return strings.TrimRight(fmt.Sprintf("%10d executions %7d/s %5d new %6d in corpus  %s  %s",
		r.executions, r.rate(), r.found, r.corpus, r.outcome, r.note), " ")
}

// input tells where the failing input is.
func (r *row) input() string {
	if strings.Contains(r.crasher, "#") {
		return r.crasher + ", a seed that the target adds itself"
	}
	return path.Join(r.pkg, r.crasher) + ": commit it with its fix"
}

// report is what a run of all targets came to.
type report struct {
	all  int // targets there are
	rows []row
}

// print writes the table, the totals, and the inputs that fail.
func (p *report) print(w io.Writer) {
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(table, "\nPACKAGE\tTARGET\tEXECUTIONS\t   PER S\t   NEW\tCORPUS\tRESULT")
	for i := range p.rows {
		r := &p.rows[i]
		fmt.Fprintf(table, "%s\t%s\t%10d\t%8d\t%6d\t%6d\t%s\n", r.pkg, r.name, r.executions, r.rate(), r.found, r.corpus, strings.TrimSpace(string(r.outcome)+"  "+r.note))
	}
	table.Flush()
	fmt.Fprintln(w, "\n"+p.totals())
	for i := range p.rows {
		if r := &p.rows[i]; r.outcome == crash {
			fmt.Fprintf(w, "%s %s fails: %s\n", r.pkg, r.name, r.input())
		}
	}
}

func (p *report) totals() string {
	var sum result
	for i := range p.rows {
		r := &p.rows[i]
		sum.executions += r.executions
		sum.found += r.found
		sum.corpus += r.corpus
		sum.took += r.took
	}
	var ends []string
	for _, o := range []outcome{fine, crash, failed, interrupted} {
		if n := p.count(func(r *row) bool { return r.outcome == o }); n > 0 {
			ends = append(ends, fmt.Sprintf("%d %s", n, o))
		}
	}
	if n := p.count(func(r *row) bool { return r.outcome == fine && r.executions == 0 }); n > 0 {
		ends = append(ends, fmt.Sprintf("%d of these had time for the corpus only", n))
	}
	if left := p.all - len(p.rows); left > 0 {
		ends = append(ends, fmt.Sprintf("%d not run", left))
	}
	return fmt.Sprintf("%d targets: %s; %d executions in %v, %d/s; %d new inputs, %d in corpora",
		p.all, strings.Join(ends, ", "), sum.executions, sum.took.Round(time.Second), sum.rate(), sum.found, sum.corpus)
}

// count tells how many rows are of a kind.
func (p *report) count(is func(*row) bool) int {
	n := 0
	for i := range p.rows {
		if is(&p.rows[i]) {
			n++
		}
	}
	return n
}

// status is the exit status.
func (p *report) status() int {
	switch {
	case p.count(func(r *row) bool { return r.outcome == crash || r.outcome == failed }) > 0:
		return 1
	case p.count(func(r *row) bool { return r.outcome == interrupted }) > 0 || len(p.rows) < p.all:
		return 2
	}
	return 0
}
