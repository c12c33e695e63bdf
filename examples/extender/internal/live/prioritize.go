package live

import (
	"context"

	extenderv1 "k8s.io/kube-scheduler/extender/v1"

	"github.com/accelfit/accelfit/score"
)

// Prioritize ranks nodes for a pod, from 0 to extenderv1.MaxExtenderPriority, as its node policy does (spec core §10): the best
// gets most. What the pod itself has reserved does not count; nodes that do not serve get 0, and so do all nodes for a pod that
// asks for no device. The error is a call that makes no sense, a request that cannot be served anywhere, or that the scheduler
// is not ready.
func (s *Scheduler) Prioritize(ctx context.Context, args *extenderv1.ExtenderArgs) (extenderv1.HostPriorityList, error) {
	in, err := candidatesOf(args)
	if err != nil {
		return nil, err
	}
	list := make(extenderv1.HostPriorityList, len(in.names))
	for i, name := range in.names {
		list[i].Host = name
	}
	pod := s.state.known(args.Pod)
	r, err := s.set.Request(pod)
	if err != nil {
		return nil, err
	}
	if r.Empty() {
		return list, nil
	}
	ctx, cancel := context.WithTimeout(ctx, s.o.Timeout)
	defer cancel()
	if err := s.wait(ctx); err != nil {
		return nil, err
	}
	v := s.state.view(in.names, r.Namespace, keyOf(pod))
	serving := s.choose(r.WithQuota(v.headroom), v).serving
	scores := make([]float32, len(serving))
	for i, n := range serving {
		scores[i] = n.Score
	}
	priorities := map[string]int64{}
	for i, p := range score.Normalize(r.NodePolicy, scores) {
		priorities[serving[i].Name] = p * extenderv1.MaxExtenderPriority / 100
	}
	for i := range list {
		list[i].Score = priorities[list[i].Host]
	}
	return list, nil
}
