package live

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/yaml"

	"github.com/accelfit/accelfit/examples/whatif/internal/input"
)

// Lists are read in pages, to the end, in order, and nothing else is asked for.
func TestReadPages(t *testing.T) {
	s := &server{nodes: 3, pods: 1203, quotas: 500}
	o := s.start(t)
	var told []string
	o.Progress = func(resource string, n int) { told = append(told, fmt.Sprintf("%s %d", resource, n)) }
	c, err := Read(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	if len(c.Nodes) != 3 || len(c.Pods) != 1203 || len(c.Quotas) != 500 || len(c.Problems) != 0 {
		t.Errorf("%d nodes, %d pods, %d quotas, problems %v", len(c.Nodes), len(c.Pods), len(c.Quotas), c.Problems)
	}
	for i, p := range c.Pods {
		if p.Name != fmt.Sprintf("x%d", i) || p.Namespace != "a" {
			t.Fatalf("pod %d is %s/%s", i, p.Namespace, p.Name)
		}
	}
	want := []string{"GET /api/v1/nodes?limit=500", "GET /api/v1/pods?limit=500", "GET /api/v1/pods?continue=500&limit=500",
		"GET /api/v1/pods?continue=1000&limit=500", "GET /api/v1/resourcequotas?limit=500"}
	if !slices.Equal(s.asked, want) {
		t.Errorf("asked %q, want %q", s.asked, want)
	}
	if want := []string{"nodes 3", "pods 500", "pods 1000", "pods 1203", "resourcequotas 500"}; !slices.Equal(told, want) {
		t.Errorf("told %q, want %q", told, want)
	}
}

// One resource alone is read where no more is needed.
func TestReadOnly(t *testing.T) {
	s := &server{nodes: 2, pods: 3, quotas: 4}
	o := s.start(t)
	o.Only = Pods
	c, err := Read(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	if len(c.Nodes)+len(c.Quotas) > 0 || len(c.Pods) != 3 || !slices.Equal(s.asked, []string{"GET /api/v1/pods?limit=500"}) {
		t.Errorf("%d nodes, %d pods, %d quotas; asked %q", len(c.Nodes), len(c.Pods), len(c.Quotas), s.asked)
	}
}

// Long lists are read to the end without being throttled.
func TestReadHuge(t *testing.T) {
	s := &server{nodes: 5_000, pods: 40_000}
	c, err := Read(t.Context(), s.start(t))
	if err != nil {
		t.Fatal(err)
	}
	if len(c.Nodes) != 5_000 || len(c.Pods) != 40_000 || len(s.asked) != 10+80+1 {
		t.Errorf("%d nodes, %d pods in %d requests", len(c.Nodes), len(c.Pods), len(s.asked))
	}
}

// A list that expires on the way is read once more, as a whole.
func TestReadExpired(t *testing.T) {
	s := &server{nodes: 1, pods: 1203}
	s.refuse = func(resource, from string) *refusal {
		if resource == Pods && from == "1000" {
			return &refusal{http.StatusGone, metav1.StatusReasonExpired}
		}
		return nil
	}
	c, err := Read(t.Context(), s.start(t))
	if err != nil {
		t.Fatal(err)
	}
	if len(c.Pods) != 1203 || !slices.Contains(s.asked, "GET /api/v1/pods") {
		t.Errorf("%d pods; asked %q", len(c.Pods), s.asked)
	}
}

func TestReadErrors(t *testing.T) {
	for name, c := range map[string]struct {
		refused string // resource
		refusal
		want []string
	}{
		"nodes forbidden": {Nodes, refusal{http.StatusForbidden, metav1.StatusReasonForbidden},
			[]string{"context here: list nodes: not allowed", Rule, "nodes is refused"}},
		"pods forbidden": {Pods, refusal{http.StatusForbidden, metav1.StatusReasonForbidden},
			[]string{"context here: list pods: not allowed", Rule}},
		"expired token": {Nodes, refusal{http.StatusUnauthorized, metav1.StatusReasonUnauthorized},
			[]string{"context here: list nodes: http://127.0.0.1:", "does not accept the credentials", "log in again"}},
		"broken": {Pods, refusal{http.StatusInternalServerError, metav1.StatusReasonInternalError},
			[]string{"list pods", "answers with an error", "InternalError"}},
		"no quotas for another reason": {Quotas, refusal{http.StatusInternalServerError, metav1.StatusReasonInternalError},
			[]string{"list resourcequotas", "answers with an error"}},
		"first page expired": {Pods, refusal{http.StatusGone, metav1.StatusReasonExpired}, []string{"list pods", "Expired"}},
	} {
		t.Run(name, func(t *testing.T) {
			s := &server{nodes: 1, pods: 1}
			s.refuse = func(resource, _ string) *refusal {
				if resource == c.refused {
					return &c.refusal
				}
				return nil
			}
			_, err := Read(t.Context(), s.start(t))
			says(t, err, c.want...)
			if e := (*Error)(nil); !errors.As(err, &e) || e.Context != "here" || e.Resource != c.refused || e.Server == "" {
				t.Errorf("error %#v", err)
			}
		})
	}
}

// says checks that an error says some things.
func says(t *testing.T, err error, want ...string) {
	t.Helper()
	if err == nil {
		t.Fatal("no error")
	}
	for _, w := range want {
		if !strings.Contains(err.Error(), w) {
			t.Errorf("error %q, want %q in it", err, w)
		}
	}
}

// Quotas that may not be read are a gap, which is told.
func TestReadWithoutQuotas(t *testing.T) {
	s := &server{nodes: 1, pods: 1, quotas: 1}
	s.refuse = func(resource, _ string) *refusal {
		if resource == Quotas {
			return &refusal{http.StatusForbidden, metav1.StatusReasonForbidden}
		}
		return nil
	}
	c, err := Read(t.Context(), s.start(t))
	if err != nil {
		t.Fatal(err)
	}
	if len(c.Nodes) != 1 || len(c.Quotas) != 0 || len(c.Problems) != 1 {
		t.Fatalf("%d nodes, %d quotas, problems %v", len(c.Nodes), len(c.Quotas), c.Problems)
	}
	if p := c.Problems[0]; p.Object != Quotas || !strings.HasPrefix(p.Why, "not read: ") || p.LeftOut != "all quotas" {
		t.Errorf("problem %+v", p)
	}
}

func TestReadNothing(t *testing.T) {
	_, err := Read(t.Context(), (&server{}).start(t))
	says(t, err, "context here: there is nothing to answer about (no nodes, pods or quotas")
	if !errors.Is(err, input.ErrNothing) {
		t.Errorf("error %v", err)
	}
}

// The context of the call ends a reading that hangs.
func TestReadCancelled(t *testing.T) {
	o, asked := hanging(t, "")
	ctx, cancel := context.WithCancel(t.Context())
	go func() { <-asked; cancel() }()
	_, err := Read(ctx, o)
	says(t, err, "context here: list nodes: given up")
	if !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
}

// A server that does not answer, or stops in the middle, is not waited for.
func TestReadTimeout(t *testing.T) {
	for name, begin := range map[string]string{"nothing": "", "half": `{"kind":"NodeList","apiVersion":"v1","items":[`} {
		t.Run(name, func(t *testing.T) {
			o, _ := hanging(t, begin)
			o.Timeout = 50 * time.Millisecond
			start := time.Now()
			_, err := Read(t.Context(), o)
			says(t, err, "context here: list nodes: http://127.0.0.1:", "does not answer in time; see --request-timeout")
			if took := time.Since(start); took > 30*time.Second {
				t.Errorf("it took %v", took)
			}
		})
	}
}

// A program of the kubeconfig that gets no credentials is not the server's fault.
func TestReadNoCredentials(t *testing.T) {
	file := filepath.Join(t.TempDir(), "config")
	text := `{current-context: here, contexts: [{name: here, context: {cluster: c, user: u}}],
clusters: [{name: c, cluster: {server: "https://127.0.0.1:1"}}],
users: [{name: u, user: {exec: {apiVersion: client.authentication.k8s.io/v1, command: no-such-program, interactiveMode: Never}}}]}`
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	_, err := Read(t.Context(), Options{Kubeconfig: file})
	says(t, err, "context here: list nodes: no credentials for https://127.0.0.1:1: log in again (", "no-such-program")
}

func TestReadUnreachable(t *testing.T) {
	_, err := Read(t.Context(), Options{Kubeconfig: kubeconfig(t, "elsewhere", "http://127.0.0.1:1")})
	says(t, err, "context elsewhere: list nodes: no answer from http://127.0.0.1:1 (", "connection refused")
}

// TestTarget: which cluster is asked, and what is said where there is none.
func TestTarget(t *testing.T) {
	s := &server{nodes: 1}
	o := s.start(t)
	garbage := o.Kubeconfig + ".garbage"
	if err := os.WriteFile(garbage, []byte("\x00{"), 0o600); err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		o    Options
		want string // empty: read
	}{
		"the current context":   {o, ""},
		"a context chosen":      {Options{Kubeconfig: kubeconfig(t, "elsewhere", ""), Context: "elsewhere"}, "no answer from http://127.0.0.1:1"},
		"no such context":       {Options{Kubeconfig: o.Kubeconfig, Context: "prod"}, "context prod: the kubeconfig has only elsewhere, here"},
		"no current context":    {Options{Kubeconfig: kubeconfig(t, "", "")}, "no current context: choose with --context: elsewhere, here"},
		"a server without name": {Options{Kubeconfig: kubeconfig(t, "here", "")}, "context here: the kubeconfig cannot be used"},
		"no such file":          {Options{Kubeconfig: o.Kubeconfig + ".not"}, "the kubeconfig cannot be read (stat "},
		"garbage":               {Options{Kubeconfig: garbage}, "the kubeconfig cannot be read ("},
		"a context, no file":    {Options{Context: "prod"}, "context prod: there is no kubeconfig that has it"},
		"nothing at all":        {Options{}, "no kubeconfig in "},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := Read(t.Context(), c.o)
			if c.want != "" {
				says(t, err, c.want)
			} else if err != nil {
				t.Error(err)
			}
			if errors.Is(err, ErrNoCluster) != (name == "nothing at all") {
				t.Errorf("ErrNoCluster: %v", err)
			}
		})
	}
	t.Setenv("KUBECONFIG", o.Kubeconfig)
	if _, err := Read(t.Context(), Options{}); err != nil {
		t.Errorf("KUBECONFIG: %v", err)
	}
}

func TestContexts(t *testing.T) {
	for file, want := range map[string]int{kubeconfig(t, "here", ""): 2, "no-such-file": 0} {
		if got := (&Options{Kubeconfig: file}).Contexts(); len(got) != want {
			t.Errorf("%s: %q", file, got)
		}
	}
}

// TestRule: the rule that errors name is that of the manifest, and covers what is read.
func TestRule(t *testing.T) {
	text, err := os.ReadFile(filepath.Join("..", "..", "manifests", "rbac.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	var role rbacv1.ClusterRole
	var rule rbacv1.PolicyRule
	if err := errors.Join(yaml.UnmarshalStrict(text, &role), yaml.UnmarshalStrict([]byte(Rule), &rule)); err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(role.Rules, []rbacv1.PolicyRule{rule}) {
		t.Errorf("rules %v, want %v", role.Rules, rule)
	}
	if want := []string{Nodes, Pods, Quotas}; !slices.Equal(rule.Resources, want) || !slices.Equal(rule.Verbs, []string{"get", "list"}) {
		t.Errorf("rule %v", rule)
	}
}
