package service

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	extenderv1 "k8s.io/kube-scheduler/extender/v1"
)

// TestHostileRequests sends five hundred bodies that make no sense to every route that could change something: all are answered,
// none reaches the cluster.
func TestHostileRequests(t *testing.T) {
	live := &cluster{}
	h := routes(t, live, func(o *Options) { o.MaxBody = 1 << 20 })
	for i, body := range hostile(t, 500) {
		for _, path := range []string{"/filter", "/bind", "/prioritize", "/filter-simulation", "/webhook"} {
			status, answer := post(t, h, path, body)
			switch status {
			case http.StatusOK:
				var said struct{ Error string }
				assert.NoError(t, json.Unmarshal(answer, &said))
				assert.NotEmpty(t, said.Error, "request %d to %s: %.80s", i, path, body)
			case http.StatusBadRequest, http.StatusRequestEntityTooLarge, http.StatusUnprocessableEntity:
				assert.Contains(t, string(answer), `"detail":`)
			default:
				t.Errorf("request %d to %s: status %d: %.80s", i, path, status, body)
			}
		}
	}
	assert.Zero(t, live.calls.Load())
	assert.Contains(t, scrape(t, h), "accelfit_panics_total 0")
}

// hostile makes bodies that no route can make sense of.
func hostile(t *testing.T, n int) (out []string) {
	t.Helper()
	r := rand.New(rand.NewPCG(1, 2))
	good, err := json.Marshal(extenderv1.ExtenderArgs{Pod: pod("6000"), Nodes: nodes(2)})
	require.NoError(t, err)
	makers := []func() string{
		func() string { return string(good[:r.IntN(len(good))]) },
		func() string { return string(good) + string(good) },
		func() string { d := r.IntN(50000); return `{"Pod":` + strings.Repeat(`{"a":`, d) },
		func() string { d := 11000 + r.IntN(50000); return strings.Repeat("[", d) + strings.Repeat("]", d) },
		func() string { return `{"Pod":` + strings.Repeat("9", 1+r.IntN(1000)) + `,"NodeNames":["a"]}` },
		func() string { return fmt.Sprintf(`{"Pod":{"metadata":{"uid":%d}},"NodeNames":["a"]}`, r.IntN(100)) },
		func() string { return `{"Pod":null,"Nodes":{"items":[]},"NodeNames":[]}` },
		func() string {
			return fmt.Sprintf(`{"Pod":{},"Nodes":%s}`, []string{"7", `"x"`, "[]", "true"}[r.IntN(4)])
		},
		func() string { return fmt.Sprintf(`{"Field%d":1}`, r.IntN(100)) },
		func() string { return strings.Replace(string(good), `"Pod"`, `"pods"`, 1) },
		func() string { return `{"Pod":"` + strings.Repeat("x", 1<<20) + `"}` },
		func() string {
			text := []byte(good)
			for range 1 + r.IntN(4) {
				text[r.IntN(40)] = "{}[]:,\x00\xff"[r.IntN(8)]
			}
			return string(text)
		},
		func() string { return "" },
	}
	for i := range n {
		body := makers[i%len(makers)]()
		if json.Valid([]byte(body)) && strings.Contains(body, `"metadata":{"name":"p","namespace":"team","uid":"1"}`) && strings.HasPrefix(body, `{"Pod"`) {
			body = body[1:] // a change that made no difference
		}
		out = append(out, body)
	}
	return out
}
