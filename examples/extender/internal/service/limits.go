package service

import (
	"net/http"
	"slices"

	"golang.org/x/time/rate"
)

// gate is who may use a route, and how much.
type gate struct {
	certificate bool     // clients need one
	clients     []string // names that may; empty: all
	slots       chan struct{}
	rate        *rate.Limiter // nil: any
}

func newGate(certificate bool, clients []string, concurrency int, perSecond float64) *gate {
	g := &gate{certificate: certificate || len(clients) > 0, clients: clients, slots: make(chan struct{}, max(1, concurrency))}
	if perSecond > 0 {
		g.rate = rate.NewLimiter(rate.Limit(perSecond), max(1, int(perSecond)))
	}
	return g
}

// enter lets a request in; leave must be called when it is answered.
func (g *gate) enter(r *http.Request) (leave func(), refused *problem) {
	if refused := g.mayUse(r); refused != nil {
		return nil, refused
	}
	if g.rate != nil && !g.rate.Allow() {
		return nil, newProblem(http.StatusTooManyRequests, "more requests per second than the route serves")
	}
	select {
	case g.slots <- struct{}{}:
		return func() { <-g.slots }, nil
	default:
		return nil, newProblem(http.StatusServiceUnavailable, "as many requests as the route serves at a time are under way")
	}
}

// mayUse checks the client's certificate, which TLS has verified.
func (g *gate) mayUse(r *http.Request) *problem {
	if !g.certificate {
		return nil
	}
	if r.TLS == nil || len(r.TLS.VerifiedChains) == 0 {
		return newProblem(http.StatusUnauthorized, "the route is for clients with a certificate")
	}
	leaf := r.TLS.VerifiedChains[0][0]
	named := func(name string) bool { return slices.Contains(g.clients, name) }
	if len(g.clients) == 0 || named(leaf.Subject.CommonName) || slices.ContainsFunc(leaf.DNSNames, named) {
		return nil
	}
	return newProblem(http.StatusForbidden, "the client's certificate is not of a name that may use the route")
}

// maxBody is how many bytes a request may have. Admission needs no more than an API server takes (3 MiB), and its route may be
// open to everybody.
func (h *handler) maxBody(path string) int64 {
	if path == "/webhook" {
		return min(h.o.MaxBody, 4<<20)
	}
	return h.o.MaxBody
}
