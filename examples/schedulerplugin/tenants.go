package schedulerplugin

import (
	"sync"

	corev1 "k8s.io/api/core/v1"

	"github.com/accelfit/accelfit/device"
	"github.com/accelfit/accelfit/usage"
	"github.com/accelfit/accelfit/vendors"
)

// tenants is what namespaces may take and have taken (spec core §12): by this process's reservations, and by the annotations of
// the pods that informers tell of.
type tenants struct {
	set *vendors.Set

	mu      sync.RWMutex
	q       usage.Quotas
	ledger  usage.Ledger
	charged map[string]charge
}

type charge struct {
	namespace  string
	allocation *device.Allocation
	node       *device.NodeInfo
}

// nodes tells what is known of a node; nil: nothing is.
type nodes func(name string) *device.NodeInfo

func newTenants(set *vendors.Set) *tenants {
	return &tenants{set: set, q: usage.NewQuotas(set), charged: map[string]charge{}}
}

func (t *tenants) quotas() usage.Quotas {
	t.mu.RLock()
	defer t.mu.RUnlock()
	return t.q
}

func (t *tenants) setQuota(q *corev1.ResourceQuota) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.q = t.q.Set(q)
}

func (t *tenants) deleteQuota(q *corev1.ResourceQuota) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.q = t.q.Delete(q.Namespace, q.Name)
}

// reserve charges what fit gives for the headroom that there is, unless it gives nothing.
func (t *tenants) reserve(
	namespace string, node *device.NodeInfo, fit func(map[device.Vendor]device.Headroom) (usage.Holding, bool),
) (usage.Holding, bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	h, ok := fit(t.q.Headroom(namespace))
	if ok {
		t.change(h.Key(), t.ledger.Replace(h), func(string) *device.NodeInfo { return node })
	}
	return h, ok
}

// observe takes in a pod as the API server shows it (spec core §14.5). It says whether the namespace may take more than before.
func (t *tenants) observe(pod *corev1.Pod, known nodes) (more bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	next, _ := t.ledger.Observe(t.set, pod)
	return t.change(keyOf(pod), next, known)
}

// release gives back what a pod holds, and says whether it held something that a quota limits.
func (t *tenants) release(key string) (more bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	next, _, _ := t.ledger.Release(key)
	return t.change(key, next, nil)
}

// change puts a ledger in force that differs from the old in one pod.
func (t *tenants) change(key string, next usage.Ledger, known nodes) (more bool) {
	t.ledger = next
	before, had := t.charged[key]
	h, has := next.Pod(key)
	if had && has && before.allocation == h.Allocation {
		return false
	}
	if had {
		t.q = t.q.Give(before.namespace, before.allocation, before.node)
		delete(t.charged, key)
		more = t.q.Headroom(before.namespace) != nil
	}
	if has {
		c := charge{h.Namespace, h.Allocation, known(h.Node)}
		t.q = t.q.Take(c.namespace, c.allocation, c.node)
		t.charged[key] = c
	}
	return more
}
