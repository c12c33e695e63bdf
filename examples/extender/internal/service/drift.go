package service

import (
	"github.com/prometheus/client_golang/prometheus"
	corev1 "k8s.io/api/core/v1"

	"github.com/accelfit/accelfit/simulate"
	"github.com/accelfit/accelfit/vendors"
)

// drift counts, whenever it is asked, the nodes of the cluster that are not as the device profile promises that matches them.
type drift struct {
	set      *vendors.Set
	profiles []simulate.Profile
	nodes    func() []*corev1.Node
	count    *prometheus.Desc
}

func newDrift(set *vendors.Set, profiles []simulate.Profile, nodes func() []*corev1.Node) *drift {
	return &drift{set, profiles, nodes, prometheus.NewDesc("accelfit_nodes_drifted",
		"Nodes whose devices are not as their device profile promises, by profile and the worst that is wrong.",
		[]string{"profile", "severity"}, nil)}
}

// Describe sends what is collected.
func (d *drift) Describe(out chan<- *prometheus.Desc) { out <- d.count }

// Collect counts. Every profile has a count of each severity, so that none looks missing when all is well.
func (d *drift) Collect(out chan<- prometheus.Metric) {
	counts := map[[2]string]int{}
	for _, node := range d.nodes() {
		p := simulate.ProfileFor(d.profiles, "", node.Labels)
		if p == nil {
			continue
		}
		if worst, drifted := d.worst(p, node); drifted {
			counts[[2]string{p.Name, string(worst)}]++
		}
	}
	for i := range d.profiles {
		for _, severity := range []simulate.Severity{simulate.DriftError, simulate.DriftWarning} {
			key := [2]string{d.profiles[i].Name, string(severity)}
			out <- prometheus.MustNewConstMetric(d.count, prometheus.GaugeValue, float64(counts[key]), key[:]...)
		}
	}
}

// worst is the worst that is wrong with a node. A profile that cannot be applied is an error of every node it matches.
func (d *drift) worst(p *simulate.Profile, node *corev1.Node) (worst simulate.Severity, drifted bool) {
	drifts, err := p.Verify(d.set, node)
	if err != nil {
		return simulate.DriftError, true
	}
	for _, found := range drifts {
		if found.Severity == simulate.DriftError {
			return simulate.DriftError, true
		}
		worst, drifted = simulate.DriftWarning, true
	}
	return worst, drifted
}
