package command

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/accelfit/accelfit/examples/whatif/internal/demo"
)

func TestExitCodes(t *testing.T) {
	cluster := string(demo.Cluster)
	exitCodes(t, map[string]exit{
		"answered, though it does not fit":  {[]string{"why", "research/pretrain", "-f", "-"}, cluster, 0, ""},
		"fits, with --fail":                 {[]string{"why", "shop/chat", "-f", "-", "--fail"}, cluster, 0, ""},
		"does not fit, with --fail":         {[]string{"why", "research/pretrain", "-f", "-", "--fail"}, cluster, 1, ""},
		"invalid pod, with --fail":          {[]string{"why", "vision/typo", "-f", "-", "--fail"}, cluster, 1, ""},
		"place of two, one does not fit":    {[]string{"place", "chat", "burst", "-f", "-", "--fail"}, cluster, 1, ""},
		"place that fits":                   {[]string{"place", "chat", "-f", "-", "--fail"}, cluster, 0, ""},
		"scaleup with pods left":            {[]string{"scaleup", "-f", "-", "--fail"}, cluster, 1, ""},
		"demo with --fail":                  {[]string{"demo", "--fail"}, "", 1, ""},
		"no command":                        {nil, "", 0, ""},
		"unknown command":                   {[]string{"tabel"}, "", 2, "unknown command"},
		"unknown flag":                      {[]string{"table", "--file-name", "x"}, "", 2, "unknown flag"},
		"no file":                           {[]string{"table"}, "", 2, "no input"},
		"missing file":                      {[]string{"table", "-f", "no-such-file"}, "", 2, "no-such-file"},
		"a directory":                       {[]string{"table", "-f", os.TempDir()}, "", 2, "directory"},
		"empty file":                        {[]string{"table", "-f", "-"}, "", 2, "no nodes, pods or quotas"},
		"empty list":                        {[]string{"table", "-f", "-"}, `{"kind":"List","items":[]}`, 2, "no nodes, pods or quotas"},
		"pods only":                         {[]string{"table", "-f", "-"}, onePod, 2, "no nodes"},
		"garbage":                           {[]string{"table", "-f", "-"}, "\x00\x01{[", 2, "standard input"},
		"half a JSON file":                  {[]string{"table", "-f", "-"}, `{"kind": "List", "items": [{"ki`, 2, "ends in the middle"},
		"unknown pod":                       {[]string{"why", "shop/nobody", "-f", "-"}, cluster, 2, "pending pods: research/finetune"},
		"unknown node":                      {[]string{"table", "l4-9", "-f", "-"}, cluster, 2, "node l4-9: not in the input"},
		"unknown node of why":               {[]string{"why", "chat", "l4-9", "-f", "-"}, cluster, 2, "node l4-9"},
		"a pod given twice":                 {[]string{"place", "chat", "shop/chat", "-f", "-"}, cluster, 2, "given twice"},
		"why without pod":                   {[]string{"why", "-f", "-"}, cluster, 2, "requires at least 1 arg"},
		"bad output":                        {[]string{"table", "-f", "-", "-o", "xml"}, cluster, 2, "want table, json or yaml"},
		"bad colour":                        {[]string{"table", "-f", "-", "--color", "red"}, cluster, 2, "--color red: want auto, always or never"},
		"bad node policy":                   {[]string{"table", "-f", "-", "--node-policy", "best"}, cluster, 2, "--node-policy best"},
		"bad device policy":                 {[]string{"table", "-f", "-", "--device-policy", "binpack,best"}, cluster, 2, "--device-policy"},
		"device policy chain":               {[]string{"table", "-f", "-", "--device-policy", "numa,binpack"}, cluster, 0, ""},
		"bad strategy":                      {[]string{"scaleup", "-f", "-", "--strategy", "best"}, cluster, 2, "strategy"},
		"no such group label":               {[]string{"scaleup", "-f", "-", "--group-label", "x"}, cluster, 2, "no node has the label x"},
		"both kinds of groups":              {[]string{"scaleup", "-f", "-", "--group-label", "x", "--groups", "y"}, cluster, 2, "none of the others"},
		"missing configuration":             {[]string{"table", "-f", "-", "--config", "no-such-file"}, cluster, 2, "no-such-file"},
		"ambiguous pod name":                {[]string{"why", "p", "-f", "-"}, twoPods, 2, "a/p, b/p"},
		"a pod that cannot be read":         {[]string{"why", "default/p", "-f", "-"}, badPod + "---\n" + oneNode, 2, "cannot be read"},
		"quirks, admission and policies":    {[]string{"why", "chat", "-f", "-", "--all-quirks", "--no-admission", "--node-policy", "spread"}, cluster, 0, ""},
		"standard input has no second read": {[]string{"table", "-f", "-", "-f", "-"}, cluster, 0, ""},
	})
}

