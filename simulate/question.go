package simulate

import (
	corev1 "k8s.io/api/core/v1"

	"github.com/accelfit/accelfit/device"
	"github.com/accelfit/accelfit/vendors"
)

// Change is what a question has put on a node and taken off it so far. The slices are read-only, and valid during the call.
type Change struct {
	Added, Removed []*corev1.Pod
}

// AllowFunc says why a node must not take a pod beside what is on it in the snapshot and what has changed since, or nil:
// everything that is not a device. It must be pure: questions put the same one about states that they give up again. Searches
// take it that a pod which is refused beside some pods is refused beside more as well. Where that is not so (a pod that wants
// to be with another), a way may not be found; what is found holds all the same.
type AllowFunc func(pod *corev1.Pod, node *corev1.Node, since Change) error

// try evaluates a request on a usage that a node would have, and asks the caller about the rest.
func (s *Snapshot) try(r *vendors.Request, pod *corev1.Pod, n *node, u *device.NodeUsage, allow AllowFunc, since Change) (vendors.Fit, Refusal) {
	if allow != nil {
		if err := allow(pod, n.object, since); err != nil {
			return vendors.Fit{}, Refusal{Node: n.object.Name, Err: err}
		}
	}
	fit := s.set.Fit(r, u)
	if !fit.OK() {
		return fit, Refusal{Node: n.object.Name, Reasons: fit.Reasons}
	}
	return fit, Refusal{}
}
