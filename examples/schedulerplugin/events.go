package schedulerplugin

import (
	"context"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/klog/v2"
	fwk "k8s.io/kube-scheduler/framework"

	"github.com/accelfit/accelfit/device"
	"github.com/accelfit/accelfit/usage"
)

// resourceQuotas names resource quotas as the scheduling framework does resources that it does not know.
const resourceQuotas fwk.EventResource = "resourcequotas.v1."

// EventsToRegister lists after what a pod that was refused is worth another try: a node registered other devices on which it fits
// when empty, a pod with devices of the same vendors is gone or lets go of some, the pod itself changed, a quota of its
// namespace changed.
func (p *Plugin) EventsToRegister(context.Context) ([]fwk.ClusterEventWithHint, error) {
	on := func(r fwk.EventResource, a fwk.ActionType, hint fwk.QueueingHintFn) fwk.ClusterEventWithHint {
		return fwk.ClusterEventWithHint{Event: fwk.ClusterEvent{Resource: r, ActionType: a}, QueueingHintFn: hint}
	}
	events := []fwk.ClusterEventWithHint{
		on(fwk.Node, fwk.Add|fwk.UpdateNodeAnnotation|fwk.UpdateNodeAllocatable|fwk.UpdateNodeLabel, p.afterNode),
		on(fwk.AssignedPod, fwk.Delete|fwk.Update, p.afterPod),
		on(fwk.TargetPod, fwk.Update, nil),
	}
	if p.tenants != nil {
		events = append(events, on(resourceQuotas, fwk.Add|fwk.Update|fwk.Delete, p.afterQuota))
	}
	return events, nil
}

// afterNode: a node that describes its devices as it did before is of no help, nor is one on which the pod would not fit if it
// were empty.
func (p *Plugin) afterNode(_ klog.Logger, pod *corev1.Pod, before, after any) (fwk.QueueingHint, error) {
	node, ok := after.(*corev1.Node)
	if !ok {
		return fwk.Queue, fmt.Errorf("want a node, have %T", after)
	}
	if old, ok := before.(*corev1.Node); ok && p.describesSame(old, node) {
		return fwk.QueueSkip, nil
	}
	r, err := p.request(pod)
	if err != nil {
		return fwk.QueueSkip, nil // no node helps
	}
	info, _ := p.options.describe(p.set, node)
	if p.set.Fit(r, device.NewNodeUsage(info)).OK() {
		return fwk.Queue, nil
	}
	return fwk.QueueSkip, nil
}

// describesSame says whether two forms of a node describe the same devices: handshakes and locks, which change all the time, are
// no part of it.
func (p *Plugin) describesSame(a, b *corev1.Node) bool {
	plain := func(node *corev1.Node) *facts {
		f := factsOf(node)
		delete(f.annotations, device.AnnotationLock)
		for _, backend := range p.set.Backends() {
			delete(f.annotations, backend.Names().Handshake)
			delete(f.annotations, backend.Names().Lock)
		}
		return &f
	}
	return plain(a).equal(plain(b))
}

// afterPod: of the pods on nodes those help that go, or whose init containers have ended, if they held devices of a vendor that
// the waiting pod asks for.
func (p *Plugin) afterPod(_ klog.Logger, pod *corev1.Pod, before, after any) (fwk.QueueingHint, error) {
	old, ok := before.(*corev1.Pod)
	if !ok {
		return fwk.Queue, fmt.Errorf("want a pod, have %T", before)
	}
	if now, ok := after.(*corev1.Pod); ok && !p.letGo(old, now) {
		return fwk.QueueSkip, nil
	}
	r, err := p.request(pod)
	if err != nil {
		return fwk.QueueSkip, nil
	}
	asked := vendorsOf(r)
	held, _, _ := usage.Read(p.set, old)
	if held.Allocation != nil {
		for _, d := range held.Allocation.Devices {
			if asked[d.Vendor] {
				return fwk.Queue, nil
			}
		}
	}
	theirs, err := p.request(old)
	if err != nil {
		return fwk.QueueSkip, nil
	}
	for v := range vendorsOf(theirs) {
		if asked[v] {
			return fwk.Queue, nil
		}
	}
	return fwk.QueueSkip, nil
}

// letGo says whether a pod that is still there holds less than before.
func (p *Plugin) letGo(before, after *corev1.Pod) bool {
	was, had, _ := usage.Read(p.set, before)
	is, has, _ := usage.Read(p.set, after)
	return had && (!has || is.Released && !was.Released)
}

func (p *Plugin) afterQuota(_ klog.Logger, pod *corev1.Pod, before, after any) (fwk.QueueingHint, error) {
	object := after
	if object == nil {
		object = before
	}
	q, err := meta.Accessor(object)
	if err != nil {
		return fwk.Queue, err
	}
	if q.GetNamespace() == pod.Namespace {
		return fwk.Queue, nil
	}
	return fwk.QueueSkip, nil
}
