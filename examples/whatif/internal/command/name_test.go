package command

import (
	"strings"
	"testing"

	"github.com/accelfit/accelfit/examples/whatif/internal/demo"
)

func TestNameOf(t *testing.T) {
	for program, want := range map[string]name{
		"":                               {"whatif", "whatif"},
		"/usr/bin/whatif":                {"whatif", "whatif"},
		"command.test":                   {"whatif", "whatif"},
		"kubectl":                        {"whatif", "whatif"},
		"/usr/bin/kubectl-whatif":        {"kubectl-whatif", "kubectl whatif"},
		"./kubectl-whatif_devices":       {"kubectl-whatif_devices", "kubectl whatif-devices"},
		"kubectl-whatif_devices.exe":     {"kubectl-whatif_devices", "kubectl whatif-devices"},
		"kubectl-accelerators-what_if.x": {"kubectl-accelerators-what_if.x", "kubectl accelerators what-if.x"},
	} {
		if got := nameOf(program); got != want {
			t.Errorf("%q: %+v, want %+v", program, got, want)
		}
	}
}

// TestPlugin: a plugin of kubectl calls itself as people call it, in usage, errors and the demo.
func TestPlugin(t *testing.T) {
	for _, c := range []struct {
		args []string
		want []string
	}{
		{nil, []string{"\n  kubectl whatif-devices table -f cluster.json\n", "\n  kubectl whatif-devices [command]\n"}},
		{[]string{"why", "--help"}, []string{"\n  kubectl whatif-devices why [NAMESPACE/]POD [NODE...] [flags]\n"}},
		{[]string{"diff", "--help"}, []string{"\n  kubectl whatif-devices diff monday.json tuesday.json\n"}},
		{[]string{"demo"}, []string{"$ kubectl whatif-devices table -f demo.yaml\n", `"kubectl whatif-devices demo --data`}},
		{[]string{"tabel"}, []string{`kubectl whatif-devices: unknown command "tabel" for "kubectl whatif-devices"`}},
		{[]string{"table", "-o", "xml"}, []string{"kubectl whatif-devices: -o xml: want table, json or yaml\n"}},
		{[]string{"completion", "bash"}, []string{"__start_kubectl-whatif_devices kubectl-whatif_devices\n"}},
	} {
		var out strings.Builder
		Run(t.Context(), c.args, Terminal{In: strings.NewReader(""), Out: &out, Err: &out, Program: "/opt/kubectl-whatif_devices"})
		for _, want := range c.want {
			if !strings.Contains(out.String(), want) {
				t.Errorf("%q: no %q in:\n%s", c.args, want, out.String())
			}
		}
		if text := strings.ReplaceAll(out.String(), "kubectl whatif-devices", ""); strings.Contains(text, "whatif ") {
			t.Errorf("%q: calls itself whatif:\n%s", c.args, text)
		}
	}
	if out := answered(t, string(demo.Cluster), "table", "-f", "-"); strings.Contains(out, "kubectl") {
		t.Error("whatif calls itself a plugin")
	}
}
