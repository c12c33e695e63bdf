package live

import (
	"maps"
	"sync"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/resourceversion"

	"github.com/accelfit/accelfit/device"
	"github.com/accelfit/accelfit/usage"
	"github.com/accelfit/accelfit/vendors"
)

// state is what this process knows of the cluster. Its methods are safe for concurrent use and never wait for anything but each
// other.
type state struct {
	set *vendors.Set

	mu       sync.Mutex
	registry usage.Registry
	ledger   usage.Ledger
	quotas   usage.Quotas
	usages   map[string]*device.NodeUsage // by node; made when asked for, dropped when the node or a holding on it changes
	charged  map[string]charge            // by pod
	pods     map[string]*corev1.Pod       // the newest that is known of each pod
	flights  map[string]*flight           // pods that are being placed or bound, by pod
	deleted  map[string]bool              // pods that went while all pods are read; nil: they are not
}

// charge is what was counted against a namespace's quotas for a pod.
type charge struct {
	namespace  string
	allocation *device.Allocation
	node       *device.NodeInfo
}

func newState(set *vendors.Set) *state {
	return &state{
		set:     set,
		quotas:  usage.NewQuotas(set),
		usages:  map[string]*device.NodeUsage{},
		charged: map[string]charge{},
		pods:    map[string]*corev1.Pod{},
		flights: map[string]*flight{},
	}
}

// keyOf identifies a pod as the ledger does.
func keyOf(pod *corev1.Pod) string {
	h := usage.Holding{Namespace: pod.Namespace, Name: pod.Name, UID: pod.UID}
	return h.Key()
}

// setNode takes in a node as it is now (spec core §3).
func (st *state) setNode(node *corev1.Node, now time.Time) (announce map[string]string, problems []device.Problem) {
	st.mu.Lock()
	defer st.mu.Unlock()
	st.registry, announce, problems = st.registry.Observe(st.set, node, now)
	delete(st.usages, node.Name)
	return announce, problems
}

func (st *state) deleteNode(name string) {
	st.mu.Lock()
	defer st.mu.Unlock()
	st.registry = st.registry.Forget(name)
	delete(st.usages, name)
}

func (st *state) setQuota(q *corev1.ResourceQuota) {
	st.mu.Lock()
	defer st.mu.Unlock()
	st.quotas = st.quotas.Set(q)
}

func (st *state) deleteQuota(namespace, name string) {
	st.mu.Lock()
	defer st.mu.Unlock()
	st.quotas = st.quotas.Delete(namespace, name)
}

// headroom is what a namespace may still take.
func (st *state) headroom(namespace string) map[device.Vendor]device.Headroom {
	st.mu.Lock()
	defer st.mu.Unlock()
	return st.quotas.Headroom(namespace)
}

// setPod takes in a pod as the API server shows it, unless something newer is known (spec core §14.5). Of a pod that is being
// placed it is kept for when that is done.
func (st *state) setPod(pod *corev1.Pod) []device.Problem {
	st.mu.Lock()
	defer st.mu.Unlock()
	return st.observe(pod)
}

func (st *state) observe(pod *corev1.Pod) []device.Problem {
	key := keyOf(pod)
	if known, ok := st.pods[key]; ok && older(pod, known) {
		return nil
	}
	st.pods[key] = pod
	if st.flights[key] != nil {
		return nil
	}
	ledger, problems := st.ledger.Observe(st.set, pod)
	st.change(key, ledger)
	return problems
}

// stranger says whether the pod's key is known as that of a pod of another name: somebody made the pod up.
func (st *state) stranger(pod *corev1.Pod) bool {
	if known := st.pods[keyOf(pod)]; known != nil {
		return known.Namespace != pod.Namespace || known.Name != pod.Name
	}
	h, held := st.ledger.Pod(keyOf(pod))
	return held && (h.Namespace != pod.Namespace || h.Name != pod.Name)
}

// older says whether a was written before b.
func older(a, b *corev1.Pod) bool {
	order, err := resourceversion.CompareResourceVersion(a.ResourceVersion, b.ResourceVersion)
	return err == nil && order < 0
}

