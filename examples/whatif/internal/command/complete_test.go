package command

import (
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/pflag"

	"github.com/accelfit/accelfit/examples/whatif/internal/demo"
)

// completions are what a shell is offered, without descriptions, and the directive: 0 files too, 2 no space after it, 4 no files.
func completions(t *testing.T, stdin string, args ...string) (words []string, directive string) {
	t.Helper()
	out, _, code := run(t, stdin, append([]string{"__complete"}, args...)...)
	if code != ExitAnswered {
		t.Fatalf("%q: exit code %d", args, code)
	}
	lines := strings.Split(strings.TrimSuffix(out, "\n"), "\n")
	for _, line := range lines[:len(lines)-1] {
		word, _, _ := strings.Cut(line, "\t")
		words = append(words, word)
	}
	return words, lines[len(lines)-1]
}

func TestCompletions(t *testing.T) {
	cluster := file(t, "cluster.yaml", string(demo.Cluster))
	const gone, device = "no-such-file", "GPU-1f3d9b64-77c1-4e0b-8a46-90d2c5b7e802"
	for name, c := range map[string]struct {
		args      []string
		want      string
		directive string
	}{
		"a command":                     {[]string{"fra"}, "fragmentation", ":4"},
		"pods":                          {[]string{"why", "-f", cluster, "shop/re"}, "shop/rerank shop/render", ":4"},
		"nodes after the pod":           {[]string{"why", "-f", cluster, "shop/chat", "l4-1", "l4-"}, "l4-2 l4-3", ":4"},
		"pods, none twice":              {[]string{"place", "-f", cluster, "shop/render", "shop/re"}, "shop/rerank", ":4"},
		"one pod only":                  {[]string{"makeroom", "-f", cluster, "shop/render", "shop/re"}, "", ":4"},
		"nodes":                         {[]string{"table", "-f", cluster, ""}, "l4-1 l4-2 l4-3 a100-1 h100-1 cpu-1", ":4"},
		"one node only":                 {[]string{"drain", "-f", cluster, "l4-1", ""}, "", ":4"},
		"no arguments":                  {[]string{"lint", "-f", cluster, ""}, "", ":4"},
		"files of diff":                 {[]string{"diff", ""}, "", ":0"},
		"a file":                        {[]string{"table", "-f", ""}, "", ":0"},
		"the report's file":             {[]string{"report", "-o", ""}, "", ":0"},
		"output":                        {[]string{"table", "-o", ""}, "table json yaml", ":4"},
		"node policy":                   {[]string{"table", "--node-policy", ""}, "binpack spread", ":4"},
		"device policy":                 {[]string{"table", "--device-policy", "numa,m"}, "numa,mutex", ":4"},
		"strategy":                      {[]string{"scaleup", "--strategy", "least-"}, "least-waste least-nodes", ":4"},
		"group label":                   {[]string{"lint", "-f", cluster, "--group-label", "cloud"}, "cloud.google.com/gke-nodepool", ":4"},
		"node of a device":              {[]string{"table", "-f", cluster, "--fail-device", "l4-"}, "l4-1/ l4-2/ l4-3/", ":6"},
		"device of a node":              {[]string{"table", "-f", cluster, "--cordon-device", "l4-1/GPU-1f3"}, "l4-1/" + device, ":4"},
		"device of an unknown node":     {[]string{"table", "-f", cluster, "--only-device", "l4-9/"}, "", ":4"},
		"reserve":                       {[]string{"table", "-f", cluster, "--reserve", "l4-1/GPU-1f3"}, "l4-1/" + device + "=", ":6"},
		"node":                          {[]string{"table", "-f", cluster, "--cordon-node", "h"}, "h100-1", ":4"},
		"flag of one side":              {[]string{"diff", cluster, "--b", "con"}, "config= context=", ":6"},
		"flag of one side, a switch":    {[]string{"diff", cluster, "--b", "all"}, "all-quirks", ":6"},
		"no flag of both sides":         {[]string{"diff", cluster, "--b", "f"}, "fail-device=", ":6"},
		"a number":                      {[]string{"makeroom", "--max-moves", ""}, "", ":4"},
		"a missing file":                {[]string{"why", "-f", gone, ""}, "", ":4"},
		"a missing configuration":       {[]string{"table", "-f", cluster, "--config", gone, "--fail-device", "l4-1/"}, "", ":4"},
		"neither file nor kubeconfig":   {[]string{"why", ""}, "", ":4"},
		"contexts, no kubeconfig":       {[]string{"why", "--context", ""}, "", ":4"},
		"contexts, a strange timeout":   {[]string{"why", "--request-timeout", "soon", "--context", ""}, "", ":4"},
		"standard input is the shell's": {[]string{"why", "-f", "-", ""}, "", ":4"},
	} {
		t.Run(name, func(t *testing.T) {
			words, directive := completions(t, string(demo.Cluster), c.args...)
			if got := strings.Join(words, " "); got != c.want || directive != c.directive {
				t.Errorf("%q completes to %s, %s; want %s, %s", c.args, got, directive, c.want, c.directive)
			}
		})
	}
}

