package service

import (
	"github.com/prometheus/client_golang/prometheus"

	"github.com/accelfit/accelfit/examples/extender/internal/live"
)

// verdicts tells what live calls made of nodes, whenever it is asked.
type verdicts struct {
	judged func() map[live.Judgement]int
	count  *prometheus.Desc
}

func newVerdicts(judged func() map[live.Judgement]int) *verdicts {
	return &verdicts{judged, prometheus.NewDesc("accelfit_live_verdicts_total",
		"Nodes judged by live calls, by what came of them, and the vendor and reason of a refusal.",
		[]string{"verdict", "vendor", "reason"}, nil)}
}

// Describe sends what is collected.
func (v *verdicts) Describe(out chan<- *prometheus.Desc) { out <- v.count }

// Collect sends the counts.
func (v *verdicts) Collect(out chan<- prometheus.Metric) {
	for why, n := range v.judged() {
		verdict, reason := "refused", why.Reason.String()
		if why.Fits {
			verdict, reason = "fits", ""
		}
		out <- prometheus.MustNewConstMetric(v.count, prometheus.CounterValue, float64(n), verdict, string(why.Vendor), reason)
	}
}
