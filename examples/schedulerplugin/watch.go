package schedulerplugin

import (
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/tools/cache"
	"k8s.io/klog/v2"

	"github.com/accelfit/accelfit/device"
)

// watch has the host's informers tell of pods and quotas.
func (p *Plugin) watch() error {
	f := p.informers()
	if f == nil {
		return nil
	}
	f.Core().V1().Nodes().Lister() // registers the informer of nodes, for PreBind and for what quotas count
	pods := cache.ResourceEventHandlerFuncs{
		AddFunc:    func(o any) { p.onPod(o.(*corev1.Pod)) },
		UpdateFunc: func(before, after any) { p.onPodUpdate(before.(*corev1.Pod), after.(*corev1.Pod)) },
		DeleteFunc: func(o any) {
			if pod, ok := last(o).(*corev1.Pod); ok {
				p.onPodGone(pod)
			}
		},
	}
	if _, err := f.Core().V1().Pods().Informer().AddEventHandler(pods); err != nil {
		return err
	}
	if p.tenants == nil {
		return nil
	}
	_, err := f.Core().V1().ResourceQuotas().Informer().AddEventHandler(cache.ResourceEventHandlerFuncs{
		AddFunc:    func(o any) { p.onQuota(o.(*corev1.ResourceQuota), p.tenants.setQuota) },
		UpdateFunc: func(_, o any) { p.onQuota(o.(*corev1.ResourceQuota), p.tenants.setQuota) },
		DeleteFunc: func(o any) {
			if q, ok := last(o).(*corev1.ResourceQuota); ok {
				p.onQuota(q, p.tenants.deleteQuota)
			}
		},
	})
	return err
}

// informers are the host's; nil: it has none.
func (p *Plugin) informers() informers.SharedInformerFactory {
	if p.handle == nil {
		return nil
	}
	return p.handle.SharedInformerFactory()
}

// last is an object that is gone, as it was last seen.
func last(o any) any {
	if gone, ok := o.(cache.DeletedFinalStateUnknown); ok {
		return gone.Obj
	}
	return o
}

func (p *Plugin) onPod(pod *corev1.Pod) {
	if pod.Status.Phase == corev1.PodSucceeded || pod.Status.Phase == corev1.PodFailed {
		p.onPodGone(pod)
		return
	}
	if p.tenants != nil && p.tenants.observe(pod, p.described) {
		p.wake(pod.Namespace)
	}
}

// onPodUpdate takes in a pod that changed; one that was made anew under its name while nobody watched is another.
func (p *Plugin) onPodUpdate(before, after *corev1.Pod) {
	if keyOf(before) != keyOf(after) {
		p.onPodGone(before)
	}
	p.onPod(after)
}

func (p *Plugin) onPodGone(pod *corev1.Pod) {
	p.book.drop(keyOf(pod))
	if p.tenants != nil && p.tenants.release(keyOf(pod)) {
		p.wake(pod.Namespace)
	}
}

func (p *Plugin) onQuota(q *corev1.ResourceQuota, change func(*corev1.ResourceQuota)) {
	change(q)
	p.wake(q.Namespace)
}

// described is what informers know of a node's devices.
func (p *Plugin) described(name string) *device.NodeInfo {
	node, err := p.informers().Core().V1().Nodes().Lister().Get(name)
	if err != nil {
		return nil
	}
	return p.set.Inventory(node)
}

// wake has the scheduler try the waiting pods of a namespace again, now that its quotas leave more. The queueing hints alone would
// not do: the scheduler may give them before the plugin has heard of the change.
func (p *Plugin) wake(namespace string) {
	f := p.informers()
	if f == nil || p.handle.ClientSet() == nil { // a host that binds no pods has no queue
		return
	}
	pods, err := f.Core().V1().Pods().Lister().List(labels.Everything()) // kube-scheduler's has no index of namespaces
	if err != nil {
		return
	}
	waiting := map[string]*corev1.Pod{}
	for _, pod := range pods {
		if pod.Namespace != namespace || pod.Spec.NodeName != "" {
			continue
		}
		if r, err := p.request(pod); err == nil && !r.Empty() {
			waiting[klog.KObj(pod).String()] = pod
		}
	}
	if len(waiting) > 0 {
		p.handle.Activate(klog.Background(), waiting)
	}
}