// TestReport writes the page to a file and to standard output.
func TestReport(t *testing.T) {
	file := filepath.Join(t.TempDir(), "report.html")
	cluster := string(demo.Cluster)
	exitCodes(t, map[string]exit{
		"to a file":        {[]string{"report", "-f", "-", "-o", file, "--title", "Cards <of> ours"}, cluster, 0, ""},
		"nowhere":          {[]string{"report", "-f", "-"}, cluster, 2, "give -o FILE"},
		"no such folder":   {[]string{"report", "-f", "-", "-o", t.TempDir() + "/no/report.html"}, cluster, 2, "no such file"},
		"without input":    {[]string{"report", "-o", file}, "", 2, "no input"},
		"unknown argument": {[]string{"report", "-f", "-", "-o", file, "x"}, cluster, 2, "unknown command"},
	})
	page, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"<title>Cards &lt;of&gt; ours</title>", "h100-1", "research/pretrain"} {
		if !strings.Contains(string(page), want) {
			t.Errorf("the page does not say %q", want)
		}
	}
}

// TestExitCodesOfQuestions is TestExitCodes for the questions about what is left, and for changes of the input.
func TestExitCodesOfQuestions(t *testing.T) {
	cluster := string(demo.Cluster)
	exitCodes(t, map[string]exit{
		"capacity, some none":           {[]string{"capacity", "-f", "-", "--fail"}, cluster, 1, ""},
		"capacity of an unknown pod":    {[]string{"capacity", "nobody", "-f", "-"}, cluster, 2, "pending pods"},
		"fragmentation of two":          {[]string{"fragmentation", "a", "b", "-f", "-"}, cluster, 2, "at most 1 arg"},
		"fragmentation without devices": {[]string{"fragmentation", "default/p", "-f", "-"}, onePod + "---\n" + oneNode, 2, "asks for no device"},
		"makeroom, with --fail":         {[]string{"makeroom", "finetune", "-f", "-", "--fail"}, cluster, 1, ""},
		"makeroom that works":           {[]string{"makeroom", "rerank", "-f", "-", "--fail"}, cluster, 0, ""},
		"makeroom with any limit":       {[]string{"makeroom", "rerank", "-f", "-", "--max-moves", "9223372036854775807"}, cluster, 0, ""},
		"makeroom without moves":        {[]string{"makeroom", "rerank", "-f", "-", "--max-moves", "-5", "--fail"}, cluster, 1, ""},
		"makeroom, limit too large":     {[]string{"makeroom", "rerank", "-f", "-", "--max-moves", "9223372036854775808"}, cluster, 2, "max-moves"},
		"drain of an unknown node":      {[]string{"drain", "l4-9", "-f", "-"}, cluster, 2, "node l4-9: not in the input"},
		"drain, with --fail":            {[]string{"drain", "h100-1", "-f", "-", "--fail"}, cluster, 1, ""},
		"fail a device of no node":      {[]string{"table", "-f", "-", "--fail-device", "l4-9/x"}, cluster, 2, "--fail-device l4-9/x: node l4-9: not in the input"},
		"fail an unknown device":        {[]string{"table", "-f", "-", "--fail-device", "l4-1/x"}, cluster, 2, "device not in the input"},
		"fail several devices":          {[]string{"table", "-f", "-", "--fail-device", "l4-1/GPU-1f"}, cluster, 2, "2 devices of the node begin so"},
		"cordon without a node":         {[]string{"table", "-f", "-", "--cordon-device", "GPU-1f0c7a52"}, cluster, 2, "want NODE/ID"},
		"cordon a device without id":    {[]string{"table", "-f", "-", "--cordon-device", "l4-1/"}, cluster, 2, "want NODE/ID"},
		"cordon an unknown node":        {[]string{"table", "-f", "-", "--cordon-node", "l4-9"}, cluster, 2, "--cordon-node l4-9: not in the input"},
		"only an unknown device":        {[]string{"table", "-f", "-", "--only-device", "l4-1/x"}, cluster, 2, "--only-device l4-1/x"},
		"reserve no number":             {[]string{"table", "-f", "-", "--reserve", "much"}, cluster, 2, "want MiB"},
		"reserve less than nothing":     {[]string{"table", "-f", "-", "--reserve", "-1"}, cluster, 2, "want MiB"},
		"reserve of an unknown device":  {[]string{"table", "-f", "-", "--reserve", "l4-1/x=5"}, cluster, 2, "device not in the input"},
		"reserve everything":            {[]string{"place", "chat", "-f", "-", "--reserve", "9223372036854775807", "--fail"}, cluster, 1, ""},
		"whole names of models":         {[]string{"place", "chat", "-f", "-", "--exact-model", "--fail"}, cluster, 0, ""},
	})
}

