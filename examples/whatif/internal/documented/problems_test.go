package documented

import (
	"context"
	"encoding/json"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// odd are objects with what faulty.yaml does not have: unreadable, nameless or double ones, and constraints nobody looks at.
const odd = `
- {kind: Node, metadata: {name: other}}
- {kind: Node, metadata: {name: other, labels: {a: b}}}
- {kind: Node}
- {kind: Node, metadata: {name: down, labels: {pool: x}}, status: {conditions: [{type: Ready, status: "False"}]}}
- {kind: ResourceQuota, metadata: {name: q}, spec: {hard: 3}}
- {kind: Pod, metadata: {name: unreadable}, spec: 3}
- {kind: Pod, metadata: {name: a, uid: u}, spec: {containers: [{name: main}]}}
- {kind: Pod, metadata: {name: b, uid: u}, spec: {resourceClaims: [{name: c}], containers: [{name: main}]}}
- {kind: Pod, metadata: {name: much}, spec: {containers: [{name: main, resources: {limits: {nvidia.com/gpu: -1}}}]}}
- {kind: Pod, metadata: {name: mig, annotations: {hami.io/vgpu-node: other, hami.io/vgpu-mig-allocations: "{"}}, spec: {nodeName: other, containers: []}}
- null
`

// asked are command lines that say what they have left out.
var asked = []string{
	"table -f testdata/faulty.yaml --config testdata/faulty-config.yaml",
	"table -f odd.yaml",
	"why default/b -f odd.yaml",
	"why default/much -f odd.yaml",
	"scaleup -f odd.yaml --group-label pool",
	"scaleup -f testdata/growing.yaml --profiles testdata/profiles.yaml --groups testdata/groups.yaml",
	"scaleup -f testdata/growing.yaml --profiles other.yaml",
}

// TestProblems: the page lists what whatif leaves out, in its words.
func TestProblems(t *testing.T) {
	rows := table(t, reasons, "## Problems")
	complete(t, rows, 3)
	prepare(t)
	write(t, "odd.yaml", []byte("kind: List\nitems:"+odd+"---\n3\n"))
	profile := strings.ReplaceAll(content(t, "testdata/profiles.yaml"), "nodeGroups: [l4]", "nodeGroups: [nobody's]")
	write(t, "other.yaml", []byte(profile))
	want := []string{"all quotas"} // of a live cluster; tested there
	for _, line := range asked {
		want = append(want, leftOut(t, line)...)
	}
	var got []string
	for _, r := range rows {
		for _, m := range regexp.MustCompile("`([^`]+)`").FindAllStringSubmatch(r[0], -1) {
			got = append(got, m[1])
		}
	}
	slices.Sort(want)
	slices.Sort(got)
	want = slices.DeleteFunc(slices.Compact(want), func(s string) bool { return s == "all DCU devices of the node" })
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("what is left out (-whatif says, +the page says):\n%s", d)
	}
}

// leftOut is what an answer says it does without.
func leftOut(t *testing.T, line string) []string {
	t.Helper()
	p, err := shell(context.Background(), "whatif "+line+" -o json")
	if err != nil || p.code > 1 {
		t.Fatalf("%s: %v, exit code %d, %s", line, err, p.code, p.errs)
	}
	var answer struct{ Problems []struct{ LeftOut string } }
	if err := json.Unmarshal([]byte(p.out), &answer); err != nil {
		t.Fatal(err)
	}
	var out []string
	for _, x := range answer.Problems {
		if x.LeftOut != "" {
			out = append(out, x.LeftOut)
		}
	}
	return out
}
