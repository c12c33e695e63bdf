package schedulerplugin

import (
	"slices"
	"sync/atomic"

	corev1 "k8s.io/api/core/v1"
	fwk "k8s.io/kube-scheduler/framework"

	"github.com/accelfit/accelfit/device"
	"github.com/accelfit/accelfit/simulate"
	"github.com/accelfit/accelfit/vendors"
)

// state is a node with pods on it. It is immutable but for its answers, and any number of goroutines may use it.
type state struct {
	simulate.Replayed
	of   *described
	pods []*corev1.Pod // in the order of the framework's node

	answers atomic.Pointer[[]answer]
}

// answer is what came of trying a shape of pods on a state.
type answer struct {
	shape  string
	fit    vendors.Fit
	status *fwk.Status // nil: it fits. Never handed out: whoever gets a status writes into it
}

// maxAnswers is how many answers a state keeps.
const maxAnswers = 8

// answer tries a request on a state, unless its shape was tried before.
func (s *state) answer(set *vendors.Set, r *vendors.Request) *answer {
	shape := r.Shape()
	known := s.answers.Load()
	if known != nil {
		for i := range *known {
			if (*known)[i].shape == shape && shape != "" {
				return &(*known)[i]
			}
		}
	}
	a := answer{shape: shape, fit: set.Fit(r, s.Usage)}
	if !a.fit.OK() {
		a.status = s.refusal(set, r, &a.fit.Reasons)
	}
	next := []answer{a}
	if known != nil && len(*known) < maxAnswers {
		next = slices.Concat(*known, next)
	}
	s.answers.CompareAndSwap(known, &next)
	return &next[len(next)-1]
}

// refusal says why a node refuses a pod, and whether evicting pods could help.
func (s *state) refusal(set *vendors.Set, r *vendors.Request, why *device.Reasons) *fwk.Status {
	code := fwk.Unschedulable
	if s.hopeless(set, r, why) {
		code = fwk.UnschedulableAndUnresolvable
	}
	return fwk.NewStatus(code, why.Detail())
}

func (s *state) hopeless(set *vendors.Set, r *vendors.Request, why *device.Reasons) bool {
	switch {
	case why.Node == device.NodeUnregistered, why.Node == device.NodeMalformed, s == s.of.empty:
		return true
	}
	return !s.of.empty.answer(set, r).fit.OK()
}

// replayed makes the state of a node with pods from nothing.
func (p *Plugin) replayed(d *described, pods []*corev1.Pod) *state {
	return &state{of: d, pods: pods, Replayed: simulate.Replay(p.set, d.info, pods, simulate.ReplayOptions{Held: p.book.held})}
}

// with makes the state that one more pod, the last of pods, leads to; nil where it has to be made from nothing.
func (p *Plugin) with(s *state, pods []*corev1.Pod) *state {
	pod := pods[len(pods)-1]
	r, err := p.request(pod)
	if err != nil {
		return nil
	}
	var fit vendors.Fit
	if !r.Empty() {
		fit = s.answer(p.set, r).fit
	}
	next, ok := s.Append(pod, r, fit)
	if !ok {
		return nil
	}
	return &state{of: s.of, pods: pods, Replayed: next}
}
