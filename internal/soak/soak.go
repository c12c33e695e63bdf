// Package soak has many goroutines work with what they may share, and compares every answer with what one alone is told.
package soak

import (
	"fmt"
	"sync"
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/accelfit/accelfit/device"
	"github.com/accelfit/accelfit/simulate"
	"github.com/accelfit/accelfit/vendors"
)

// What a round is.
const (
	Goroutines = 8
	Operations = 96 // of each goroutine

	mostRunning = 6 // pods on a machine at first
)

// Machine is a node with devices of one backend, and pods that ask for them.
type Machine struct {
	Backend device.Backend
	Node    *corev1.Node
	Pods    []*corev1.Pod

	running  []*corev1.Pod
	usage    *device.NodeUsage
	requests []*vendors.Request // of the pods that ask for what is possible
	asking   []*corev1.Pod      // those
}

// World is what the goroutines share.
type World struct {
	set      *vendors.Set
	machines []Machine
	snapshot *simulate.Snapshot
}

// NewWorld makes a world of machines, with some of the pods running on each. Equal machines make equal worlds.
func NewWorld(set *vendors.Set, machines []Machine) (*World, error) {
	w := &World{set: set, machines: machines}
	var nodes []*corev1.Node
	var running []*corev1.Pod
	for i := range machines {
		m := &machines[i]
		m.fill(set)
		if m.usage.Info().Len() == 0 || len(m.requests) == 0 {
			return nil, fmt.Errorf("node %s: no devices, or nobody who asks for them", m.Node.Name)
		}
		nodes, running = append(nodes, m.Node), append(running, m.running...)
	}
	var problems []device.Problem
	if w.snapshot, problems = simulate.New(set, nodes, running); len(problems) > 0 {
		return nil, problems[0]
	}
	return w, nil
}

// fill parses the pods, and runs those that fit.
func (m *Machine) fill(set *vendors.Set) {
	m.usage = device.NewNodeUsage(set.Inventory(m.Node))
	for _, pod := range m.Pods {
		if request, err := set.Request(pod); err == nil {
			m.requests, m.asking = append(m.requests, request), append(m.asking, pod)
		}
	}
	for i := range 2 * len(m.requests) {
		pod, request := m.asking[i/2], m.requests[i/2]
		if fit := set.Fit(request, m.usage); fit.OK() && len(m.running) < mostRunning {
			copied := pod.DeepCopy()
			copied.Name = fmt.Sprintf("%s-running-%d", pod.Name, i)
			copied.Annotations = set.Annotations(pod, m.usage.Info(), fit.Allocation, time.Time{})
			m.running = append(m.running, copied)
			m.usage = m.usage.With(fit.Allocation)
		}
	}
}

// Round has all goroutines work at the same time, and then the same done by one after the other, each in a world of its own.
// The error tells the first answer that differs.
func (w *World) Round(seed, round uint64, another func() (*World, error)) error {
	answers := make([][]answer, Goroutines)
	var all sync.WaitGroup
	for g := range answers {
		one := w.worker(seed, round, g) // here: a snapshot is forked by one goroutine at a time
		all.Go(func() { answers[g] = one.work() })
	}
	all.Wait()
	for g := range answers {
		own, err := another()
		if err != nil {
			return err
		}
		for i, alone := range own.worker(seed, round, g).work() {
			if together := answers[g][i]; together != alone {
				return fmt.Errorf("seed %d, round %d, goroutine %d, operation %d:\ntogether %v\nalone    %v", seed, round, g, i, together, alone)
			}
		}
	}
	return nil
}
