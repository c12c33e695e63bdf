package service

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	extenderv1 "k8s.io/kube-scheduler/extender/v1"
)

func TestLiveRoutes(t *testing.T) {
	live := &cluster{}
	h := routes(t, live, nil)
	status, answer := post(t, h, "/filter", names("a", "b"))
	assert.Equal(t, http.StatusOK, status)
	var filtered extenderv1.ExtenderFilterResult
	require.NoError(t, json.Unmarshal(answer, &filtered))
	assert.Equal(t, []string{"a", "b"}, *filtered.NodeNames)

	status, answer = post(t, h, "/filter", extenderv1.ExtenderArgs{Pod: pod("6000"), Nodes: nodes(2)})
	assert.Equal(t, http.StatusOK, status)
	require.NoError(t, json.Unmarshal(answer, &filtered))
	assert.Len(t, filtered.Nodes.Items, 2)

	status, answer = post(t, h, "/prioritize", names("a"))
	assert.Equal(t, http.StatusOK, status)
	assert.JSONEq(t, `[{"Host":"a","Score":3}]`, string(answer))

	status, answer = post(t, h, "/bind", extenderv1.ExtenderBindingArgs{PodName: "p", PodNamespace: "team", PodUID: "1", Node: "a"})
	assert.Equal(t, http.StatusOK, status)
	assert.JSONEq(t, `{}`, strings.ReplaceAll(string(answer), `"Error":""`, ""))
	assert.EqualValues(t, 3, live.calls.Load())
}

func TestSimulationRoute(t *testing.T) {
	h := routes(t, nil, nil)
	status, answer := post(t, h, "/filter-simulation", extenderv1.ExtenderArgs{Pod: pod("20000"), Nodes: nodes(1)})
	assert.Equal(t, http.StatusOK, status)
	var filtered extenderv1.ExtenderFilterResult
	require.NoError(t, json.Unmarshal(answer, &filtered))
	assert.Equal(t, "2/2 CardInsufficientMemory", filtered.FailedNodes["n0"])

	text := scrape(t, h)
	assert.Contains(t, text, `accelfit_verdicts_total{reason="CardInsufficientMemory",route="/filter-simulation",vendor="NVIDIA",verdict="noRoom"} 1`)
	assert.Contains(t, text, `accelfit_requests_total{route="/filter-simulation",status="200"} 1`)
	assert.Contains(t, text, `accelfit_simulation_nodes_kept 1`)
	assert.NotContains(t, text, "n0")
}

// TestSimulationIsNeverLive: whatever is asked of the simulation, the cluster is not; and live calls are not simulated.
func TestSimulationIsNeverLive(t *testing.T) {
	live := &cluster{}
	h := routes(t, live, nil)
	post(t, h, "/filter-simulation", extenderv1.ExtenderArgs{Pod: pod("6000"), Nodes: nodes(1)})
	post(t, h, "/filter-simulation", names("a"))
	assert.Zero(t, live.calls.Load())

	_, answer := post(t, routes(t, nil, nil), "/filter", extenderv1.ExtenderArgs{Pod: pod("6000"), Nodes: nodes(1)})
	assert.Contains(t, string(answer), "simulations only")
}

func TestProblems(t *testing.T) {
	h := routes(t, &cluster{}, func(o *Options) { o.MaxBody = 2000 })
	large := `{"Pod":{"x":"` + strings.Repeat("x", 3000) + `"}}`
	for _, test := range []struct {
		path, body string
		status     int
		want       string
	}{
		{"/filter-simulation", `{}`, 400, `"field":"Pod"`},
		{"/filter-simulation", `{`, 400, "truncated"},
		{"/filter-simulation", large, 413, "more bytes"},
		{"/filter", large, 413, "more bytes"},
		{"/filter", `{`, 200, `"Error":"extender args: unexpected EOF"`},
		{"/filter", `{"Pod":7}`, 200, `"Error":"extender args: Pod: json`},
		{"/filter", `{"pods":[]}`, 200, `unknown field \"pods\"`},
		{"/filter", `{} {}`, 200, "something follows"},
		{"/filter", `{"NodeNames":["a"]}`, 200, "make no sense"},
		{"/bind", `{"Node":"a","Name":"p"}`, 200, `unknown field \"Name\"`},
		{"/prioritize", `[]`, 400, "cannot unmarshal array"},
		{"/prioritize", `{}`, 422, "make no sense"},
		{"/webhook", `{}`, 400, "want an AdmissionReview"},
		{"/nowhere", `{}`, 404, "no route"},
	} {
		status, answer := post(t, h, test.path, test.body)
		assert.Equal(t, test.status, status, "%s %.60s", test.path, test.body)
		assert.Contains(t, string(answer), test.want, "%s %.60s", test.path, test.body)
		if status != http.StatusOK {
			var p problem
			assert.NoError(t, json.Unmarshal(answer, &p))
			assert.Equal(t, status, p.Status)
		}
	}
}

