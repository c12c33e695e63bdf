package service

import (
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	extenderv1 "k8s.io/kube-scheduler/extender/v1"
)

// TestAnswersAreShort: what a caller sends is not sent back, or logged, at any length.
func TestAnswersAreShort(t *testing.T) {
	h := routes(t, &cluster{}, nil)
	body := `{"` + strings.Repeat("ä", 100_000) + `":1}`
	for _, path := range []string{"/filter", "/bind", "/prioritize", "/filter-simulation", "/webhook"} {
		_, answer := post(t, h, path, body)
		assert.Less(t, len(answer), 4000, path)
	}
	text := scrape(t, h)
	assert.Contains(t, text, `accelfit_errors_total{route="/filter"} 1`)
	assert.Contains(t, text, `accelfit_errors_total{route="/bind"} 1`)
}

// TestWebhookTakesSmallBodies: it may be open to everybody, so that its limit is its own.
func TestWebhookTakesSmallBodies(t *testing.T) {
	h := routes(t, &cluster{}, nil)
	body := `{"x":"` + strings.Repeat("x", 5<<20) + `"}`
	status, _ := post(t, h, "/webhook", body)
	assert.Equal(t, http.StatusRequestEntityTooLarge, status)
	status, _ = post(t, h, "/filter-simulation", body)
	assert.Equal(t, http.StatusBadRequest, status)
}

func TestLiveCallsAreCounted(t *testing.T) {
	h := routes(t, &cluster{}, nil)
	post(t, h, "/filter", names("a", "b"))
	post(t, h, "/filter", extenderv1.ExtenderArgs{})
	text := scrape(t, h)
	assert.Contains(t, text, `accelfit_requests_total{route="/filter",status="200"} 2`)
	assert.Contains(t, text, `accelfit_errors_total{route="/filter"} 1`)
	assert.Contains(t, text, `accelfit_live_verdicts_total{reason="",vendor="",verdict="fits"} 2`)
	assert.Contains(t, text, `accelfit_live_verdicts_total{reason="CardInsufficientMemory",vendor="NVIDIA",verdict="refused"} 3`)
}
