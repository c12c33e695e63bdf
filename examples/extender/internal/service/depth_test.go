package service

import (
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
)

func nested(levels int) string { return strings.Repeat("[", levels) + strings.Repeat("]", levels) }

func TestDepth(t *testing.T) {
	for name, text := range map[string]string{
		"as deep as it may be": nested(maxDepth),
		"side by side":         "[" + strings.Repeat("[[]],", 1000) + "{}]",
		"in a string":          `{"a":"` + strings.Repeat("[", 1000) + `"}`,
		"behind an escape":     `{"a":"\\","b":"\"` + strings.Repeat("[", 1000) + `"}`,
		"an escape at the end": `"\`,
		"nothing":              "",
	} {
		assert.NoError(t, checkDepth([]byte(text)), name)
	}
	for name, text := range map[string]string{
		"one too deep":         nested(maxDepth + 1),
		"never closed":         strings.Repeat(`{"a":`, maxDepth+1),
		"after a string":       `["\\"` + strings.Repeat("[", maxDepth),
		"after other brackets": "[" + strings.Repeat("{},", 50) + strings.Repeat("[", maxDepth),
	} {
		assert.ErrorContains(t, checkDepth([]byte(text)), "nest deeper than 64", name)
	}
}

// TestDeepRequests: depth is refused before anything is decoded, even in fields that nobody knows.
func TestDeepRequests(t *testing.T) {
	live := &cluster{}
	h := routes(t, live, nil)
	body := `{"Pod":{"unknown":` + nested(100) + `},"NodeNames":["a"]}`
	for path, want := range map[string]int{
		"/filter": http.StatusOK, "/bind": http.StatusOK,
		"/prioritize": http.StatusBadRequest, "/filter-simulation": http.StatusBadRequest, "/webhook": http.StatusBadRequest,
	} {
		status, answer := post(t, h, path, body)
		assert.Equal(t, want, status, path)
		assert.Contains(t, string(answer), "nest deeper than 64", path)
	}
	assert.Zero(t, live.calls.Load())
}