// exit is how a command line is to end.
type exit struct {
	args []string
	in   string
	code int
	errs string // part of
}

func exitCodes(t *testing.T, cases map[string]exit) {
	t.Helper()
	for name, c := range cases {
		t.Run(name, func(t *testing.T) { exits(t, c.in, c.code, c.errs, c.args...) })
	}
}

// exits runs a command line that is to exit with a code and to print something about errors, or nothing.
func exits(t *testing.T, in string, want int, about string, args ...string) {
	t.Helper()
	out, errs, code := run(t, in, args...)
	if code != want {
		t.Errorf("exit code %d, want %d; stderr: %s", code, want, errs)
	}
	if !strings.Contains(errs, about) || (about == "") != (errs == "") {
		t.Errorf("stderr %q, want %q in it", errs, about)
	}
	if code == ExitBadInput && out != "" {
		t.Errorf("bad input, but an answer: %s", out)
	}
	if strings.Contains(errs+out, "goroutine") {
		t.Errorf("a stack trace: %s%s", errs, out)
	}
}

const (
	onePod  = "{apiVersion: v1, kind: Pod, metadata: {name: p}, spec: {containers: [{name: c}]}}\n"
	badPod  = "{apiVersion: v1, kind: Pod, metadata: {name: p}, spec: {containers: [{name: c, resources: {limits: {cpu: much}}}]}}\n"
	oneNode = "{apiVersion: v1, kind: Node, metadata: {name: n1}}\n"
	twoPods = "{apiVersion: v1, kind: Pod, metadata: {name: p, namespace: a}}\n---\n" +
		"{apiVersion: v1, kind: Pod, metadata: {name: p, namespace: b}}\n---\n" + oneNode
)

func TestConfig(t *testing.T) {
	config := file(t, "config.yaml", `
nvidia: {resourceCountName: example.com/card, resourceMemoryName: example.com/mem, resourceCoreName: example.com/core, speed: 3}
`)
	pod := "{apiVersion: v1, kind: Pod, metadata: {name: p}, spec: {containers: [{name: c, resources: {limits: {example.com/card: 1, example.com/mem: 3000}}}]}}"
	in := strings.Replace(string(demo.Cluster), "apiVersion: v1\nkind: List\nitems:", "---\n"+pod+"\n---\napiVersion: v1\nkind: List\nitems:", 1)
	out := answered(t, in, "place", "p", "-f", "-", "--config", config)
	for _, want := range []string{"1 of 1 pod would be placed", ",NVIDIA,3000,0:;", "nvidia.speed: unknown key"} {
		if !strings.Contains(out, want) {
			t.Errorf("no %q in:\n%s", want, out)
		}
	}
	bad := file(t, "bad.yaml", "nvidia: {defaultMemory: -1}")
	if _, errs, code := run(t, in, "table", "-f", "-", "--config", bad); code != ExitBadInput || !strings.Contains(errs, "defaultMemory") {
		t.Errorf("exit code %d, %s", code, errs)
	}
}

