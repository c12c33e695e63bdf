package command

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/tools/clientcmd"
	"k8s.io/client-go/tools/clientcmd/api"

	"github.com/accelfit/accelfit/examples/whatif/internal/demo"
	"github.com/accelfit/accelfit/examples/whatif/internal/input"
)

// liveCluster is an API server that lists the objects of a file.
type liveCluster struct {
	kubeconfig string
	lists      map[string]any
	refused    map[string]metav1.StatusReason // by resource

	mu    sync.Mutex
	asked []string
}

func startLive(t *testing.T, text []byte) *liveCluster {
	t.Helper()
	c, err := input.Parse("cluster", text)
	if err != nil {
		t.Fatal(err)
	}
	list := func(kind string, items any) any {
		return map[string]any{"apiVersion": "v1", "kind": kind, "items": items}
	}
	l := &liveCluster{refused: map[string]metav1.StatusReason{}, lists: map[string]any{
		"nodes": list("NodeList", c.Nodes), "pods": list("PodList", c.Pods), "resourcequotas": list("ResourceQuotaList", c.Quotas),
	}}
	s := httptest.NewServer(l)
	t.Cleanup(s.Close)
	l.kubeconfig = kubeconfig(t, s.URL)
	return l
}

func (l *liveCluster) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	l.mu.Lock()
	defer l.mu.Unlock()
	resource := path.Base(r.URL.Path)
	l.asked = append(l.asked, r.Method+" "+resource)
	w.Header().Set("Content-Type", "application/json")
	answer := l.lists[resource]
	if reason, refused := l.refused[resource]; refused {
		code := http.StatusForbidden
		if reason == metav1.StatusReasonUnauthorized {
			code = http.StatusUnauthorized
		}
		w.WriteHeader(code)
		answer = metav1.Status{TypeMeta: metav1.TypeMeta{Kind: "Status", APIVersion: "v1"}, Status: metav1.StatusFailure,
			Code: int32(code), Reason: reason, Message: resource + " is refused"}
	}
	_ = json.NewEncoder(w).Encode(answer)
}

// requests tells what was asked since the last time.
func (l *liveCluster) requests() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	defer func() { l.asked = nil }()
	return strings.Join(l.asked, ", ")
}

// kubeconfig is a file with the contexts "here", the current one, and "away", where nobody listens.
func kubeconfig(t *testing.T, url string) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "config")
	err := clientcmd.WriteToFile(api.Config{
		CurrentContext: "here",
		Clusters:       map[string]*api.Cluster{"c": {Server: url}, "other": {Server: "http://127.0.0.1:1"}},
		Contexts:       map[string]*api.Context{"here": {Cluster: "c"}, "away": {Cluster: "other"}},
	}, file)
	if err != nil {
		t.Fatal(err)
	}
	return file
}

const readOnce = "GET nodes, GET pods, GET resourcequotas"

// TestLiveAnswers: of a live cluster all commands answer as of a file with its objects, and read it once.
func TestLiveAnswers(t *testing.T) {
	c := startLive(t, demo.Cluster)
	t.Setenv("KUBECONFIG", c.kubeconfig)
	profiles := filepath.Join("..", "..", "testdata", "profiles.yaml")
	for _, args := range [][]string{
		{"table"}, {"why", "research/finetune"}, {"place", "shop/chat", "shop/rerank"}, {"scaleup"}, {"capacity"}, {"fragmentation"},
		{"makeroom", "shop/rerank"}, {"drain", "l4-1"}, {"explain-request", "shop/render"}, {"lint"}, {"anonymize"},
		{"report", "-o", "-"}, {"verify", "--profiles", profiles}, {"table", "--fail-device", "l4-1/GPU-1f3"},
	} {
		if args[0] != "report" {
			args = append(args, "-o", "json")
		}
		live, errs, code := run(t, "", args...)
		if asked := c.requests(); asked != readOnce {
			t.Errorf("%q asks for %s", args, asked)
		}
		fromFile, fileErrs, fileCode := run(t, string(demo.Cluster), append(args, "-f", "-")...)
		if live != fromFile || errs != fileErrs || code != fileCode {
			t.Errorf("%q: exit code %d, %s, another answer than of a file:\n%s", args, code, errs, live)
		}
	}
}

func TestLiveErrors(t *testing.T) {
	c := startLive(t, demo.Cluster)
	for name, want := range map[string]struct {
		resource string
		reason   metav1.StatusReason
		errs     string
	}{
		"nodes": {"nodes", metav1.StatusReasonForbidden, "whatif: context here: list nodes: not allowed; a ClusterRole that is bound to this user " +
			`needs the rule {apiGroups: [""], resources: [nodes, pods, resourcequotas], verbs: [get, list]} (nodes is refused); ` +
			"-f FILE answers without a live cluster"},
		"pods":    {"pods", metav1.StatusReasonForbidden, "context here: list pods: not allowed"},
		"expired": {"nodes", metav1.StatusReasonUnauthorized, "log in again (nodes is refused); -f FILE answers without"},
	} {
		t.Run(name, func(t *testing.T) {
			c.refused = map[string]metav1.StatusReason{want.resource: want.reason}
			exits(t, "", ExitBadInput, want.errs, "table", "--kubeconfig", c.kubeconfig)
		})
	}
	c.refused = map[string]metav1.StatusReason{"resourcequotas": metav1.StatusReasonForbidden}
	gap := "resourcequotas: not read: resourcequotas is refused"
	if out := answered(t, "", "table", "--kubeconfig", c.kubeconfig); !strings.Contains(out, gap) {
		t.Errorf("no %q in:\n%s", gap, out)
	}
}

