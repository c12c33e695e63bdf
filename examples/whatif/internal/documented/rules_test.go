package documented

import (
	"encoding/json"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// full is a node that breaks every rule besides those of devices, for a pod that asks for all there is.
const full = `
kind: List
items:
- kind: Node
  metadata: {name: full}
  spec: {unschedulable: true, taints: [{key: a, effect: NoSchedule}]}
  status: {allocatable: {cpu: "1", memory: 1Gi, pods: "0"}, conditions: [{type: Ready, status: "False"}]}
- kind: Pod
  metadata: {name: p}
  spec:
    nodeSelector: {a: b}
    affinity: {nodeAffinity: {requiredDuringSchedulingIgnoredDuringExecution: {nodeSelectorTerms: [
      {matchExpressions: [{key: c, operator: Exists}]}]}}}
    containers:
    - {name: main, resources: {requests: {cpu: "2", memory: 2Gi}, limits: {nvidia.com/gpu: "1"}}}
`

// TestRules: the page lists what keeps pods off nodes besides devices, in the order in which whatif does.
func TestRules(t *testing.T) {
	rows := table(t, reasons, "## Besides devices")
	complete(t, rows, 3)
	prepare(t)
	write(t, "full.yaml", []byte(full))
	p, err := shell(t.Context(), "whatif why p -f full.yaml -o json")
	if err != nil || p.code != 0 {
		t.Fatal(err, p.errs)
	}
	var answer struct {
		Nodes []struct{ Rules []struct{ Rule string } }
	}
	if err := json.Unmarshal([]byte(p.out), &answer); err != nil {
		t.Fatal(err)
	}
	var want, got []string
	for _, n := range answer.Nodes {
		for _, r := range n.Rules {
			want = append(want, r.Rule)
		}
	}
	for _, r := range rows {
		got = append(got, words(r[0]))
	}
	if d := cmp.Diff(slices.Compact(want), got); d != "" {
		t.Errorf("rules (-whatif names, +the page names):\n%s", d)
	}
}
