package simulate

import (
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"

	corev1 "k8s.io/api/core/v1"

	"github.com/accelfit/accelfit/vendors"
)

// draft is a snapshot during a search, with what was changed on each node.
type draft struct {
	*Snapshot
	since map[string]Change
}

// without is the state with a pod taken off its node. The state before stays as it is.
func (s draft) without(x *moving) (draft, error) {
	next := draft{s.Fork(), maps.Clone(s.since)}
	if err := next.Remove(x.key); err != nil {
		return draft{}, err
	}
	c := s.since[x.from]
	c.Removed = append(slices.Clip(c.Removed), x.pod)
	next.since[x.from] = c
	return next, nil
}

// with is the state with a pod put on a node. The state before stays as it is.
func (s draft) with(r *vendors.Request, pod *corev1.Pod, name string, fit vendors.Fit) draft {
	next := draft{s.Fork(), maps.Clone(s.since)}
	next.commit(r, name, fit)
	c := s.since[name]
	c.Added = append(slices.Clip(c.Added), pod)
	next.since[name] = c
	return next
}

// settle finds places for all pods, trying every order and every node until one way is found or the tries are used up.
func (m *mover) settle(s draft, pods []*moving, own string) ([]Move, bool) {
	if len(pods) == 0 {
		return nil, true
	}
	for i, x := range pods {
		if i > 0 && m.options.Allow == nil && x.request.Shape() != "" && x.request.Shape() == pods[i-1].request.Shape() &&
			x.pod.Namespace == pods[i-1].pod.Namespace {
			continue // the same again
		}
		options := m.places(s, x, own)
		if len(options) == 0 {
			return nil, false // now or later
		}
		rest := slices.Delete(slices.Clone(pods), i, i+1)
		for _, p := range options {
			if m.left < 0 {
				return nil, false
			}
			moves, ok := m.settle(s.with(x.request, x.pod, p.node, p.fit), rest, own)
			if ok {
				return append([]Move{{Pod: x.pod, From: x.from, To: p.node, Allocation: p.fit.Allocation}}, moves...), true
			}
		}
	}
	return nil, false
}

// replay does what was found from the beginning, on a fork of a state: the moves in their order. The error says what does not
// come out as found.
func (m *mover) replay(from draft, moves []Move) error {
	s := draft{from.Fork(), maps.Clone(from.since)}
	for _, move := range moves {
		object := s.Object(move.To)
		if object == nil {
			return fmt.Errorf("node %s: %w", move.To, ErrNoNode)
		}
		if m.options.Allow != nil {
			if err := m.options.Allow(move.Pod, object, s.since[move.To]); err != nil {
				return err
			}
		}
		result, err := s.PlaceWith(move.Pod, move.To, m.options.Fit)
		switch {
		case err != nil:
			return err
		case !result.OK():
			return errors.New(result.Refused[0].String())
		case !reflect.DeepEqual(result.Allocation, move.Allocation):
			return fmt.Errorf("pod %s/%s gets other devices on %s", move.Pod.Namespace, move.Pod.Name, move.To)
		}
		c := s.since[move.To]
		c.Added = append(slices.Clip(c.Added), move.Pod)
		s.since[move.To] = c
	}
	return nil
}
