package simulate

import (
	"slices"

	corev1 "k8s.io/api/core/v1"

	"github.com/accelfit/accelfit/usage"
	"github.com/accelfit/accelfit/vendors"
)

// Append is what Replay makes of the same node when one more pod is listed, at the cost of booking it: for hosts that put pods on
// nodes one by one. request is what the pod asks for, and fit what [vendors.Set.Fit] found for it on r.Usage.
//
// ok is false where that does not follow from r, and Replay has to be asked: for a pod that is on record, one that does not fit,
// one that Replay would place before another, and after a Replay that did not get by with the descending order. Usage is the one
// that Replay makes; of pods that ask for the same, each may hold what Replay gives another. r is not changed.
func (r *Replayed) Append(pod *corev1.Pod, request *vendors.Request, fit vendors.Fit) (next Replayed, ok bool) {
	if r.from == nil || r.tail.closed {
		return Replayed{}, false
	}
	if _, known, _ := r.from.record(pod); known {
		return Replayed{}, false
	}
	next = *r
	if request.Empty() || ended(pod) {
		return next, true
	}
	share, shape := Share(request, r.from.info), request.Shape()
	if !fit.OK() || !r.tail.takes(share, shape) {
		return Replayed{}, false
	}
	next.tail = tail{placed: true, share: share, shape: shape}
	next.Usage = r.Usage.With(fit.Allocation)
	next.Holdings = append(slices.Clip(r.Holdings), usage.Of(request, r.from.info.Name(), fit.Allocation))
	return next, true
}

// tail is how a Replay ended: what decides whether one more pod comes after all others.
type tail struct {
	closed bool // nothing can be told
	placed bool // some pod was placed

	share float64 // the least of those pods
	shape string  // of those with the least share; empty: of several
}

func tailOf(descending []guest) (t tail) {
	for _, g := range descending {
		shape := g.request.Shape()
		switch {
		case !t.placed || g.share < t.share:
			t = tail{placed: true, share: g.share, shape: shape}
		case shape != t.shape:
			t.shape = ""
		}
	}
	return t
}

// takes says whether a pod comes after those that were placed, whatever its name: last, or between pods of its own kind.
func (t *tail) takes(share float64, shape string) bool {
	return shape != "" && (!t.placed || share < t.share || share == t.share && shape == t.shape)
}