// Descriptions tell pods and devices apart; names that would break the shell's lines are left out.
func TestCompletionTexts(t *testing.T) {
	cluster := file(t, "cluster.yaml", string(demo.Cluster)+"---\n{kind: Pod, apiVersion: v1, metadata: {name: \"x\\ny\", namespace: shop}}\n")
	for want, args := range map[string][]string{
		"shop/embed-0\tl4-2\nshop/chat\tPending\n": {"why", "-f", cluster, "shop/"},
		"h100-1/GPU-c28a4d0e-":                     {"why", "-f", cluster, "--fail-device", "h100-1/GPU-c28"},
		"\tunhealthy\n":                            {"why", "-f", cluster, "--fail-device", "h100-1/GPU-c28"},
	} {
		out, _, _ := run(t, "", append([]string{"__complete"}, args...)...)
		if !strings.Contains(out, want) || strings.Contains(out, "x\ny") || strings.Contains(out, "x�y") {
			t.Errorf("%q completes to %q, want %q", args, out, want)
		}
	}
}

// TestCompletionIsWhole: every flag that takes a value is completed by something, or is a file; so are the arguments of every command.
func TestCompletionIsWhole(t *testing.T) {
	root := newRoot(&Terminal{})
	for _, c := range root.Commands() {
		if c.ValidArgsFunction == nil && c.Name() != "diff" {
			t.Errorf("%s: nothing completes its arguments", c.Name())
		}
		c.InheritedFlags() // merges those of the root
		c.Flags().VisitAll(func(f *pflag.Flag) {
			value, _ := pflag.UnquoteUsage(f)
			if _, found := c.GetFlagCompletionFunc(f.Name); !found && f.NoOptDefVal == "" && value != "file" {
				t.Errorf("%s --%s: nothing completes it", c.Name(), f.Name)
			}
		})
	}
}

func TestCompletionScripts(t *testing.T) {
	for _, shell := range []string{"bash", "zsh", "fish", "powershell"} {
		if out := answered(t, "", "completion", shell); !strings.Contains(out, "whatif") || strings.Contains(out, "kubectl-") {
			t.Errorf("%s: %.200s", shell, out)
		}
	}
}

// Without a file the names come from the live cluster; one that does not answer offers nothing.
func TestCompletionLive(t *testing.T) {
	c := startLive(t, demo.Cluster)
	words, _ := completions(t, "", "why", "--kubeconfig", c.kubeconfig, "shop/re")
	if asked := c.requests(); !slices.Equal(words, []string{"shop/rerank", "shop/render"}) || asked != "GET pods" {
		t.Errorf("%q, asked %s", words, asked)
	}
	words, _ = completions(t, "", "why", "--kubeconfig", c.kubeconfig, "--fail-device", "l4-1/GPU-1f3")
	if asked := c.requests(); len(words) != 1 || asked != "GET nodes" {
		t.Errorf("%q, asked %s", words, asked)
	}
	if words, _ := completions(t, "", "why", "--kubeconfig", c.kubeconfig, "--context", ""); !slices.Equal(words, []string{"away", "here"}) {
		t.Errorf("contexts %q", words)
	}
	broken := httptest.NewServer(http.NotFoundHandler())
	defer broken.Close()
	if words, _ := completions(t, "", "why", "--kubeconfig", kubeconfig(t, broken.URL), "shop/re"); len(words) > 0 {
		t.Errorf("%q of a cluster that does not answer", words)
	}
}
