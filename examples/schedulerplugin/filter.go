package schedulerplugin

import (
	"context"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	fwk "k8s.io/kube-scheduler/framework"

	"github.com/accelfit/accelfit/usage"
)

// PreFilter reads what a pod asks for, once for all nodes. A pod that asks for no device is not looked at again in this cycle; one
// that asks for the impossible is UnschedulableAndUnresolvable, with a [*device.RequestError] as its error.
func (p *Plugin) PreFilter(
	_ context.Context, state fwk.CycleState, pod *corev1.Pod, nodes []fwk.NodeInfo,
) (*fwk.PreFilterResult, *fwk.Status) {
	r, err := p.request(pod)
	if err != nil {
		return nil, fwk.NewStatus(fwk.UnschedulableAndUnresolvable).WithError(err)
	}
	if r.Empty() {
		return nil, fwk.NewStatus(fwk.Skip)
	}
	p.states.expect(len(nodes))
	c := &cycle{plain: r.For(pod)}
	if p.tenants == nil {
		c.limit(usage.Quotas{})
	} else {
		c.limit(p.tenants.quotas())
	}
	state.Write(Name, c)
	return nil, nil
}

// PreFilterExtensions implements fwk.PreFilterPlugin.
func (p *Plugin) PreFilterExtensions() fwk.PreFilterExtensions { return p }

// AddPod takes what a pod holds off the quota of the namespace, within the cycle. The devices follow from the node that Filter is
// handed, which has the pod.
func (p *Plugin) AddPod(
	_ context.Context, state fwk.CycleState, _ *corev1.Pod, added fwk.PodInfo, node fwk.NodeInfo,
) *fwk.Status {
	return p.charge(state, added.GetPod(), node, usage.Quotas.Take)
}

// RemovePod gives what a pod holds back to the quota of the namespace, within the cycle.
func (p *Plugin) RemovePod(
	_ context.Context, state fwk.CycleState, _ *corev1.Pod, removed fwk.PodInfo, node fwk.NodeInfo,
) *fwk.Status {
	return p.charge(state, removed.GetPod(), node, usage.Quotas.Give)
}

// Filter says whether the devices of a node serve the pod: Unschedulable with counted reasons in the reference's words (spec
// core §11), UnschedulableAndUnresolvable where they would not if nothing ran on the node. Cost: for a state of the node and a
// shape of pods that were seen before none to speak of; else one fit, and for a new state what led to it.
func (p *Plugin) Filter(ctx context.Context, state fwk.CycleState, _ *corev1.Pod, node fwk.NodeInfo) *fwk.Status {
	c, err := cycleOf(state)
	if err != nil {
		return fwk.AsStatus(err)
	}
	object := node.Node()
	if object == nil {
		return fwk.AsStatus(fmt.Errorf("%s: the node has no object", Name))
	}
	s := p.state(ctx, node, object)
	if !c.limited {
		a := s.answer(p.set, c.plain)
		if a.status == nil {
			return nil
		}
		return p.statuses.copyOf(a.status)
	}
	fit := p.set.Fit(c.request, s.Usage)
	if fit.OK() {
		return nil
	}
	return s.refusal(p.set, c.plain, &fit.Reasons)
}

// SignPod tells pods apart that ask for different devices. One under a quota is not signed: what another pod was answered does
// not hold for it.
func (p *Plugin) SignPod(_ context.Context, pod *corev1.Pod) ([]fwk.SignFragment, *fwk.Status) {
	r, err := p.request(pod)
	if err != nil {
		return nil, fwk.NewStatus(fwk.Unschedulable).WithError(err)
	}
	if p.tenants != nil && !r.Empty() && p.tenants.quotas().Headroom(pod.Namespace) != nil {
		return nil, fwk.NewStatus(fwk.Unschedulable, "the namespace has quotas of devices")
	}
	return []fwk.SignFragment{{Key: Name, Value: r.Shape()}}, nil
}
