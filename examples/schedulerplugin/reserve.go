package schedulerplugin

import (
	"context"
	"errors"
	"fmt"
	"slices"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/klog/v2"
	fwk "k8s.io/kube-scheduler/framework"

	"github.com/accelfit/accelfit/device"
	"github.com/accelfit/accelfit/usage"
	"github.com/accelfit/accelfit/vendors"
)

// Reserve books the devices that Filter found for the pod on a node: all of them, or none. From then on the pod holds them on every
// node of that name that the framework hands in, until Unreserve, or until the pod is gone. The status wraps [usage.ErrHeld] for a
// pod that holds devices already.
func (p *Plugin) Reserve(ctx context.Context, state fwk.CycleState, pod *corev1.Pod, nodeName string) *fwk.Status {
	c, err := cycleOf(state)
	if errors.Is(err, errNoCycle) {
		return nil // no devices
	}
	if err != nil {
		return fwk.AsStatus(err)
	}
	node, err := p.handle.SnapshotSharedLister().NodeInfos().Get(nodeName)
	if err != nil {
		return fwk.AsStatus(err)
	}
	if node.Node() == nil {
		return fwk.AsStatus(fmt.Errorf("%s: node %s has no object", Name, nodeName))
	}
	if _, held := p.book.get(keyOf(pod)); held {
		return fwk.AsStatus(fmt.Errorf("pod %s/%s: %w", pod.Namespace, pod.Name, usage.ErrHeld))
	}
	h, fit := p.take(c, p.stateWithout(ctx, node, pod))
	if !fit.OK() {
		return fwk.NewStatus(fwk.Unschedulable, fit.Reasons.Detail())
	}
	if err := p.book.reserve(h); err != nil {
		return fwk.AsStatus(err)
	}
	klog.FromContext(ctx).V(4).Info("Reserved devices", "pod", klog.KObj(pod), "node", nodeName, "devices", len(h.Allocation.Devices))
	return nil
}

// take is what the pod of a cycle gets of a node, charged to its namespace.
func (p *Plugin) take(c *cycle, s *state) (h usage.Holding, fit vendors.Fit) {
	name := s.of.info.Name()
	if p.tenants == nil {
		if fit = s.answer(p.set, c.plain).fit; fit.OK() {
			h = usage.Of(c.plain, name, fit.Allocation)
		}
		return h, fit
	}
	h, _ = p.tenants.reserve(c.plain.Namespace, s.of.info, func(headroom map[device.Vendor]device.Headroom) (usage.Holding, bool) {
		if headroom == nil {
			fit = s.answer(p.set, c.plain).fit
		} else {
			fit = p.set.Fit(c.plain.WithQuota(headroom), s.Usage)
		}
		if !fit.OK() {
			return usage.Holding{}, false
		}
		return usage.Of(c.plain, name, fit.Allocation), true
	})
	return h, fit
}

// stateWithout is the state of a node as if the pod were not on it: hosts may have put it there before they reserve.
func (p *Plugin) stateWithout(ctx context.Context, node fwk.NodeInfo, pod *corev1.Pod) *state {
	s := p.state(ctx, node, node.Node())
	key := keyOf(pod)
	same := func(other *corev1.Pod) bool { return keyOf(other) == key }
	if !slices.ContainsFunc(s.pods, same) {
		return s
	}
	return p.replayed(s.of, slices.DeleteFunc(slices.Clone(s.pods), same))
}

// Unreserve gives back what Reserve has booked. Where PreBind has begun, it releases the locks and says on the pod that binding
// failed (deviation D26), unless the pod is bound all the same. Calling it again does nothing.
func (p *Plugin) Unreserve(ctx context.Context, _ fwk.CycleState, pod *corev1.Pod, nodeName string) {
	e, ok := p.book.drop(keyOf(pod))
	if !ok {
		return
	}
	if p.tenants != nil && p.tenants.release(keyOf(pod)) {
		p.wake(pod.Namespace)
	}
	if err := p.rollBack(ctx, pod, e); err != nil {
		klog.FromContext(ctx).Error(err, "Cannot take back what was written before binding", "pod", klog.KObj(pod), "node", nodeName)
	}
}

// charge is what AddPod and RemovePod do to the quota of the cycle's namespace.
func (p *Plugin) charge(
	state fwk.CycleState, pod *corev1.Pod, node fwk.NodeInfo,
	op func(usage.Quotas, string, *device.Allocation, *device.NodeInfo) usage.Quotas,
) *fwk.Status {
	c, err := cycleOf(state)
	if err != nil || !c.limited || pod.Namespace != c.plain.Namespace || node.Node() == nil {
		return nil
	}
	h, ok := p.book.held(pod)
	if !ok {
		if h, ok, _ = usage.Read(p.set, pod); !ok {
			return nil
		}
	}
	info, _ := p.options.describe(p.set, node.Node())
	c.limit(op(c.quotas, pod.Namespace, h.Allocation, info))
	return nil
}
