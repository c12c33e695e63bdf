package command

import (
	"os"
	"strings"
	"testing"

	"github.com/jedib0t/go-pretty/v6/text"

	"github.com/accelfit/accelfit/examples/whatif/internal/demo"
)

// Clusters and files with faults in them, and growing.yaml a while later.
const (
	mixed  = "../../testdata/mixed.yaml"
	later  = "../../testdata/growing-later.yaml"
	faulty = "../../testdata/faulty"
)

// faultyFiles are all files with faults.
func faultyFiles() []string {
	return []string{"-f", faulty + ".yaml", "--config", faulty + "-config.yaml", "--profiles", faulty + "-profiles.yaml",
		"--profiles", faulty + "-profiles-2.yaml", "--groups", faulty + "-groups.yaml"}
}

// TestGoldenAdvice holds what is said of requests, faults and differences, and of what is shown to others.
func TestGoldenAdvice(t *testing.T) {
	on := func(file string, args ...string) []string { return append(args, "-f", file) }
	for name, args := range map[string][]string{
		"explain.txt":           on("-", "explain-request", "shop/render"),
		"explain-quota.txt":     on("-", "explain-request", "vision/burst"),
		"explain-invalid.txt":   on("-", "explain-request", "vision/typo"),
		"explain-running.txt":   on("-", "explain-request", "research/notebook-a"),
		"explain-raw.txt":       on("-", "explain-request", "shop/render", "--no-admission"),
		"explain-none.txt":      on("-", "explain-request", "hami-device-plugin-l4-1"),
		"explain-both.txt":      on(mixed, "explain-request", "lab/both"),
		"explain-mthreads.txt":  on(mixed, "explain-request", "lab/train-mthreads"),
		"explain-ascend.txt":    on(mixed, "explain-request", "lab/train-ascend910b3"),
		"explain-enflame.txt":   on(mixed, "explain-request", "lab/train-enflame"),
		"explain-aws.txt":       on(mixed, "explain-request", "lab/train-awsneuron"),
		"explain-words.txt":     on(faulty+".yaml", "explain-request", "shop/words"),
		"explain-lists.txt":     on(faulty+".yaml", "explain-request", "shop/lists"),
		"explain-va.txt":        on(faulty+".yaml", "explain-request", "shop/va"),
		"explain-weights.txt":   on(faulty+".yaml", "explain-request", "shop/weights"),
		"explain-rights.txt":    on(faulty+".yaml", "explain-request", "shop/rights"),
		"explain.json":          on(mixed, "explain-request", "lab/both", "-o", "json"),
		"lint.txt":              append([]string{"lint"}, faultyFiles()...),
		"lint.json":             append([]string{"lint", "-o", "json"}, faultyFiles()...),
		"lint-both-lists.txt":   on("../../testdata/faq/pending.yaml", "lint"),
		"lint-demo.txt":         on("-", "lint"),
		"lint-growing.txt":      on(growing, "lint", "--profiles", profiles, "--groups", groups),
		"lint-files.txt":        {"lint", "--profiles", profiles, "--groups", groups},
		"diff.txt":              {"diff", growing, later},
		"diff.json":             {"diff", growing, later, "-o", "json"},
		"diff-same.txt":         {"diff", growing, growing},
		"diff-profiles.txt":     {"diff", growing, "--b", "profiles=" + profiles},
		"diff-changes.txt":      {"diff", "-", "--b", "fail-device=l4-2/GPU-2ac", "--b", "cordon-node=a100-1"},
		"diff-options.txt":      {"diff", "-", "--a", "no-admission", "--b", "reserve=9000", "--full-ids"},
		"anonymize.txt":         on("../../testdata/private.yaml", "anonymize"),
		"anonymize-names.txt":   on("../../testdata/private.yaml", "anonymize", "--names"),
		"anonymize-seed.txt":    on("../../testdata/private.yaml", "anonymize", "--names", "--seed", "42"),
		"anonymize-object.json": on(growing, "anonymize", "-o", "json"),
	} {
		t.Run(name, func(t *testing.T) {
			out := answered(t, string(demo.Cluster), args...)
			for line := range strings.SplitSeq(out, "\n") {
				prose := strings.HasSuffix(name, ".txt") && args[0] != "anonymize" && name != "diff-options.txt"
				if n := text.StringWidth(line); prose && n > 100 {
					t.Errorf("%d columns: %s", n, line)
				}
			}
			golden(t, name, out)
		})
	}
}