// TestLiveSources: when a live cluster is read, and when not.
func TestLiveSources(t *testing.T) {
	c := startLive(t, demo.Cluster)
	empty := startLive(t, []byte("{kind: List, apiVersion: v1, items: []}"))
	t.Setenv("KUBECONFIG", c.kubeconfig)
	demoFile, config := file(t, "demo.yaml", string(demo.Cluster)), file(t, "config.yaml", "nvidia: {}")
	other := file(t, "node.yaml", oneNode)
	for name, want := range map[string]struct {
		args  []string
		code  int
		errs  string
		asked string
	}{
		"a file":                     {[]string{"table", "-f", demoFile}, 0, "", ""},
		"a file and a context":       {[]string{"table", "-f", demoFile, "--context", "here"}, 2, "do not go with a file", ""},
		"a context":                  {[]string{"table", "--context", "here"}, 0, "", readOnce},
		"another context":            {[]string{"table", "--context", "away"}, 2, "context away: list nodes: no answer from http://127.0.0.1:1", ""},
		"no such context":            {[]string{"table", "--context", "prod"}, 2, "context prod: the kubeconfig has only away, here", ""},
		"no such kubeconfig":         {[]string{"table", "--kubeconfig", "no-such-file"}, 2, "no-such-file", ""},
		"an empty cluster":           {[]string{"table", "--kubeconfig", empty.kubeconfig}, 2, "context here: ", ""},
		"a strange timeout":          {[]string{"table", "--request-timeout", "soon"}, 2, "--request-timeout soon", ""},
		"a negative timeout":         {[]string{"table", "--request-timeout", "-1s"}, 2, "--request-timeout -1s: must not be negative", ""},
		"seconds":                    {[]string{"table", "--request-timeout", "20"}, 0, "", readOnce},
		"bad flags come first":       {[]string{"table", "-o", "xml"}, 2, "want table", ""},
		"demo":                       {[]string{"demo"}, 0, "", ""},
		"lint of a configuration":    {[]string{"lint", "--config", config}, 0, "", ""},
		"lint of both":               {[]string{"lint", "--config", config, "--context", "here"}, 0, "", readOnce},
		"diff with the live cluster": {[]string{"diff", demoFile, "--fail"}, 0, "", readOnce},
		"diff, another file":         {[]string{"diff", other, "--fail"}, 1, "", readOnce},
		"diff of two files":          {[]string{"diff", demoFile, other}, 0, "", ""},
		"diff of a file with itself": {[]string{"diff", demoFile, "--b", "all-quirks"}, 0, "", ""},
		"diff, live, two settings":   {[]string{"diff", "--b", "all-quirks"}, 0, "", readOnce},
		"diff, live, two contexts":   {[]string{"diff", "--a", "context=here", "--b", "context=away"}, 2, "context away", readOnce},
		"diff, live, both the same":  {[]string{"diff", "--a", "context=here", "--b", "context="}, 0, "", readOnce + ", " + readOnce},
		"diff, a file and a context": {[]string{"diff", demoFile, "--b", "context=here", "--fail"}, 0, "", readOnce},
		"diff, a context of a file":  {[]string{"diff", demoFile, "--a", "context=here"}, 2, "do not go with", ""},
		"diff, context and files":    {[]string{"diff", demoFile, other, "--context", "here"}, 2, "do not go with", ""},
		"diff of nothing":            {[]string{"diff"}, 2, "nothing to compare", ""},
	} {
		t.Run(name, func(t *testing.T) {
			exits(t, "", want.code, want.errs, want.args...)
			if asked := c.requests(); asked != want.asked {
				t.Errorf("asked %s, want %s", asked, want.asked)
			}
		})
	}
}

// TestLiveDiffNames: the sides say what they were read from.
func TestLiveDiffNames(t *testing.T) {
	c := startLive(t, demo.Cluster)
	demoFile := file(t, "demo.yaml", string(demo.Cluster))
	out := answered(t, "", "diff", demoFile, "--b", "kubeconfig="+c.kubeconfig, "--b", "cordon-node=l4-1")
	if want := "B: live cluster, kubeconfig="; !strings.Contains(out, want) {
		t.Errorf("no %q in %s", want, out)
	}
	out = answered(t, "", "diff", "--kubeconfig", c.kubeconfig, "--context", "here", "--b", "cordon-node=l4-1")
	if want := "A: live cluster of context here\nB: live cluster of context here, cordon-node=l4-1\n"; !strings.Contains(out, want) {
		t.Errorf("no %q in %s", want, out)
	}
}

// TestLiveProgress: long lists are told on a terminal, in a line that is gone before the answer.
func TestLiveProgress(t *testing.T) {
	c := startLive(t, demo.Cluster)
	quotas := make([]corev1.ResourceQuota, 700)
	for i := range quotas {
		quotas[i].Name, quotas[i].Namespace = fmt.Sprintf("q%d", i), "shop"
	}
	c.lists["resourcequotas"] = map[string]any{"apiVersion": "v1", "kind": "ResourceQuotaList", "items": quotas}
	var out, errs strings.Builder
	terminal := Terminal{In: strings.NewReader(""), Out: &out, Err: &errs, ShowProgress: true}
	if code := Run(t.Context(), []string{"table", "--kubeconfig", c.kubeconfig}, terminal); code != ExitAnswered {
		t.Fatalf("exit code %d: %s", code, errs.String())
	}
	lines := strings.Split(errs.String(), "\r\x1b[K")
	if !slices.Contains(lines, "reading resourcequotas: 700") || strings.Contains(errs.String(), "pods") || lines[len(lines)-1] != "" {
		t.Errorf("told %q", errs.String())
	}
}