func TestGroupsFileErrors(t *testing.T) {
	for text, want := range map[string]string{
		"":                                      "no node groups",
		"[]":                                    "no node groups",
		"{a: 1}":                                "want a list",
		"[null]":                                "group 0: name: missing",
		"[{name: a}]":                           "groups.yaml: line 1: group 0: sample, node: want one of the two, or a profile",
		"[{name: a, sample: x}]":                "group a: sample: node x: not in the input",
		"[{name: a, sample: l4-1, q: 1}]":       `unknown field "q"`,
		"[{name: a, sample: l4-1, maxNew: -1}]": "maxNew: must not be negative",
		"[{name: a, sample: l4-1, maxNew: 99999999999999999999}]":          "maxNew",
		"[{name: a, sample: l4-1, price: -1}]":                             "price: must not be negative",
		"[{name: a, sample: l4-1}, {name: a, sample: l4-1}]":               "a occurs twice",
		"- {name: a, sample: l4-1}\n- name: b\n  node: {}\n  profile: x\n": "groups.yaml: line 4: group b: profile: x: no device profile has that name; see --profiles",
		"- {name: a, sample: l4-1}\n- name: b\n  maxNew: -1\n":             "groups.yaml: line 3: group 1: maxNew: must not be negative",
		"- name: a\n  sample: l4-1\n  prize: 3\n":                          `groups.yaml: line 3: group 0: prize: json: unknown field "prize"`,
		"- name: a\n  sample: l4-1\n  price: much\n":                       "groups.yaml: line 3: group 0: price: json: cannot unmarshal",
		"- name: a\n  sample: l4-1\n  node: {}\n":                          "groups.yaml: line 1: group 0: sample, node: want one of the two",
		"[{name: a, node: 3}]":                                             "group a: node",
		"\x00":                                                             "groups.yaml",
	} {
		path := file(t, "groups.yaml", text)
		out, errs, code := run(t, string(demo.Cluster), "scaleup", "-f", "-", "--groups", path)
		if code != ExitBadInput || out != "" || !strings.Contains(errs, want) {
			t.Errorf("%q: exit code %d, stderr %q, want %q in it", text, code, errs, want)
		}
	}
}

func TestGroupWithoutReadySample(t *testing.T) {
	in := strings.ReplaceAll(string(demo.Cluster), `{type: Ready, status: "True"}`, `{type: Ready, status: "False"}`)
	out := answered(t, in, "scaleup", "-f", "-")
	for _, want := range []string{"node group cloud.google.com/gke-nodepool=a100-mig (and 3 more)", "notReady (want Ready True, have Ready False)", "no Ready node", "0 fit on live nodes"} {
		if !strings.Contains(out, want) {
			t.Errorf("no %q in:\n%s", want, out)
		}
	}
}

func TestColourAndProgress(t *testing.T) {
	var out, errs strings.Builder
	terminal := Terminal{In: strings.NewReader(manyPods(400)), Out: &out, Err: &errs, Colour: true, ShowProgress: true}
	if code := Run(t.Context(), []string{"scaleup", "-f", "-", "--group-label", "pool"}, terminal); code != ExitAnswered {
		t.Fatalf("exit code %d: %s", code, errs.String())
	}
	if !strings.Contains(out.String(), "\x1b[31m") || !strings.Contains(errs.String(), "live nodes: 16 of 400 pods") {
		t.Errorf("no colour or no progress: %.300s\n%.300s", out.String(), errs.String())
	}
	if !strings.HasSuffix(errs.String(), "\r\x1b[K") {
		t.Error("the progress line was not removed")
	}
	plain, _, _ := run(t, manyPods(400), "scaleup", "-f", "-", "--group-label", "pool")
	if strings.Contains(plain, "\x1b") {
		t.Error("colour without a terminal")
	}
}

// manyPods is a node with one card and pods that each ask for most of it.
func manyPods(n int) string {
	var b strings.Builder
	b.WriteString(`{"kind":"Node","metadata":{"name":"n","labels":{"pool":"p"},"annotations":{"hami.io/node-nvidia-register":` +
		`"[{\"id\":\"g\",\"count\":10,\"devmem\":1000,\"devcore\":100,\"type\":\"NVIDIA-NVIDIA L4\",\"health\":true}]"}}}` + "\n")
	for i := range n {
		memory := "900"
		if i == 0 {
			memory = "9000"
		}
		b.WriteString(`{"kind":"Pod","metadata":{"name":"p` + strings.Repeat("x", i) + `"},"spec":{"containers":[{"name":"c",` +
			`"resources":{"limits":{"nvidia.com/gpu":"1","nvidia.com/gpumem":"` + memory + `"}}}]}}` + "\n")
	}
	return b.String()
}
