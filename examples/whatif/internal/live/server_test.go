package live

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strconv"
	"sync"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/tools/clientcmd"
	"k8s.io/client-go/tools/clientcmd/api"
)

// TestMain keeps the tests off the kubeconfig and the cluster of whoever runs them.
func TestMain(m *testing.M) {
	os.Setenv("KUBECONFIG", filepath.Join(os.TempDir(), "no-such-folder", "config"))
	os.Unsetenv("KUBERNETES_SERVICE_HOST")
	os.Exit(m.Run())
}

// server is an API server that lists objects in pages.
type server struct {
	nodes, pods, quotas int                                  // how many it has
	refuse              func(resource, from string) *refusal // nil: nothing; from is where the page begins, empty for the first

	mu    sync.Mutex
	asked []string // "GET /api/v1/pods?limit=500"
}

type refusal struct {
	code   int
	reason metav1.StatusReason
}

// start runs the server and returns options to read it with.
func (s *server) start(t *testing.T) Options {
	t.Helper()
	running := httptest.NewServer(s)
	t.Cleanup(running.Close)
	return Options{Kubeconfig: kubeconfig(t, "here", running.URL)}
}

// kubeconfig writes a file with the current context and its server, and a context "elsewhere".
func kubeconfig(t *testing.T, current, url string) (file string) {
	t.Helper()
	file = filepath.Join(t.TempDir(), "config")
	err := clientcmd.WriteToFile(api.Config{
		CurrentContext: current,
		Clusters:       map[string]*api.Cluster{"c": {Server: url}, "other": {Server: "http://127.0.0.1:1"}},
		Contexts:       map[string]*api.Context{"here": {Cluster: "c", AuthInfo: "u"}, "elsewhere": {Cluster: "other", AuthInfo: "u"}},
		AuthInfos:      map[string]*api.AuthInfo{"u": {Token: "secret"}},
	}, file)
	if err != nil {
		t.Fatal(err)
	}
	return file
}

func (s *server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	q := r.URL.Query()
	s.mu.Lock()
	s.asked = append(s.asked, r.Method+" "+r.URL.RequestURI())
	s.mu.Unlock()
	resource := filepath.Base(r.URL.Path)
	if s.refuse != nil {
		if e := s.refuse(resource, q.Get("continue")); e != nil {
			answer(w, e.code, &metav1.Status{
				TypeMeta: metav1.TypeMeta{Kind: "Status", APIVersion: "v1"}, Status: metav1.StatusFailure,
				Code: int32(e.code), Reason: e.reason, Message: resource + " is refused for " + string(e.reason),
			})
			return
		}
	}
	from, _ := strconv.Atoi(q.Get("continue"))
	limit, _ := strconv.Atoi(q.Get("limit"))
	answer(w, http.StatusOK, s.page(resource, from, limit))
}

// page is the part of a list that begins at an index; limit 0 is the rest.
func (s *server) page(resource string, from, limit int) runtime.Object {
	all := map[string]int{Nodes: s.nodes, Pods: s.pods, Quotas: s.quotas}[resource]
	to := all
	meta := metav1.ListMeta{}
	if limit > 0 && from+limit < all {
		to = from + limit
		meta.Continue = strconv.Itoa(to)
	}
	name := func(i int) metav1.ObjectMeta { return metav1.ObjectMeta{Name: fmt.Sprintf("x%d", i), Namespace: "a"} }
	switch resource {
	case Nodes:
		list := &corev1.NodeList{TypeMeta: metav1.TypeMeta{Kind: "NodeList", APIVersion: "v1"}, ListMeta: meta}
		for i := range to - from {
			list.Items = append(list.Items, corev1.Node{ObjectMeta: name(from + i)})
		}
		return list
	case Pods:
		list := &corev1.PodList{TypeMeta: metav1.TypeMeta{Kind: "PodList", APIVersion: "v1"}, ListMeta: meta}
		for i := range to - from {
			list.Items = append(list.Items, corev1.Pod{ObjectMeta: name(from + i)})
		}
		return list
	}
	list := &corev1.ResourceQuotaList{TypeMeta: metav1.TypeMeta{Kind: "ResourceQuotaList", APIVersion: "v1"}, ListMeta: meta}
	for i := range to - from {
		list.Items = append(list.Items, corev1.ResourceQuota{ObjectMeta: name(from + i)})
	}
	return list
}

func answer(w http.ResponseWriter, code int, object runtime.Object) {
	w.Header().Set("Content-Type", runtime.ContentTypeJSON)
	w.WriteHeader(code)
	_ = json.NewEncoder(w).Encode(object)
}

// hanging is a server that begins an answer at most, and tells when it was asked.
func hanging(t *testing.T, begin string) (o Options, asked <-chan struct{}) {
	t.Helper()
	came := make(chan struct{}, 16)
	ctx, cancel := context.WithCancel(context.Background())
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		came <- struct{}{}
		if begin != "" {
			w.Header().Set("Content-Type", runtime.ContentTypeJSON)
			_, _ = w.Write([]byte(begin))
			_ = http.NewResponseController(w).Flush()
		}
		<-ctx.Done()
	}))
	t.Cleanup(func() { cancel(); s.Close() })
	return Options{Kubeconfig: kubeconfig(t, "here", s.URL), Timeout: 10 * time.Minute}, came
}
