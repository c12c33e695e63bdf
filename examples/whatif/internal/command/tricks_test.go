package command

import (
	"encoding/json"
	"strings"
	"testing"
	"unicode"

	"sigs.k8s.io/yaml"
)

// tricks play with terminals: they set the title, clear the screen, go back to the start of the line, begin a line, turn the
// direction of writing, or hide.
var tricks = []string{"\x1b]0;title\x07", "\x1b[2J", "\u009b2J", "\rover", "\nl4-9  fits", "\u202egpj", "\u200b\u2066", "\x7f\x08\t", "\u2028"}

// trickyCluster is a node and a pod with a trick in every text that may hold one.
func trickyCluster(t *testing.T, trick string) string {
	t.Helper()
	encoded := func(v any) string {
		text, err := json.Marshal(v)
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
	devices := encoded([]any{map[string]any{"id": "g" + strings.ReplaceAll(trick, ";", ""), "count": 2, "devmem": 100, "devcore": 100,
		"type": "NVIDIA" + trick, "mode": "m" + trick, "health": true}})
	node := map[string]any{"kind": "Node", "metadata": map[string]any{"name": "n" + trick,
		"labels":      map[string]any{"pool": "p" + trick, "l" + trick: "v"},
		"annotations": map[string]any{"hami.io/node-nvidia-register": devices, "hami.io/device-cordon": trick}},
		"spec": map[string]any{"taints": []any{map[string]any{"key": "t" + trick, "value": trick, "effect": "NoSchedule"}}}}
	pod := func(name, namespace string) map[string]any {
		limits := map[string]any{"nvidia.com/gpu": "1", "nvidia.com/gpumem": "10"}
		return map[string]any{"kind": "Pod", "metadata": map[string]any{"name": name, "namespace": namespace,
			"annotations": map[string]any{"nvidia.com/use-gputype": "L4" + trick, "nvidia.com/use-gpu" + trick: trick, "hami.io/gpu-scheduler-policy": trick}},
			"spec": map[string]any{"containers": []any{map[string]any{"name": "c" + trick, "resources": map[string]any{"limits": limits}}}}}
	}
	quota := map[string]any{"kind": "ResourceQuota", "metadata": map[string]any{"name": "q" + trick, "namespace": "s"},
		"spec": map[string]any{"hard": map[string]any{"limits.nvidia.com/gpumem": "5"}}}
	return encoded(map[string]any{"kind": "List", "items": []any{node, pod("p", "s"), pod("p"+trick, "s"+trick), quota}})
}

// TestTricks checks that texts from the input cannot play with a terminal, whatever is asked.
func TestTricks(t *testing.T) {
	for _, trick := range tricks {
		cluster := file(t, "tricky.json", trickyCluster(t, trick))
		for _, args := range [][]string{{"table"}, {"table", trick}, {"why", "s/p"}, {"why", "p" + trick}, {"place", "s/p"}, {"capacity"},
			{"scaleup", "--group-label", "pool"}, {"fragmentation"}, {"makeroom", "s/p"}, {"drain", "n" + trick},
			{"explain-request", "s/p"}, {"lint"}, {"anonymize", "-o", "json"}, {"anonymize", "--names"}, {"table", "-o", "json"}, {"why", "s/p", "-o", "json"},
			{"verify", "--profiles", profiles}, {"table", "-o", trick}} {
			for _, width := range []int{0, 70} {
				var out, errs strings.Builder
				terminal := Terminal{In: strings.NewReader(""), Out: &out, Err: &errs, Width: width}
				Run(t.Context(), append(args, "-f", cluster), terminal)
				for _, r := range out.String() + errs.String() {
					if r != '\n' && !unicode.IsPrint(r) {
						t.Errorf("%q, %q, width %d: %U in\n%q", trick, args, width, r, out.String()+errs.String())
						break
					}
				}
				if len(args) == 1 && args[0] == "table" && !strings.Contains(out.String(), "DEVICE") {
					t.Errorf("%q: no device in\n%s", trick, out.String())
				}
				if args[0] != "anonymize" && strings.Contains(out.String(), "\nl4-9") {
					t.Errorf("%q: a name begins a line:\n%s", args, out.String())
				}
			}
		}
	}
}

// TestTricksInData checks that JSON and YAML give texts as they were read.
func TestTricksInData(t *testing.T) {
	for _, trick := range tricks {
		cluster := file(t, "tricky.json", trickyCluster(t, trick))
		for format, decode := range map[string]func([]byte, any) error{
			"json": json.Unmarshal,
			"yaml": func(text []byte, into any) error { return yaml.Unmarshal(text, into) },
		} {
			out, errs, code := run(t, "", "table", "-f", cluster, "-o", format)
			var table struct{ Nodes []struct{ Name string } }
			if err := decode([]byte(out), &table); err != nil || code != ExitAnswered {
				t.Fatalf("%q, %s: %v, %s", trick, format, err, errs)
			}
			if got := table.Nodes[0].Name; got != "n"+trick {
				t.Errorf("%s: %q, want %q", format, got, "n"+trick)
			}
			if strings.ContainsAny(out, "\x1b\r\x07\x08\x7f\u009b") {
				t.Errorf("%s: control characters in %q", format, out)
			}
		}
	}
}

func TestEscaped(t *testing.T) {
	in, want := "\"a\u202e\u009b\xff生🚀\"\n", `"a\u202e\u009b�生🚀"`+"\n"
	if got := string(escaped([]byte(in))); got != want {
		t.Errorf("%q, want %q", got, want)
	}
}
