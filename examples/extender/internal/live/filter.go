package live

import (
	"context"
	"errors"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	extenderv1 "k8s.io/kube-scheduler/extender/v1"

	"github.com/accelfit/accelfit/device"
	"github.com/accelfit/accelfit/usage"
	"github.com/accelfit/accelfit/vendors"
)

// Filter chooses the node of a pod, reserves its devices and writes them on the pod (spec core §14.2). The answer has one node,
// in the form in which nodes came, and why the others do not serve: FailedAndUnresolvableNodes where evicting pods would not
// help. A pod that asks for no device gets back all nodes. Nodes are judged as the cluster has them, also when the call brings
// objects. Error is set for a call that makes no sense, when the scheduler is not ready, when the pod is bound, and when the API
// server does not take the placement in time: nothing is then reserved.
func (s *Scheduler) Filter(ctx context.Context, args *extenderv1.ExtenderArgs) *extenderv1.ExtenderFilterResult {
	ctx, cancel := context.WithTimeout(ctx, s.o.Timeout)
	defer cancel()
	result, err := s.filter(ctx, args)
	if err != nil {
		return &extenderv1.ExtenderFilterResult{Error: err.Error()}
	}
	return result
}

func (s *Scheduler) filter(ctx context.Context, args *extenderv1.ExtenderArgs) (*extenderv1.ExtenderFilterResult, error) {
	in, err := candidatesOf(args)
	if err != nil {
		return nil, err
	}
	if r, err := s.set.Request(args.Pod); err == nil && r.Empty() {
		return in.only(in.names...), nil
	}
	if args.Pod.UID == "" {
		return nil, errors.New("extender args: pod has no uid")
	}
	if err := s.wait(ctx); err != nil {
		return nil, err
	}
	pod, err := s.state.begin(args.Pod)
	if err != nil {
		return nil, err
	}
	var written *corev1.Pod
	defer func() { s.report("pod "+keyOf(pod), s.state.land(keyOf(pod), written)) }()
	if pod.Spec.NodeName != "" {
		return nil, fmt.Errorf("pod %s/%s is bound to node %s already", pod.Namespace, pod.Name, pod.Spec.NodeName)
	}
	r, err := s.set.Request(pod)
	if err != nil {
		return in.invalid(pod, err)
	}
	c := s.place(r, in.names)
	s.judged.add(c)
	if c.node == "" {
		written, err = s.withdraw(ctx, pod)
		s.tellRefused(pod, c)
		return in.refused(c), err
	}
	if written, err = s.write(ctx, pod, c); err != nil {
		s.state.drop(keyOf(pod))
		return nil, err
	}
	s.tellPlaced(pod, c)
	return in.placed(c), nil
}

// place decides and reserves. What the pod held before no longer counts.
func (s *Scheduler) place(r *vendors.Request, names []string) choice {
	s.deciding.Lock()
	defer s.deciding.Unlock()
	h := usage.Holding{Namespace: r.Namespace, Name: r.Name, UID: r.UID}
	s.state.drop(h.Key())
	for {
		v := s.state.view(names, r.Namespace, "")
		c := s.choose(r.WithQuota(v.headroom), v)
		if c.node == "" || s.state.reserve(usage.Of(r, c.node, c.fit.Allocation), c.usage, v.headroom) {
			return c
		}
	}
}

// write writes a placement on its pod. A scheduler that is not ready any more must not: another may lead.
func (s *Scheduler) write(ctx context.Context, pod *corev1.Pod, c choice) (*corev1.Pod, error) {
	if err := s.Ready(); err != nil {
		return nil, err
	}
	annotations := s.set.Annotations(pod, c.usage.Info(), c.fit.Allocation, s.o.Now())
	return s.patchPod(ctx, pod, placement(s.set, pod, c.node, annotations))
}

// withdraw takes an earlier placement off a pod that fits nowhere, so that no restart finds it.
func (s *Scheduler) withdraw(ctx context.Context, pod *corev1.Pod) (*corev1.Pod, error) {
	p := withdrawal(s.set, pod)
	if p == nil {
		return nil, nil
	}
	return s.patchPod(ctx, pod, p)
}

// candidates are the nodes of a call, in the form in which they came.
type candidates struct {
	names   []string
	objects *corev1.NodeList // nil: names came
}

// candidatesOf reads a call: a pod, and either names or objects.
func candidatesOf(args *extenderv1.ExtenderArgs) (candidates, error) {
	switch {
	case args == nil || args.Pod == nil:
		return candidates{}, errors.New("extender args missing pod")
	case args.Nodes == nil && args.NodeNames == nil:
		return candidates{}, errors.New("extender args missing nodes") // deviation D20
	case args.Nodes != nil && args.NodeNames != nil:
		return candidates{}, errors.New("extender args have both nodes and node names")
	case args.NodeNames != nil:
		return candidates{names: *args.NodeNames}, nil
	}
	c := candidates{objects: args.Nodes, names: make([]string, len(args.Nodes.Items))}
	for i := range args.Nodes.Items {
		c.names[i] = args.Nodes.Items[i].Name
	}
	return c, nil
}

// only is the answer with the named nodes.
func (c candidates) only(names ...string) *extenderv1.ExtenderFilterResult {
	if c.objects == nil {
		return &extenderv1.ExtenderFilterResult{NodeNames: &names}
	}
	wanted := map[string]bool{}
	for _, n := range names {
		wanted[n] = true
	}
	list := &corev1.NodeList{}
	for i := range c.objects.Items {
		if wanted[c.objects.Items[i].Name] {
			list.Items = append(list.Items, c.objects.Items[i])
		}
	}
	return &extenderv1.ExtenderFilterResult{Nodes: list}
}

// placed is the answer of a choice that was made.
func (c candidates) placed(made choice) *extenderv1.ExtenderFilterResult {
	result := c.only(made.node)
	result.FailedNodes, result.FailedAndUnresolvableNodes = made.failed, made.hopeless // deviation D19
	return result
}

// refused is the answer where no node serves.
func (c candidates) refused(made choice) *extenderv1.ExtenderFilterResult {
	return &extenderv1.ExtenderFilterResult{FailedNodes: made.failed, FailedAndUnresolvableNodes: made.hopeless}
}

// invalid is the answer for a request that can never be served: that of every node (deviation D11), but for weights that cannot
// be read, which are an error (spec core §18.9).
func (c candidates) invalid(pod *corev1.Pod, err error) (*extenderv1.ExtenderFilterResult, error) {
	var bad *device.RequestError
	if errors.As(err, &bad) && bad.Key == device.AnnotationWeights {
		return nil, fmt.Errorf("calcScore failed %w for pod %s", err, pod.Name)
	}
	failed := extenderv1.FailedNodesMap{}
	for _, n := range c.names {
		failed[n] = err.Error()
	}
	return &extenderv1.ExtenderFilterResult{FailedAndUnresolvableNodes: failed}, nil
}