// TestExitCodesOfAdvice is TestExitCodes for these commands.
func TestExitCodesOfAdvice(t *testing.T) {
	cluster := string(demo.Cluster)
	exitCodes(t, map[string]exit{
		"invalid request, with --fail":   {[]string{"explain-request", "typo", "-f", "-", "--fail"}, cluster, 1, ""},
		"valid request, with --fail":     {[]string{"explain-request", "chat", "-f", "-", "--fail"}, cluster, 0, ""},
		"request of nobody":              {[]string{"explain-request", "nobody", "-f", "-"}, cluster, 2, "pending pods"},
		"request without nodes":          {[]string{"explain-request", "p", "-f", "-"}, onePod, 0, ""},
		"lint, with --fail":              {[]string{"lint", "-f", "-", "--fail"}, cluster, 1, ""},
		"lint, warnings only":            {[]string{"lint", "-f", growing, "--fail"}, "", 0, ""},
		"lint of pods alone":             {[]string{"lint", "-f", "-", "--fail"}, onePod, 0, ""},
		"lint of nothing":                {[]string{"lint"}, "", 2, "no input"},
		"lint after changes":             {[]string{"lint", "-f", "-", "--cordon-node", "l4-1"}, cluster, 2, "what was read"},
		"lint of a missing file":         {[]string{"lint", "--config", "no-such-file"}, "", 2, "no-such-file"},
		"lint, a bad configuration":      {[]string{"lint", "--config", "-", "--fail"}, "nvidia: {defaultMemory: -1}", 1, ""},
		"lint, no configuration at all":  {[]string{"lint", "--config", "-", "--fail"}, "\x00", 1, ""},
		"lint, no profile in the file":   {[]string{"lint", "--profiles", "-", "--fail"}, "# none", 1, ""},
		"lint, no group in the file":     {[]string{"lint", "--groups", "-", "--fail"}, "", 1, ""},
		"diff, something differs":        {[]string{"diff", growing, later, "--fail"}, "", 1, ""},
		"diff, nothing differs":          {[]string{"diff", growing, growing, "--fail"}, "", 0, ""},
		"diff of one file":               {[]string{"diff", growing}, "", 2, "two files, or a flag for one side"},
		"diff with -f":                   {[]string{"diff", growing, later, "-f", growing}, "", 2, "without -f"},
		"diff, unknown flag":             {[]string{"diff", growing, "--b", "all-quirk"}, "", 2, "all-quirk: there is no such flag"},
		"diff, a flag without value":     {[]string{"diff", growing, "--b", "config"}, "", 2, "want config=VALUE"},
		"diff, a flag of both":           {[]string{"diff", growing, "--b", "output=json"}, "", 2, "both sides or none"},
		"diff, a bad value":              {[]string{"diff", growing, "--b", "all-quirks=maybe"}, "", 2, "all-quirks"},
		"diff, a bad policy":             {[]string{"diff", growing, "--b", "node-policy=best"}, "", 2, "--node-policy best"},
		"diff, an unknown device":        {[]string{"diff", growing, "--b", "fail-device=l4-9/x"}, "", 2, "B: --fail-device l4-9/x"},
		"diff, a flag of both sides":     {[]string{"diff", growing, later, "--config", "no-such-file"}, "", 2, "no-such-file"},
		"diff, a flag of the command":    {[]string{"diff", growing, "--profiles", profiles, "--b", "profiles=no-such-file"}, "", 2, "no-such-file"},
		"diff without nodes":             {[]string{"diff", "-", "--b", "all-quirks"}, onePod, 2, "no nodes"},
		"anonymize nothing":              {[]string{"anonymize"}, "", 2, "no input"},
		"anonymize after changes":        {[]string{"anonymize", "-f", "-", "--fail-device", "l4-1/x"}, cluster, 2, "what was read"},
		"anonymize pods alone":           {[]string{"anonymize", "-f", "-"}, onePod, 0, ""},
		"anonymize, a seed of no number": {[]string{"anonymize", "-f", "-", "--seed", "x"}, cluster, 2, "seed"},
	})
}

// TestLintFindsAll: every fault of a file is told, with those of other files.
func TestLintFindsAll(t *testing.T) {
	out, _, code := run(t, "", append([]string{"lint", "--fail"}, faultyFiles()...)...)
	if code != ExitNoFit {
		t.Errorf("exit code %d", code)
	}
	for _, want := range []string{"faulty-groups.yaml: line 1", "faulty-groups.yaml: line 2", "faulty-groups.yaml: line 3", "faulty-groups.yaml: line 4",
		"faulty-profiles-2.yaml: line 6", "faulty-profiles-2.yaml: line 7", "device profile unmatched", "nvidia.speed", "node l4-2 and 1 more",
		"pod shop/amount-0 and 1 more", "hami.io/device-cordons"} {
		if !strings.Contains(out, want) {
			t.Errorf("no %q in:\n%s", want, out)
		}
	}
}

// TestAnonymizedTwice: the result is the same each time, and another with another seed.
func TestAnonymizedTwice(t *testing.T) {
	text, err := os.ReadFile(mixed)
	if err != nil {
		t.Fatal(err)
	}
	dump := func(seed string) string { return answered(t, string(text), "anonymize", "-f", "-", "--seed", seed) }
	first := map[string]string{"0": dump("0"), "9": dump("9")}
	for seed, before := range first {
		if dump(seed) != before {
			t.Errorf("seed %s: not the same twice", seed)
		}
	}
	if first["0"] == first["9"] {
		t.Error("another seed gives the same names")
	}
}

// TestDiffFlags: flags hold for both sides; those of one side are added to them.
func TestDiffFlags(t *testing.T) {
	out := answered(t, string(demo.Cluster), "diff", "-", "--cordon-node", "l4-1", "--b", "cordon-node=l4-2")
	if !strings.HasPrefix(out, "What differs: 1 node changed") || !strings.Contains(out, "\nl4-2  node changed") {
		t.Errorf("another difference than l4-2:\n%s", out)
	}
}
