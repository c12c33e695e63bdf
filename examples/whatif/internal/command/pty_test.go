//go:build unix

package command

import (
	"bytes"
	"io"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/creack/pty"
	"github.com/jedib0t/go-pretty/v6/text"
)

// asCommand is the variable that makes the test program the command itself.
const asCommand = "WHATIF_TEST_AS_COMMAND"

// TestAsCommand is the command, for tests that need a process of their own.
func TestAsCommand(t *testing.T) {
	if os.Getenv(asCommand) == "" {
		t.Skip("run by other tests")
	}
	os.Args = slices.Insert(strings.Fields(os.Getenv(asCommand)), 0, "whatif")
	os.Exit(Main())
}

// process is the command line as a process whose environment says no more about terminals than what is given.
func process(t *testing.T, line string, env ...string) *exec.Cmd {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(self, "-test.run=^TestAsCommand$")
	for _, pair := range os.Environ() {
		switch name, _, _ := strings.Cut(pair, "="); name {
		case "COLUMNS", "NO_COLOR", "TERM":
		default:
			cmd.Env = append(cmd.Env, pair)
		}
	}
	cmd.Env = append(append(cmd.Env, asCommand+"="+line, "TERM=xterm"), env...)
	return cmd
}

// onPTY runs a command on a terminal of so many columns and returns what it shows there.
func onPTY(t *testing.T, columns uint16, cmd *exec.Cmd) string {
	t.Helper()
	terminal, err := pty.StartWithSize(cmd, &pty.Winsize{Rows: 24, Cols: columns})
	if err != nil {
		t.Skipf("no pseudo terminal here: %v", err)
	}
	defer terminal.Close()
	timer := time.AfterFunc(time.Minute, func() { cmd.Process.Kill() })
	defer timer.Stop()
	var out bytes.Buffer
	io.Copy(&out, terminal) // ends with an error of its own where the other side is closed
	if err := cmd.Wait(); err != nil {
		t.Fatalf("%v: %s", err, out.String())
	}
	return strings.ReplaceAll(out.String(), "\r\n", "\n")
}

// TestRealTerminal checks that width and colour follow the terminal, and what overrides them.
func TestRealTerminal(t *testing.T) {
	for name, c := range map[string]struct {
		columns uint16
		flags   string
		env     []string
		widest  int // cells of the widest line at most; more than widest-20
		colour  bool
	}{
		"70 columns":           {70, "", nil, 70, true},
		"120 columns":          {120, "", nil, 120, true},
		"COLUMNS":              {120, "", []string{"COLUMNS=90"}, 90, true},
		"COLUMNS of no sense":  {70, "", []string{"COLUMNS=wide"}, 70, true},
		"a size of nothing":    {0, "", nil, 80, true},
		"a tiny one":           {10, "", nil, 40, true},
		"NO_COLOR":             {80, "", []string{"NO_COLOR=1"}, 80, false},
		"NO_COLOR is empty":    {80, "", []string{"NO_COLOR="}, 80, true},
		"NO_COLOR and --color": {80, " --color always", []string{"NO_COLOR=1"}, 80, true},
		"--color never":        {80, " --color never", nil, 80, false},
		"a dumb terminal":      {80, "", []string{"TERM=dumb"}, 80, false},
	} {
		t.Run(name, func(t *testing.T) {
			out := onPTY(t, c.columns, process(t, "demo"+c.flags, c.env...))
			out = withoutCopies(out)
			if got := strings.Contains(out, "\x1b["); got != c.colour {
				t.Errorf("colour %v, want %v", got, c.colour)
			}
			widest := 0
			for line := range strings.Lines(out) {
				widest = max(widest, text.StringWidthWithoutEscSequences(strings.TrimSuffix(line, "\n")))
			}
			if widest > c.widest || widest <= c.widest-20 {
				t.Errorf("the widest line has %d cells, want %d or a little less", widest, c.widest)
			}
		})
	}
}

// withoutCopies is an output without lines that are one word, or a command, and are not wrapped so that they can be copied.
func withoutCopies(out string) string {
	return strings.Join(slices.DeleteFunc(strings.SplitAfter(out, "\n"), func(line string) bool {
		return len(strings.Fields(line)) == 1 || strings.HasPrefix(line, "$")
	}), "")
}

// TestPiped checks that nothing is taken for a terminal that is none, and what is said all the same.
func TestPiped(t *testing.T) {
	run := func(line string, env ...string) string {
		out, err := process(t, line, env...).Output()
		if err != nil {
			t.Fatal(err)
		}
		return string(out)
	}
	golden, err := os.ReadFile("testdata/golden/demo.txt")
	if err != nil {
		t.Fatal(err)
	}
	if got := run("demo"); got != string(golden) {
		t.Errorf("the demo is not that of testdata/golden:\n%s", got)
	}
	if got := run("demo --color always"); escapes.ReplaceAllString(got, "") != string(golden) || got == string(golden) {
		t.Errorf("--color always changes more or less than colours:\n%s", got)
	}
	for line := range strings.Lines(withoutCopies(run("demo", "COLUMNS=70"))) {
		if n := text.StringWidthWithoutEscSequences(strings.TrimSuffix(line, "\n")); n > 70 {
			t.Errorf("%d cells, COLUMNS says 70: %s", n, line)
		}
	}
}
