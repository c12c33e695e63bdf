package e2e

import (
	"bufio"
	"encoding/json"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	rbacv1 "k8s.io/api/rbac/v1"
	auditv1 "k8s.io/apiserver/pkg/apis/audit/v1"
)

// TestAnswers: an account with the role of the manifest gets the answers that a file with the same objects gives, and nothing of
// the cluster is changed.
func TestAnswers(t *testing.T) {
	c := cluster(t)
	file, before := dump(t, c)
	reader := whatif(t, kubeconfig(t, c, "reader", map[string]string{"reader": account(t, c, "reader", role(t)...)}))
	for _, args := range [][]string{
		{"table"}, {"why", "research/finetune"}, {"place", "shop/chat", "shop/rerank"}, {"scaleup"}, {"capacity"}, {"fragmentation"},
		{"makeroom", "shop/rerank"}, {"drain", "l4-1"}, {"explain-request", "shop/render"}, {"lint"}, {"anonymize"},
	} {
		args = append(args, "-o", "json")
		live := reader.answers(t, args...)
		if want := reader.answers(t, append(args, "-f", file)...); live != want {
			t.Errorf("%q answers otherwise than of a file:\n%s", args, live)
		}
	}
	if out := reader.answers(t, "diff", file); !strings.Contains(out, "Nothing changed") {
		t.Errorf("the file and the cluster differ:\n%s", out)
	}
	if _, after := dump(t, c); !maps.Equal(before, after) {
		t.Errorf("objects before %v, after %v", before, after)
	}
	for _, request := range requests(t, "system:serviceaccount:whatif:reader") {
		if !slices.Contains([]string{"list nodes", "list pods", "list resourcequotas"}, request) {
			t.Errorf("the API server was asked to %s", request)
		}
	}
}

// requests are those of a user that kube-apiserver has written into its audit log, each once.
func requests(t *testing.T, user string) (out []string) {
	t.Helper()
	log, err := os.Open(filepath.Join(files, "audit.log"))
	must(t, err)
	defer log.Close()
	for lines := bufio.NewScanner(log); lines.Scan(); {
		var event auditv1.Event
		must(t, json.Unmarshal(lines.Bytes(), &event))
		if event.User.Username != user || event.ObjectRef == nil {
			continue
		}
		if request := event.Verb + " " + event.ObjectRef.Resource; !slices.Contains(out, request) {
			out = append(out, request)
		}
	}
	if len(out) == 0 {
		t.Errorf("no request of %s in the audit log", user)
	}
	return out
}

// may is a rule that lets list some resources.
func may(resources ...string) rbacv1.PolicyRule {
	return rbacv1.PolicyRule{APIGroups: []string{""}, Resources: resources, Verbs: []string{"list"}}
}

// TestRights: each resource that may not be listed is named, with the rule that is missing; quotas are a gap of the answer.
func TestRights(t *testing.T) {
	c := cluster(t)
	program := whatif(t, kubeconfig(t, c, "nothing", map[string]string{
		"nothing":   account(t, c, "nothing"),
		"nodes":     account(t, c, "nodes", may("nodes")),
		"no-quotas": account(t, c, "no-quotas", may("nodes", "pods")),
		"expired":   "eyJhbGciOiJSUzI1NiJ9.e30.c2ln",
	}))
	const rule = `needs the rule {apiGroups: [""], resources: [nodes, pods, resourcequotas], verbs: [get, list]}`
	program.refuses(t, []string{"table"}, "context nothing: list nodes: not allowed", rule, "system:serviceaccount:whatif:nothing", "-f FILE")
	program.refuses(t, []string{"table", "--context", "nodes"}, "context nodes: list pods: not allowed", rule)
	program.refuses(t, []string{"table", "--context", "expired"}, "context expired: list nodes: ", "does not accept the credentials", "-f FILE")
	program.refuses(t, []string{"table", "--context", "prod"}, "context prod: the kubeconfig has only expired, no-quotas, nodes, nothing")

	out := program.answers(t, "table", "--context", "no-quotas", "-o", "json")
	var table struct {
		Nodes    []any
		Quotas   []any
		Problems []struct{ Object, Why, LeftOut string }
	}
	must(t, json.Unmarshal([]byte(out), &table))
	gap := table.Problems[0]
	if len(table.Nodes) == 0 || len(table.Quotas) > 0 || gap.Object != "resourcequotas" || !strings.Contains(gap.Why, "forbidden") {
		t.Errorf("the answer without quotas: %s", out)
	}
}

// TestContexts: --context chooses among clusters; each side of diff may have its own.
func TestContexts(t *testing.T) {
	c := cluster(t)
	file := kubeconfig(t, c, "away", map[string]string{"here": account(t, c, "reader", role(t)...), "away": ""})
	program := whatif(t, "")
	if out := program.answers(t, "table", "--kubeconfig", file, "--context", "here"); !strings.Contains(out, "h100-1") {
		t.Errorf("another cluster:\n%s", out)
	}
	program.refuses(t, []string{"table", "--kubeconfig", file}, "context away: list nodes: ")
	out := program.answers(t, "diff", "--kubeconfig", file, "--context", "here", "--b", "cordon-node=l4-1")
	if !strings.Contains(out, "A: live cluster of context here\n") {
		t.Errorf("the sides are not told:\n%s", out)
	}
	program.refuses(t, []string{"table"}, "no input: give -f FILE", "kubeconfig")
}
