package command

import (
	"bytes"
	"context"
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"sigs.k8s.io/yaml"

	"github.com/accelfit/accelfit/examples/whatif/internal/demo"
)

var update = flag.Bool("update", false, "write the golden files anew")

// run runs a command line and returns what it printed.
func run(t *testing.T, stdin string, args ...string) (out, errs string, code int) {
	t.Helper()
	var stdout, stderr bytes.Buffer
	code = Run(context.Background(), args, Terminal{In: strings.NewReader(stdin), Out: &stdout, Err: &stderr})
	return stdout.String(), stderr.String(), code
}

// file writes a file and returns its path.
func file(t *testing.T, name, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// TestGolden holds what each command prints about the demo cluster. Look at every difference before -update.
func TestGolden(t *testing.T) {
	groups := file(t, "groups.yaml", `
- {name: big-l4, sample: l4-1, price: 2, maxNew: 1}
- name: h100-octo
  price: 30
  node: {metadata: {name: x, annotations: {hami.io/node-nvidia-register: '`+octo()+`'}}}
`)
	for name, args := range map[string][]string{
		"demo":              {"demo"},
		"table":             {"table"},
		"table-node":        {"table", "a100-1"},
		"table-full-ids":    {"table", "h100-1", "--full-ids"},
		"why":               {"why", "research/finetune"},
		"why-fits":          {"why", "notebook-d"},
		"why-running":       {"why", "shop/embed-0"},
		"why-invalid":       {"why", "vision/typo"},
		"why-node":          {"why", "shop/rerank", "l4-1"},
		"place":             {"place", "shop/chat", "research/notebook-d", "shop/rerank"},
		"place-again":       {"place", "research/notebook-b"},
		"place-no-defaults": {"place", "shop/render", "--no-admission"},
		"scaleup":           {"scaleup"},
		"scaleup-groups":    {"scaleup", "--groups", groups, "--strategy", "price"},
		"scaleup-label":     {"scaleup", "--group-label", "kubernetes.io/hostname", "--strategy", "least-nodes"},
		"capacity":          {"capacity"},
		"capacity-pods":     {"capacity", "shop/chat", "vision/burst", "vision/ocr-0"},
		"fragmentation":     {"fragmentation"},
		"fragmentation-pod": {"fragmentation", "research/notebook-d"},
		"makeroom":          {"makeroom", "shop/rerank"},
		"makeroom-none":     {"makeroom", "research/finetune", "--max-moves", "2"},
		"makeroom-fits":     {"makeroom", "shop/chat"},
		"drain":             {"drain", "l4-1"},
		"drain-stuck":       {"drain", "h100-1"},
		"drain-empty":       {"drain", "cpu-1"},
		"fail-device":       {"drain", "l4-1", "--fail-device", "h100-1/GPU-c17f", "--cordon-node", "a100-1"},
		"cordon-device":     {"why", "shop/chat", "l4-2", "--cordon-device", "l4-2/GPU-2ac6f1e8-3d25-4b7a-9e08-d4b1a7c20f04"},
		"cordon-node":       {"why", "shop/chat", "l4-2", "--cordon-node", "l4-2"},
		"reserve":           {"why", "shop/chat", "l4-1", "l4-2", "--reserve", "9500", "--reserve", "l4-2/GPU-2ac=500"},
		"only-device":       {"why", "shop/chat", "l4-1", "--only-device", "l4-1/GPU-1f0"},
	} {
		t.Run(name, func(t *testing.T) {
			stdin := ""
			if args[0] != "demo" {
				stdin = string(demo.Cluster)
				args = append(args, "-f", "-")
			}
			golden(t, name+".txt", answered(t, stdin, args...))
		})
	}
}

// TestGoldenMixed holds what the commands print about a cluster with the devices of every vendor.
func TestGoldenMixed(t *testing.T) {
	const cluster = "../../testdata/mixed.yaml"
	pending := []string{"place"}
	for line := range strings.SplitSeq(answered(t, "", "scaleup", "-f", cluster, "-o", "json"), "\n") {
		if _, name, ok := strings.Cut(line, `"pod": "`); ok {
			pending = append(pending, strings.TrimRight(name, `",`))
		}
	}
	slices.Sort(pending[1:])
	for name, args := range map[string][]string{
		"mixed-table": {"table"}, "mixed-why": {"why", "lab/both"}, "mixed-place": slices.Compact(pending),
		"mixed-fragmentation": {"fragmentation"}, "mixed-capacity": {"capacity", "lab/both", "lab/train-amd"},
		"mixed-drain": {"drain", "amd-1"}, "mixed-makeroom": {"makeroom", "lab/both", "--fail-device", "two-vendors-1/amd-x-0"},
		"mixed-cordon": {"why", "lab/both", "two-vendors-1", "--cordon-device", "two-vendors-1/amd-x-0"},
	} {
		t.Run(name, func(t *testing.T) { golden(t, name+".txt", answered(t, "", append(args, "-f", cluster)...)) })
	}
}

// TestGoldenStructs holds the field names of the answers, and that YAML says the same as JSON.
func TestGoldenStructs(t *testing.T) {
	for name, args := range map[string][]string{
		"table": {"table", "a100-1", "l4-3"}, "why": {"why", "notebook-d"},
		"place": {"place", "notebook-d", "burst"}, "scaleup": {"scaleup"},
		"capacity": {"capacity", "chat", "typo"}, "fragmentation": {"fragmentation"}, "makeroom": {"makeroom", "rerank"}, "drain": {"drain", "h100-1"},
	} {
		t.Run(name, func(t *testing.T) {
			args = append(args, "-f", "-", "-o")
			asJSON := answered(t, string(demo.Cluster), append(args, "json")...)
			golden(t, name+".json", asJSON)
			asYAML := answered(t, string(demo.Cluster), append(args, "yaml")...)
			var fromJSON, fromYAML any
			if err := json.Unmarshal([]byte(asJSON), &fromJSON); err != nil {
				t.Fatal(err)
			}
			if err := yaml.Unmarshal([]byte(asYAML), &fromYAML); err != nil {
				t.Fatal(err)
			}
			if d := cmp.Diff(fromJSON, fromYAML); d != "" {
				t.Errorf("JSON and YAML differ:\n%s", d)
			}
		})
	}
}

// TestDemoData checks that the commands the demo names print the same on the data it offers.
func TestDemoData(t *testing.T) {
	data := answered(t, "", "demo", "--data")
	all := answered(t, "", "demo")
	for _, args := range [][]string{{"table"}, {"why", demo.WhyPod}, append([]string{"place"}, demo.PlacePods()...), {"scaleup"},
		{"capacity", demo.CapacityPod}, {"fragmentation"}, {"makeroom", demo.MakeRoomPod}, {"drain", demo.DrainNode}} {
		got := answered(t, data, append(args, "-f", "-")...)
		got, _, _ = strings.Cut(got, "\nProblems\n")
		if !strings.Contains(all, "$ whatif "+strings.Join(args, " ")+" -f demo.yaml\n\n"+got) {
			t.Errorf("whatif %s prints something else than the demo:\n%s", args[0], got)
		}
	}
}

func answered(t *testing.T, stdin string, args ...string) string {
	t.Helper()
	out, errs, code := run(t, stdin, args...)
	if code != ExitAnswered || errs != "" {
		t.Fatalf("whatif %s: exit code %d, %s", strings.Join(args, " "), code, errs)
	}
	for i, line := range strings.Split(out, "\n") {
		if strings.TrimRight(line, " ") != line && !strings.HasPrefix(out, "{") {
			t.Errorf("line %d ends in blanks: %q", i+1, line)
		}
	}
	return out
}

func golden(t *testing.T, name, got string) {
	t.Helper()
	goldenFile(t, filepath.Join("testdata", "golden", name), got)
}

// goldenFile checks that a file holds what is printed.
func goldenFile(t *testing.T, path, got string) {
	t.Helper()
	if *update {
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(string(want), got); d != "" {
		t.Errorf("%s (-want +got; -update writes it anew):\n%s", path, d)
	}
}

// octo is the registration of a node with eight H100.
func octo() string {
	var devices []string
	for i := range 8 {
		id := string(rune('0' + i))
		devices = append(devices, `{"id":"GPU-0`+id+`","index":`+id+
			`,"count":10,"devmem":95830,"devcore":100,"type":"NVIDIA-NVIDIA H100","mode":"hami-core","health":true}`)
	}
	return "[" + strings.Join(devices, ",") + "]"
}

func decodeYAML(t *testing.T, text string, into any) {
	t.Helper()
	if err := yaml.Unmarshal([]byte(text), into); err != nil {
		t.Fatal(err)
	}
}
