package service

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"mime"
	"net/http"
	"runtime/debug"
	"time"

	corev1 "k8s.io/api/core/v1"
	extenderv1 "k8s.io/kube-scheduler/extender/v1"

	"github.com/accelfit/accelfit/device"
	"github.com/accelfit/accelfit/examples/extender/internal/admission"
	"github.com/accelfit/accelfit/examples/extender/internal/live"
	"github.com/accelfit/accelfit/examples/extender/internal/simulation"
)

// Live decides with what the cluster holds.
type Live interface {
	// Ready is nil when Live can decide.
	Ready() error

	Filter(context.Context, *extenderv1.ExtenderArgs) *extenderv1.ExtenderFilterResult
	Prioritize(context.Context, *extenderv1.ExtenderArgs) (extenderv1.HostPriorityList, error)
	Bind(context.Context, *extenderv1.ExtenderBindingArgs) *extenderv1.ExtenderBindingResult

	// Headroom is what a namespace may still take, by vendor word; nil: anything.
	Headroom(namespace string) map[device.Vendor]device.Headroom

	// Judged is how many nodes were judged in which way so far.
	Judged() map[live.Judgement]int

	// Nodes are the nodes of the cluster as last seen, read-only.
	Nodes() []*corev1.Node
}

// handler serves the routes.
type handler struct {
	o         Options
	live      Live // nil: only simulations are served
	simulator *simulation.Simulator
	admission *admission.Handler
	metrics   *metrics
	mux       *http.ServeMux
}

// route answers a request whose body was read. The error is told as a problem.
type route func(ctx context.Context, body []byte) (answer []byte, err error)

func newHandler(o Options, live Live, s *simulation.Simulator, a *admission.Handler) *handler {
	h := &handler{o: o, live: live, simulator: s, admission: a, metrics: newMetrics(s), mux: http.NewServeMux()}
	secure := o.ClientCAFile != ""
	forLive := func() *gate { return newGate(secure, o.LiveClients, o.LiveConcurrency, o.LiveRate) }
	h.handle("/filter", forLive(), h.filter)
	h.handle("/prioritize", forLive(), h.prioritize)
	h.handle("/bind", forLive(), h.bind)
	h.handle("/filter-simulation", newGate(secure, o.SimulationClients, o.SimulationConcurrency, o.SimulationRate), h.simulate)
	h.handle("/webhook", newGate(false, o.WebhookClients, o.WebhookConcurrency, o.WebhookRate), h.admit)
	h.mux.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) {
		newProblem(http.StatusNotFound, "there is no route "+r.URL.Path).write(w)
	})
	h.health(h.mux)
	return h
}

func (h *handler) ServeHTTP(w http.ResponseWriter, r *http.Request) { h.mux.ServeHTTP(w, r) }

// handle registers a route behind its gate.
func (h *handler) handle(path string, g *gate, serve route) {
	h.mux.HandleFunc(path, func(w http.ResponseWriter, r *http.Request) {
		started, end := time.Now(), h.metrics.begin(path)
		answer, err := h.enter(w, r, path, g, serve)
		status := http.StatusOK
		if err != nil {
			p := problemOf(err)
			status = p.Status
			if status == http.StatusTooManyRequests || status == http.StatusServiceUnavailable {
				w.Header().Set("Retry-After", "1")
			}
			p.write(w)
		} else {
			w.Header().Set("Content-Type", "application/json")
			_, _ = w.Write(answer) // whoever has gone does not want to know
		}
		end(status)
		h.log(r, path, status, err, time.Since(started))
	})
}

func (h *handler) log(r *http.Request, path string, status int, err error, took time.Duration) {
	level, attributes := slog.LevelDebug, []any{"route", path, "status", status, "took", took, "from", r.RemoteAddr}
	if err != nil {
		level, attributes = slog.LevelWarn, append(attributes, "error", err)
	}
	h.o.Log.Log(r.Context(), level, "request", attributes...)
}

// enter checks a request, reads its body and has it answered. A panic is answered as well.
func (h *handler) enter(w http.ResponseWriter, r *http.Request, path string, g *gate, serve route) (answer []byte, err error) {
	defer func() {
		if p := recover(); p != nil {
			h.metrics.panics.Inc()
			h.o.Log.Error("panic", "route", path, "panic", fmt.Sprint(p), "stack", string(debug.Stack()))
			answer, err = nil, newProblem(http.StatusInternalServerError, "the request could not be answered")
		}
	}()
	if r.Method != http.MethodPost {
		w.Header().Set("Allow", http.MethodPost)
		return nil, newProblem(http.StatusMethodNotAllowed, "the route takes POST")
	}
	leave, refused := g.enter(r)
	if refused != nil {
		return nil, refused
	}
	defer leave()
	if kind, _, err := mime.ParseMediaType(r.Header.Get("Content-Type")); err != nil || kind != "application/json" {
		return nil, newProblem(http.StatusUnsupportedMediaType, "the body must be application/json")
	}
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, h.maxBody(path)))
	var large *http.MaxBytesError
	switch {
	case errors.As(err, &large):
		return nil, err
	case err != nil:
		return nil, newProblem(http.StatusBadRequest, "the body did not arrive: "+err.Error())
	}
	ctx, cancel := context.WithTimeout(r.Context(), h.o.WriteLimit*9/10) // what comes later cannot be written any more
	defer cancel()
	return serve(ctx, body)
}
