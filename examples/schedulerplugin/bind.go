package schedulerplugin

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/types"
	fwk "k8s.io/kube-scheduler/framework"

	"github.com/accelfit/accelfit/device"
	"github.com/accelfit/accelfit/examples/nodelock"
	"github.com/accelfit/accelfit/simulate"
	"github.com/accelfit/accelfit/vendors"
)

// ErrChanged is wrapped by the status of PreBind where the devices that were reserved went, or were taken by somebody else, while
// the pod was on its way. The scheduler then tries the pod again.
var ErrChanged = errors.New("devices changed since they were reserved")

// rollback bounds what is done after a bind that failed, also when the caller has gone.
const rollback = 5 * time.Second

// PreBindPreFlight says that nothing is to be done for pods without devices.
func (p *Plugin) PreBindPreFlight(
	_ context.Context, state fwk.CycleState, _ *corev1.Pod, _ string,
) (*fwk.PreBindPreFlightResult, *fwk.Status) {
	if _, err := cycleOf(state); err != nil {
		return nil, fwk.NewStatus(fwk.Skip)
	}
	return &fwk.PreBindPreFlightResult{}, nil
}

// PreBind makes a pod ready for its node (spec core §14.2 step 9, §14.4): it takes the locks of the node that the pod's vendors
// have, finds out whether the devices are still free, and writes the allocation on the pod with the bind phase "allocating".
// The locks stay when it succeeds: the node agent releases them. Its status wraps what nodelock says, [ErrChanged], or what the
// API server says; Unreserve then takes back what was done.
func (p *Plugin) PreBind(ctx context.Context, state fwk.CycleState, pod *corev1.Pod, nodeName string) *fwk.Status {
	c, err := cycleOf(state)
	if err != nil {
		return fwk.AsStatus(err)
	}
	if p.handle.ClientSet() == nil {
		return fwk.AsStatus(fmt.Errorf("%s: the host has no client", Name))
	}
	e, ok := p.book.get(keyOf(pod))
	if !ok || e.holding.Node != nodeName {
		return fwk.AsStatus(fmt.Errorf("%s: pod %s/%s has no devices reserved on node %s", Name, pod.Namespace, pod.Name, nodeName))
	}
	if err := p.prepare(ctx, c.plain, pod, e); err != nil {
		return fwk.AsStatus(err)
	}
	return nil
}

// prepare is PreBind.
func (p *Plugin) prepare(ctx context.Context, r *vendors.Request, pod *corev1.Pod, e entry) error {
	node := e.holding.Node
	if !p.lock.Disabled {
		keys, err := nodelock.Keys(p.set, pod)
		if err != nil {
			return err
		}
		p.book.note(keyOf(pod), func(e *entry) { e.lock = keys })
		if err := p.locker().Take(ctx, node, pod, keys); err != nil {
			return err
		}
	}
	info, err := p.check(ctx, r, pod, e.holding.Allocation, node)
	if err != nil {
		return err
	}
	now := p.now()
	annotations := p.set.Annotations(pod, info, e.holding.Allocation, now)
	p.book.note(keyOf(pod), func(e *entry) { e.written = p.telling(annotations) })
	annotations[device.AnnotationBindPhase] = device.BindAllocating
	annotations[device.AnnotationBindTime] = strconv.FormatInt(now.Unix(), 10)
	return p.patch(ctx, pod, placement(p.set, pod, node, annotations))
}

// telling are those of the annotations that a holding is read back from.
func (p *Plugin) telling(annotations map[string]string) map[string]string {
	out := map[string]string{device.AnnotationNode: annotations[device.AnnotationNode]}
	for _, b := range p.set.Backends() {
		if text, ok := annotations[b.Names().Allocated]; ok {
			out[b.Names().Allocated] = text
		}
	}
	return out
}

// check finds out whether what was reserved is still there, and under the lock of the node, whether it is still free. It returns
// the node as it is now.
func (p *Plugin) check(
	ctx context.Context, r *vendors.Request, pod *corev1.Pod, a *device.Allocation, name string,
) (*device.NodeInfo, error) {
	node, err := p.node(ctx, name)
	if err != nil {
		return nil, err
	}
	info, _ := p.options.describe(p.set, node)
	for _, d := range a.Devices {
		if info.Find(d.Vendor, d.ID) < 0 {
			return nil, fmt.Errorf("node %s: %s device %s is gone: %w", name, d.Vendor, d.ID, ErrChanged)
		}
	}
	if p.lock.Disabled {
		return info, nil
	}
	others, err := p.bound(ctx, name, pod)
	if err != nil {
		return nil, err
	}
	u := simulate.Replay(p.set, info, others, simulate.ReplayOptions{}).Usage
	if why := conflict(p.set, r, u, a); why != "" {
		return nil, fmt.Errorf("node %s: %s: %w", name, why, ErrChanged)
	}
	return info, nil
}