func TestMethodsAndTypes(t *testing.T) {
	h := routes(t, &cluster{}, nil)
	for _, path := range []string{"/filter", "/filter-simulation", "/prioritize", "/bind", "/webhook"} {
		w := httptest.NewRecorder()
		h.ServeHTTP(w, httptest.NewRequest(http.MethodGet, path, nil))
		assert.Equal(t, http.StatusMethodNotAllowed, w.Code)
		assert.Equal(t, "POST", w.Header().Get("Allow"))
		r := httptest.NewRequest(http.MethodPost, path, strings.NewReader("{}"))
		r.Header.Set("Content-Type", "text/plain")
		w = httptest.NewRecorder()
		h.ServeHTTP(w, r)
		assert.Equal(t, http.StatusUnsupportedMediaType, w.Code)
		assert.Equal(t, "application/problem+json", w.Header().Get("Content-Type"))
	}
}

func TestPanicsAreAnswered(t *testing.T) {
	h := routes(t, &cluster{panics: true}, nil)
	status, answer := post(t, h, "/filter", names("a"))
	assert.Equal(t, http.StatusInternalServerError, status)
	assert.NotContains(t, string(answer), "broken")
	assert.Contains(t, scrape(t, h), "accelfit_panics_total 1")
	status, _ = post(t, h, "/bind", extenderv1.ExtenderBindingArgs{PodUID: "1", Node: "a"})
	assert.Equal(t, http.StatusOK, status, "the next is served")
}

func TestLimits(t *testing.T) {
	live := &cluster{block: make(chan struct{})}
	h := routes(t, live, func(o *Options) { o.LiveConcurrency, o.SimulationRate = 1, 1 })
	first := make(chan int)
	go func() {
		status, _ := post(t, h, "/filter", names("a"))
		first <- status
	}()
	require.Eventually(t, func() bool { return live.calls.Load() == 1 }, 5*time.Second, time.Millisecond)
	status, answer := post(t, h, "/filter", names("a"))
	assert.Equal(t, http.StatusServiceUnavailable, status, string(answer))
	status, _ = post(t, h, "/filter-simulation", names("a"))
	assert.Equal(t, http.StatusOK, status, "other routes are not held up")
	status, _ = post(t, h, "/filter-simulation", names("a"))
	assert.Equal(t, http.StatusTooManyRequests, status)
	close(live.block)
	assert.Equal(t, http.StatusOK, <-first)
}

func TestReadiness(t *testing.T) {
	get := func(h *handler, path string) (int, string) {
		w := httptest.NewRecorder()
		h.observed().ServeHTTP(w, httptest.NewRequest(http.MethodGet, path, nil))
		return w.Code, w.Body.String()
	}
	follower := routes(t, &cluster{notReady: true}, nil)
	code, text := get(follower, "/readyz")
	assert.Equal(t, http.StatusOK, code)
	assert.JSONEq(t, `{"live":"this replica does not lead","simulation":"ok"}`, text)
	code, _ = get(follower, "/readyz?function=live")
	assert.Equal(t, http.StatusServiceUnavailable, code)
	code, _ = get(follower, "/readyz?function=simulation")
	assert.Equal(t, http.StatusOK, code)
	code, _ = get(follower, "/readyz?function=x")
	assert.Equal(t, http.StatusBadRequest, code)
	code, _ = get(routes(t, &cluster{}, nil), "/readyz?function=live")
	assert.Equal(t, http.StatusOK, code)
	code, _ = get(routes(t, nil, nil), "/readyz?function=live")
	assert.Equal(t, http.StatusServiceUnavailable, code)
	code, _ = get(follower, "/healthz")
	assert.Equal(t, http.StatusOK, code)
	status, _ := post(t, follower, "/prioritize", names("a"))
	assert.Equal(t, http.StatusServiceUnavailable, status)
}

// TestDrift: a node that has not registered what its profile promises is counted.
func TestDrift(t *testing.T) {
	file := write(t, t.TempDir(), "profiles.yaml", []byte(`apiVersion: accelfit.dev/v1alpha1
kind: DeviceProfile
metadata: {name: l4-pool}
match: {matchLabels: {pool: l4}}
devices: [{model: NVIDIA L4, count: 4}]
`))
	text := scrape(t, routes(t, &cluster{}, func(o *Options) { o.ProfileFiles = []string{file} }))
	assert.Contains(t, text, `accelfit_nodes_drifted{profile="l4-pool",severity="error"} 1`)
	assert.Contains(t, text, `accelfit_nodes_drifted{profile="l4-pool",severity="warning"} 0`)
	assert.NotContains(t, scrape(t, routes(t, &cluster{}, nil)), "accelfit_nodes_drifted")
}
