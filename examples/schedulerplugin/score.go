package schedulerplugin

import (
	"context"
	"fmt"
	"math"

	corev1 "k8s.io/api/core/v1"
	fwk "k8s.io/kube-scheduler/framework"

	"github.com/accelfit/accelfit/score"
	"github.com/accelfit/accelfit/vendors"
)

// PreScore has pods without devices not scored.
func (p *Plugin) PreScore(_ context.Context, state fwk.CycleState, _ *corev1.Pod, _ []fwk.NodeInfo) *fwk.Status {
	if _, err := cycleOf(state); err != nil {
		return fwk.NewStatus(fwk.Skip)
	}
	return nil
}

// Score ranks a node (spec core §10). The number is the score's binary32 form, for NormalizeScore alone.
func (p *Plugin) Score(ctx context.Context, state fwk.CycleState, _ *corev1.Pod, node fwk.NodeInfo) (int64, *fwk.Status) {
	c, err := cycleOf(state)
	if err != nil {
		return 0, fwk.AsStatus(err)
	}
	object := node.Node()
	if object == nil {
		return 0, fwk.AsStatus(fmt.Errorf("%s: the node has no object", Name))
	}
	s := p.state(ctx, node, object)
	fit := p.fit(c, s)
	if !fit.OK() {
		return 0, fwk.AsStatus(fmt.Errorf("%s: node %s is scored and does not fit: %s", Name, object.Name, fit.Reasons.Detail()))
	}
	return int64(math.Float32bits(p.set.Score(c.request, s.Usage, fit))), nil
}

// fit tries the pod of a cycle on a state.
func (p *Plugin) fit(c *cycle, s *state) vendors.Fit {
	if c.limited {
		return p.set.Fit(c.request, s.Usage)
	}
	return s.answer(p.set, c.plain).fit
}

// ScoreExtensions implements fwk.ScorePlugin.
func (p *Plugin) ScoreExtensions() fwk.ScoreExtensions { return p }

// NormalizeScore gives the best node under the pod's node policy 100, of equal ones the first by name (deviation D2), and all
// others at most 99, so that no dice are thrown between them; the worst have 0.
func (p *Plugin) NormalizeScore(_ context.Context, state fwk.CycleState, _ *corev1.Pod, scores fwk.NodeScoreList) *fwk.Status {
	c, err := cycleOf(state)
	if err != nil {
		return fwk.AsStatus(err)
	}
	raw := make([]float32, len(scores))
	best := 0
	for i := range scores {
		raw[i] = math.Float32frombits(uint32(scores[i].Score))
		a, b := score.Ranked{Name: scores[i].Name, Score: raw[i]}, score.Ranked{Name: scores[best].Name, Score: raw[best]}
		if score.Compare(c.request.NodePolicy, a, b) < 0 {
			best = i
		}
	}
	for i, n := range score.Normalize(c.request.NodePolicy, raw) {
		scores[i].Score = n
		if i != best {
			scores[i].Score = min(n, fwk.MaxScore-1)
		}
	}
	return nil
}