// node reads a node: from the API server under its lock, else from the host's informer if there is one.
func (p *Plugin) node(ctx context.Context, name string) (*corev1.Node, error) {
	if f := p.informers(); f != nil && p.lock.Disabled {
		return f.Core().V1().Nodes().Lister().Get(name)
	}
	return p.handle.ClientSet().CoreV1().Nodes().Get(ctx, name, metav1.GetOptions{})
}

// bound reads the pods on a node but for one. Under the lock no other scheduler that takes it has a pod on its way there.
func (p *Plugin) bound(ctx context.Context, node string, but *corev1.Pod) (pods []*corev1.Pod, err error) {
	list, err := p.handle.ClientSet().CoreV1().Pods(metav1.NamespaceAll).List(ctx, metav1.ListOptions{
		FieldSelector: fields.OneTermEqualSelector("spec.nodeName", node).String(),
	})
	if err != nil {
		return nil, fmt.Errorf("pods on node %s: %w", node, err)
	}
	for i := range list.Items {
		if pod := &list.Items[i]; pod.Spec.NodeName == node && pod.UID != but.UID {
			pods = append(pods, pod)
		}
	}
	return pods, nil
}

// conflict says why an allocation is not to be had any more in a state of the node; empty: it is.
func conflict(set *vendors.Set, r *vendors.Request, u *device.NodeUsage, a *device.Allocation) string {
	type ref struct {
		vendor device.Vendor
		id     string
	}
	mine, instances := map[ref]bool{}, false
	for _, d := range a.Devices {
		mine[ref{d.Vendor, d.ID}] = true
		instances = instances || d.MIG != device.MIGInstance{}
	}
	fit := set.Fit(r.With(vendors.FitOptions{Only: func(_ *device.NodeInfo, d *device.DeviceInfo) bool {
		return mine[ref{d.Vendor, d.ID}]
	}}), u)
	if !fit.OK() {
		return fit.Reasons.Detail()
	}
	if instances && !sameDevices(fit.Allocation, a) {
		return "other instances are free"
	}
	after := u.With(a)
	for i := range after.Devices() {
		has, taken := after.Info().Device(i), after.Device(i)
		if mine[ref{has.Vendor, has.ID}] && (taken.Slots > has.Slots || taken.Memory > has.Memory) {
			return fmt.Sprintf("%s device %s is taken", has.Vendor, has.ID)
		}
	}
	return ""
}

func sameDevices(a, b *device.Allocation) bool {
	if len(a.Devices) != len(b.Devices) {
		return false
	}
	for i := range a.Devices {
		if a.Devices[i] != b.Devices[i] {
			return false
		}
	}
	return true
}

// rollBack undoes what PreBind did for a pod that is not bound.
func (p *Plugin) rollBack(ctx context.Context, pod *corev1.Pod, e entry) error {
	if e.lock == nil && e.written == nil {
		return nil
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), rollback)
	defer cancel()
	now, err := p.handle.ClientSet().CoreV1().Pods(pod.Namespace).Get(ctx, pod.Name, metav1.GetOptions{})
	gone := apierrors.IsNotFound(err) || err == nil && now.UID != pod.UID
	switch {
	case gone:
	case err != nil:
		return err
	case now.Spec.NodeName != "":
		return nil // bound: whatever the scheduler was told, the devices are the pod's
	}
	var errs []error
	if e.written != nil && !gone {
		errs = append(errs, p.patch(ctx, now, phase(device.BindFailed)))
	}
	if e.lock != nil {
		errs = append(errs, p.locker().Release(ctx, e.holding.Node, pod, e.lock))
	}
	return errors.Join(errs...)
}

// change is a change of a pod's metadata; keys without a value are removed.
type change struct {
	UID         types.UID          `json:"uid,omitempty"` // the API server refuses to change another pod of the name
	Annotations map[string]*string `json:"annotations,omitempty"`
	Labels      map[string]*string `json:"labels,omitempty"`
}

// placement is the change that writes where a pod is placed, and removes what an earlier placement left (spec core §2.6, §14.2).
func placement(set *vendors.Set, pod *corev1.Pod, node string, written map[string]string) change {
	c := change{Annotations: map[string]*string{}, Labels: map[string]*string{}}
	for key, value := range written {
		c.Annotations[key] = &value
	}
	for _, key := range set.Stale(pod, written) {
		c.Annotations[key] = nil
	}
	key, value, ok := vendors.NodeLabel(node)
	c.Labels[key] = nil
	if ok {
		c.Labels[key] = &value
	}
	return c
}

func phase(name string) change {
	return change{Annotations: map[string]*string{device.AnnotationBindPhase: &name}}
}

func (p *Plugin) patch(ctx context.Context, pod *corev1.Pod, c change) error {
	c.UID = pod.UID
	text, err := json.Marshal(map[string]change{"metadata": c})
	if err != nil {
		return err
	}
	pods := p.handle.ClientSet().CoreV1().Pods(pod.Namespace)
	if _, err := pods.Patch(ctx, pod.Name, types.MergePatchType, text, metav1.PatchOptions{}); err != nil {
		return fmt.Errorf("patch pod %s/%s: %w", pod.Namespace, pod.Name, err)
	}
	return nil
}
