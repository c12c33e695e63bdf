package service

import (
	"encoding/json"
	"net/http"
)

// health adds what tells whether the process works and what it can do.
func (h *handler) health(mux *http.ServeMux) {
	mux.HandleFunc("GET /healthz", func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte("ok\n")) })
	mux.HandleFunc("GET /readyz", h.readyz)
}

// observed serves metrics and health.
func (h *handler) observed() http.Handler {
	mux := http.NewServeMux()
	mux.Handle("GET /metrics", h.metrics.handler())
	h.health(mux)
	return mux
}

// readiness is what the functions can do. Simulation needs the device models only, which a process without does not start.
type readiness struct {
	Live       string `json:"live"`
	Simulation string `json:"simulation"`
}

// readyz answers with status 200 if the function that is asked for (?function=live or simulation) can be served; without one,
// if any can: a replica that does not lead answers simulations.
func (h *handler) readyz(w http.ResponseWriter, r *http.Request) {
	state := readiness{Live: "ok", Simulation: "ok"}
	if err := h.liveReady(); err != nil {
		state.Live = err.Error()
	}
	status := http.StatusOK
	switch r.URL.Query().Get("function") {
	case "", "simulation":
	case "live":
		if state.Live != "ok" {
			status = http.StatusServiceUnavailable
		}
	default:
		newProblem(http.StatusBadRequest, "function: want live or simulation").write(w)
		return
	}
	text, err := json.Marshal(state)
	if err != nil {
		panic(err) // strings
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_, _ = w.Write(text)
}

func (h *handler) liveReady() error {
	if h.live == nil {
		return errSimulationsOnly
	}
	return h.live.Ready()
}
