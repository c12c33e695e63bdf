package service

import (
	"net/http"
	"strconv"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"
	extenderv1 "k8s.io/kube-scheduler/extender/v1"

	"github.com/accelfit/accelfit/examples/extender/internal/simulation"
)

// metrics are counted by route, status, reason and vendor: never by names of nodes, pods or namespaces.
type metrics struct {
	registry *prometheus.Registry
	requests *prometheus.CounterVec
	seconds  *prometheus.HistogramVec
	inFlight *prometheus.GaugeVec
	verdicts *prometheus.CounterVec
	errors   *prometheus.CounterVec
	panics   prometheus.Counter
}

func newMetrics(s *simulation.Simulator) *metrics {
	m := &metrics{
		registry: prometheus.NewRegistry(),
		requests: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "accelfit_requests_total", Help: "Requests answered, by route and status.",
		}, []string{"route", "status"}),
		seconds: prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Name: "accelfit_request_seconds", Help: "Time to answer, by route.", Buckets: prometheus.ExponentialBuckets(0.0005, 2, 16),
		}, []string{"route"}),
		inFlight: prometheus.NewGaugeVec(prometheus.GaugeOpts{
			Name: "accelfit_requests_in_flight", Help: "Requests under way, by route.",
		}, []string{"route"}),
		verdicts: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "accelfit_verdicts_total",
			Help: "Nodes judged, by route, what came of them, and the vendor and reason of a refusal.",
		}, []string{"route", "verdict", "vendor", "reason"}),
		errors: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "accelfit_errors_total", Help: "Answers with status 200 and an Error, by route.",
		}, []string{"route"}),
		panics: prometheus.NewCounter(prometheus.CounterOpts{Name: "accelfit_panics_total", Help: "Requests that ended in a panic."}),
	}
	kept := func(name, help string, count func(nodes, lists int) int) prometheus.Collector {
		return prometheus.NewGaugeFunc(prometheus.GaugeOpts{Name: name, Help: help}, func() float64 { return float64(count(s.Kept())) })
	}
	m.registry.MustRegister(m.requests, m.seconds, m.inFlight, m.verdicts, m.errors, m.panics,
		kept("accelfit_simulation_nodes_kept", "Nodes that simulations know.", func(nodes, _ int) int { return nodes }),
		kept("accelfit_simulation_lists_kept", "Lists of nodes that simulations know.", func(_, lists int) int { return lists }),
		collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	return m
}

// begin counts a request in; the function it returns counts it out.
func (m *metrics) begin(route string) (end func(status int)) {
	started := time.Now()
	m.inFlight.WithLabelValues(route).Inc()
	return func(status int) {
		m.inFlight.WithLabelValues(route).Dec()
		m.requests.WithLabelValues(route, strconv.Itoa(status)).Inc()
		m.seconds.WithLabelValues(route).Observe(time.Since(started).Seconds())
	}
}

// judged counts what came of nodes.
func (m *metrics) judged(route string, counts map[simulation.Count]int) {
	for c, n := range counts {
		m.verdicts.WithLabelValues(route, string(c.Code), c.Vendor, c.Reason).Add(float64(n))
	}
}

// filtered counts live calls that ended in an error.
func (m *metrics) filtered(r *extenderv1.ExtenderFilterResult) {
	if r.Error != "" {
		m.errors.WithLabelValues("/filter").Inc()
	}
}

func (m *metrics) bound(r *extenderv1.ExtenderBindingResult) {
	if r.Error != "" {
		m.errors.WithLabelValues("/bind").Inc()
	}
}

func (m *metrics) handler() http.Handler {
	return promhttp.HandlerFor(m.registry, promhttp.HandlerOpts{Registry: m.registry})
}
