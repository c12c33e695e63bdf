package service

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"strings"

	"github.com/accelfit/accelfit/examples/extender/internal/simulation"
)

// problem is what is told of a request that is not served (RFC 9457).
type problem struct {
	Title  string `json:"title"`
	Status int    `json:"status"`
	Detail string `json:"detail,omitempty"`
	Field  string `json:"field,omitempty"` // of the request
}

// Error reads "<status text>: <detail>".
func (p *problem) Error() string { return p.Title + ": " + p.Detail }

func newProblem(status int, detail string) *problem {
	return &problem{Title: http.StatusText(status), Status: status, Detail: clip(detail)}
}

// clip cuts a text that may quote what the caller sent, which is as long as the caller likes, before it is answered and logged.
func clip(text string) string {
	const most = 1000
	if len(text) <= most {
		return text
	}
	return strings.ToValidUTF8(text[:most], "") + "..."
}

// problemOf tells an error that reading or answering a request gave.
func problemOf(err error) *problem {
	var p *problem
	var large *http.MaxBytesError
	var bad *simulation.BadRequest
	switch {
	case errors.As(err, &p):
		return p
	case errors.As(err, &large):
		return newProblem(http.StatusRequestEntityTooLarge, "the body has more bytes than may be sent")
	case errors.As(err, &bad):
		p = newProblem(http.StatusBadRequest, bad.Error())
		p.Field = clip(bad.Field)
		return p
	case errors.Is(err, context.DeadlineExceeded), errors.Is(err, context.Canceled):
		return newProblem(http.StatusServiceUnavailable, "the answer takes longer than a request may")
	}
	return newProblem(http.StatusInternalServerError, err.Error())
}

func (p *problem) write(w http.ResponseWriter) {
	text, err := json.Marshal(p)
	if err != nil {
		panic(err) // strings and numbers
	}
	w.Header().Set("Content-Type", "application/problem+json")
	w.WriteHeader(p.Status)
	_, _ = w.Write(text) // whoever has gone does not want to know
}
