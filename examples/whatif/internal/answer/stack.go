package answer

import (
	corev1 "k8s.io/api/core/v1"

	"github.com/accelfit/accelfit/examples/whatif/internal/nondevice"
	"github.com/accelfit/accelfit/simulate"
)

// stack places pods on a fork of the world, devices and everything else alike.
type stack struct {
	w        *World
	snapshot *simulate.Snapshot
	taken    map[string]nondevice.Taken // of nodes that changed
}

func (w *World) stack() *stack {
	return &stack{w: w, snapshot: w.snapshot.Fork(), taken: map[string]nondevice.Taken{}}
}

func (s *stack) on(node string) nondevice.Taken {
	if t, changed := s.taken[node]; changed {
		return t
	}
	return s.w.taken[node]
}

// lift takes a pod off the node it is on, so that it does not stand in its own way.
func (s *stack) lift(pod *corev1.Pod) {
	node := s.w.nodeOf(pod)
	if node == "" {
		return
	}
	s.taken[node] = s.w.rules.Minus(s.on(node), pod)
	if _, holds := s.snapshot.PlacedOn(podKey(pod)); holds {
		_ = s.snapshot.Remove(podKey(pod)) // it holds, so it can be removed
	}
}

// allow judges what is not a device.
func (s *stack) allow(pod *corev1.Pod, node *corev1.Node) error {
	if found := s.w.rules.Broken(pod, node, s.on(node.Name)); len(found) > 0 {
		return found
	}
	return nil
}

// placed counts a pod on the node where it was placed.
func (s *stack) placed(pod *corev1.Pod, node *corev1.Node) {
	s.taken[node.Name] = s.w.rules.Plus(s.on(node.Name), pod)
}
