package service

import (
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
)

// TestTimeIsLimited: a request that takes too long is ended while its answer can still be written.
func TestTimeIsLimited(t *testing.T) {
	h := routes(t, nil, func(o *Options) { o.WriteLimit = time.Nanosecond })
	status, answer := post(t, h, "/filter-simulation", names("a"))
	assert.Equal(t, http.StatusServiceUnavailable, status, string(answer))
	live := &cluster{block: make(chan struct{})}
	h = routes(t, live, func(o *Options) { o.WriteLimit = 20 * time.Millisecond })
	status, _ = post(t, h, "/filter", names("a"))
	assert.Equal(t, http.StatusOK, status, "live calls are told, and answer in their own words")
}
