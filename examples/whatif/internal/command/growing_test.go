package command

import (
	"os"
	"strings"
	"testing"

	"github.com/accelfit/accelfit/examples/whatif/internal/demo"
)

// The cluster of growing.yaml, its profiles and node groups.
const (
	growing  = "../../testdata/growing.yaml"
	profiles = "../../testdata/profiles.yaml"
	groups   = "../../testdata/groups.yaml"
)

// TestGoldenGrowing holds what is answered about a cluster that grows: with profiles and without, with instance types and
// without, after every change of the input, and in what nodes are not as promised.
func TestGoldenGrowing(t *testing.T) {
	with := []string{"--profiles", profiles}
	inFile := append([]string{"--groups", groups, "--strategy", "price"}, with...)
	scaleup := func(args ...string) []string { return append([]string{"scaleup"}, args...) }
	for name, args := range map[string][]string{
		"growing":                       scaleup(),
		"growing-no-instance-types":     scaleup("--no-instance-types"),
		"growing-profiles":              scaleup(with...),
		"growing-groups":                scaleup(inFile...),
		"growing-groups-no-types":       scaleup(append(inFile, "--no-instance-types")...),
		"growing-fail-device":           scaleup("--fail-device", "l4-1/GPU-10", "--fail-device", "l4-2/GPU-22"),
		"growing-fail-upcoming":         scaleup(append(with, "--fail-device", "l4-3/NVIDIA-0", "--fail-device", "mixed-1/DCU-0")...),
		"growing-cordon-device":         scaleup("--cordon-device", "l4-1/GPU-13", "--cordon-device", "l4-2/GPU-20"),
		"growing-cordon-device-no-rule": scaleup(append(with, "--cordon-device", "mixed-1/DCU-0")...),
		"growing-cordon-node":           scaleup("--cordon-node", "l4-1", "--cordon-node", "l4-2"),
		"growing-only-device":           scaleup("--only-device", "l4-2/GPU-20"),
		"growing-reserve":               scaleup("--reserve", "1100"),
		"growing-reserve-one":           scaleup("--reserve", "l4-2/GPU-22=4000"),
		"growing-exact-model":           scaleup("--exact-model"),
		"growing-table":                 append([]string{"table", "l4-3", "l4-4", "mixed-1", "cpu-1"}, with...),
		"growing-why":                   append([]string{"why", "ml/train-0", "l4-3", "l4-4"}, with...),
		"growing-capacity":              append([]string{"capacity", "ml/train-0"}, with...),
	} {
		t.Run(name, func(t *testing.T) { golden(t, name+".txt", answered(t, "", append(args, "-f", growing)...)) })
	}
	golden(t, "growing.json", answered(t, "", append(scaleup(inFile...), "-o", "json", "-f", growing)...))
}

// TestGoldenVerify holds what is printed of drifts, and the exit codes.
func TestGoldenVerify(t *testing.T) {
	for name, c := range map[string]struct {
		code     int
		profiles string
		args     []string
	}{
		"verify.txt":      {ExitNoFit, profiles, nil},
		"verify.json":     {ExitNoFit, profiles, []string{"l4-2", "mixed-1", "-o", "json"}},
		"verify-ok.txt":   {ExitAnswered, profiles, []string{"l4-1"}},
		"verify-more.txt": {ExitAnswered, file(t, "less.yaml", less), nil},
	} {
		t.Run(name, func(t *testing.T) {
			out, errs, code := run(t, "", append([]string{"verify", "-f", growing, "--profiles", c.profiles}, c.args...)...)
			if code != c.code || code == ExitAnswered && errs != "" {
				t.Errorf("exit code %d, want %d; %s", code, c.code, errs)
			}
			golden(t, name, out)
		})
	}
}

// less matches one node, and promises less than it has.
const less = `
apiVersion: accelfit.dev/v1alpha1
kind: DeviceProfile
metadata: {name: less}
match: {matchLabels: {kubernetes.io/hostname: l4-1}}
devices:
- {model: NVIDIA L4, count: 3, memoryMiB: 20000, numa: 1}
`