// deletePod drops a pod that is gone.
func (st *state) deletePod(pod *corev1.Pod) {
	st.mu.Lock()
	defer st.mu.Unlock()
	key := keyOf(pod)
	if st.stranger(pod) {
		return
	}
	delete(st.pods, key)
	st.release(key)
	if f := st.flights[key]; f != nil {
		f.gone = true
	}
	if st.deleted != nil {
		st.deleted[key] = true
	}
}

// expectAll begins to note which pods go, for setAll.
func (st *state) expectAll() {
	st.mu.Lock()
	defer st.mu.Unlock()
	st.deleted = map[string]bool{}
}

// setAll takes in all pods of the cluster as read since expectAll, but for those that went meanwhile.
func (st *state) setAll(pods []corev1.Pod) {
	st.mu.Lock()
	defer st.mu.Unlock()
	for i := range pods {
		if !st.deleted[keyOf(&pods[i])] {
			st.observe(&pods[i])
		}
	}
	st.deleted = nil
}

// release drops what a pod holds.
func (st *state) release(key string) {
	ledger, _, _ := st.ledger.Release(key)
	st.change(key, ledger)
}

// change puts a ledger in force that differs from the old in one pod.
func (st *state) change(key string, ledger usage.Ledger) {
	before, had := st.ledger.Pod(key)
	after, has := ledger.Pod(key)
	st.ledger = ledger
	if had {
		delete(st.usages, before.Node)
	}
	if c, ok := st.charged[key]; ok {
		st.quotas = st.quotas.Give(c.namespace, c.allocation, c.node)
		delete(st.charged, key)
	}
	if has {
		info, _ := st.registry.Node(after.Node)
		delete(st.usages, after.Node)
		st.quotas = st.quotas.Take(after.Namespace, after.Allocation, info)
		st.charged[key] = charge{after.Namespace, after.Allocation, info}
	}
}

// view is what a decision about a pod of one namespace depends on.
type view struct {
	names    []string
	usages   []*device.NodeUsage // of each name; nil: the node is not known
	headroom map[device.Vendor]device.Headroom
}

// view returns nodes as they are now, and what a namespace may still take. without is a pod that does not count, or empty.
func (st *state) view(names []string, namespace, without string) view {
	st.mu.Lock()
	defer st.mu.Unlock()
	v := view{names, make([]*device.NodeUsage, len(names)), st.quotas.Headroom(namespace)}
	own, held := st.ledger.Pod(without)
	for i, name := range names {
		v.usages[i] = st.usage(name)
		if held && own.Node == name && v.usages[i] != nil {
			rest, _, _ := st.ledger.Release(without)
			v.usages[i] = rest.Node(v.usages[i].Info())
		}
	}
	if c, ok := st.charged[without]; ok && c.namespace == namespace {
		v.headroom = st.quotas.Give(c.namespace, c.allocation, c.node).Headroom(namespace)
	}
	return v
}

// usage of a node; nil where the node is not known.
func (st *state) usage(name string) *device.NodeUsage {
	if u := st.usages[name]; u != nil {
		return u
	}
	info, ok := st.registry.Node(name)
	if !ok {
		return nil
	}
	u := st.ledger.Node(info)
	st.usages[name] = u
	return u
}

// reserve books a holding that was decided in a view of the cluster. It is false if the node or the quotas of the namespace have
// changed since: the decision must be made anew.
func (st *state) reserve(h usage.Holding, decided *device.NodeUsage, headroom map[device.Vendor]device.Headroom) bool {
	st.mu.Lock()
	defer st.mu.Unlock()
	if st.usages[h.Node] != decided || !maps.Equal(st.quotas.Headroom(h.Namespace), headroom) {
		return false
	}
	st.change(h.Key(), st.ledger.Replace(h))
	return true
}

// holding is what a pod holds.
func (st *state) holding(key string) (usage.Holding, bool) {
	st.mu.Lock()
	defer st.mu.Unlock()
	return st.ledger.Pod(key)
}