// TestProfileErrors: whatever is wrong with profiles is told with file, line and field.
func TestProfileErrors(t *testing.T) {
	head := "apiVersion: accelfit.dev/v1alpha1\nkind: DeviceProfile\nmetadata:\n  name: "
	good := head + "a\ndevices:\n- {model: NVIDIA L4}\n"
	for name, c := range map[string]struct {
		text string
		want []string
	}{
		"a wrong amount":        {head + "a\ndevices:\n- model: NVIDIA L4\n  memoryMiB: 40Gi\n", []string{`p.yaml: line 7: devices[0].memoryMiB: want a whole number, have "40Gi"`}},
		"an unknown field":      {good + "size: 3\n", []string{"p.yaml: line 7: size: unknown field"}},
		"two errors":            {good + "size: 3\ncolour: red\n", []string{"p.yaml: line 7: size", "p.yaml: line 8: colour"}},
		"one name twice":        {good + "---\n" + good, []string{"p.yaml: line 11: metadata.name: a is also the name of the profile in line 1"}},
		"a name of another":     {"---\n" + strings.Replace(good, "name: a", "name: l4", 1), []string{"p.yaml: line 5: metadata.name: l4 is also the name of the profile in " + profiles + ": line 5"}},
		"an unknown vendor":     {head + "a\ndevices:\n- {vendor: nobody, model: x, slots: 1, memoryMiB: 1, cores: 1}\n", []string{"p.yaml: line 4: device profile a: devices[0].vendor: no vendor has the word"}},
		"no profile":            {"# none\n", []string{"p.yaml: no device profile"}},
		"another document":      {string(demo.Cluster), []string{"p.yaml: line ", "items: unknown field"}},
		"neither JSON nor YAML": {"\x00", []string{"p.yaml: line 1: "}},
	} {
		t.Run(name, func(t *testing.T) {
			for _, command := range []string{"scaleup", "table", "verify"} {
				out, errs, code := run(t, "", command, "-f", growing, "--profiles", profiles, "--profiles", file(t, "p.yaml", c.text))
				if code != ExitBadInput || out != "" {
					t.Errorf("%s: exit code %d: %s", command, code, out)
				}
				for _, want := range c.want {
					if !strings.Contains(errs, want) {
						t.Errorf("%s: %q, want %q in it", command, errs, want)
					}
				}
			}
		})
	}
}

// TestExitCodesOfProfiles is TestExitCodes for what has to do with profiles.
func TestExitCodesOfProfiles(t *testing.T) {
	only := file(t, "groups.yaml", "- {name: a, profile: nosuch}\n")
	for name, c := range map[string]struct {
		args []string
		code int
		errs string // part of
	}{
		"missing file":                 {[]string{"scaleup", "--profiles", "no-such-file"}, 2, "no-such-file"},
		"a profile that is not there":  {[]string{"scaleup", "--profiles", profiles, "--groups", only}, 2, "groups.yaml: line 1: group a: profile: nosuch: no device profile has that name; --profiles has l4, mixed and a100-mig"},
		"verify without profiles":      {[]string{"verify"}, 2, "give --profiles"},
		"verify of an unknown node":    {[]string{"verify", "--profiles", profiles, "l4-9"}, 2, "node l4-9: not in the input"},
		"verify, no profile for it":    {[]string{"verify", "--profiles", profiles, "cpu-1"}, 2, "node cpu-1: no device profile matches it"},
		"verify, by labels only":       {[]string{"verify", "--profiles", profiles, "--group-label", "kubernetes.io/os"}, 1, ""},
		"verify, none for any node":    {[]string{"verify", "--profiles", file(t, "p.yaml", strings.Replace(less, "l4-1", "x", 1))}, 2, "no device profile matches a node; --profiles has less"},
		"verify after changes":         {[]string{"verify", "--profiles", profiles, "--cordon-node", "l4-1"}, 2, "as they were read"},
		"profiles from standard input": {[]string{"verify", "--profiles", "-", "l4-1"}, 0, ""},
	} {
		t.Run(name, func(t *testing.T) {
			in, err := os.ReadFile(profiles)
			if err != nil {
				t.Fatal(err)
			}
			exits(t, string(in), c.code, c.errs, append(c.args, "-f", growing)...)
		})
	}
}
