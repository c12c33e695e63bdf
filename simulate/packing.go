package simulate

import (
	corev1 "k8s.io/api/core/v1"

	"github.com/accelfit/accelfit/device"
	"github.com/accelfit/accelfit/usage"
)

// packing is how pods are put on new nodes: first fit, in the packer's order.
type packing struct {
	*packer
	limits Limits
	first  int // number of the first new node
	quotas usage.Quotas

	nodes    []packed                        // and behind them the next one, empty but for the template's pods
	board    board                           // of nodes without the next one
	asked    question                        // by the pod before
	own      map[string]answers              // of pods under quotas, by question
	here     map[string]map[int]localOutcome // of pods whose answer is for one node only, by question and node
	last     map[lastKey]string              // the question of such pods before
	waiting  []int                           // pods to come, of each kind
	unplaced []failed
	taken    map[string]map[*outcome]int64 // placements in a namespace that the quotas do not count yet
	fits     int
}

// packed is a new node in the making.
type packed struct {
	level *level
	pods  []int32
	by    []*outcome // of pods

	// Made where something depends on them.
	made  *cast
	usage *device.NodeUsage // of made, with pods
	on    []*corev1.Pod
}

// failed is a pod that no new node serves.
type failed struct {
	pod   int32
	err   error
	why   *outcome
	limit bool
}

// localOutcome is what came of trying a pod on one node when it had so many others.
type localOutcome struct {
	*outcome
	pods int
}

// lastKey tells whose question depends on what is left of a quota.
type lastKey struct {
	namespace string
	kind      *kind
}

// pack puts the pods on new nodes, those left out that served tells.
func (p *packer) pack(limits Limits, first int, served []bool) *packing {
	k := &packing{
		packer: p, limits: limits, first: first, quotas: limits.Quotas, waiting: make([]int, len(p.pods.kinds)),
		own: map[string]answers{}, here: map[string]map[int]localOutcome{}, last: map[lastKey]string{}, taken: map[string]map[*outcome]int64{},
	}
	k.nodes = append(k.nodes, packed{level: p.empty})
	todo := k.todo(served)
	for i, at := range todo {
		if limits.Progress != nil && i%64 == 0 {
			limits.Progress(i, len(todo))
		}
		k.place(at)
	}
	k.count()
	k.board, k.asked, k.own, k.here, k.last = board{}, question{}, nil, nil, nil
	p.trim()
	return k
}

func (k *packing) todo(served []bool) []int32 {
	todo := make([]int32, 0, len(k.order))
	for _, at := range k.order {
		if served != nil && served[at] {
			continue
		}
		todo = append(todo, at)
		if kind := k.pods.pods[at].kind; kind != nil {
			k.waiting[kind.number]++
		}
	}
	return todo
}

func (k *packing) place(at int32) {
	w := &k.pods.pods[at]
	if w.err != nil {
		k.unplaced = append(k.unplaced, failed{pod: at, err: w.err})
		return
	}
	q := k.ask(w)
	view := k.board.view(q.key, func(i int) float32 {
		if k.answer(q, i).OK() {
			return 0
		}
		return absent
	})
	i := view.best()
	if k.limits.Allow != nil {
		i = view.first(func(i int) bool { return k.limits.Allow(w.pod, k.object(i), k.podsOn(i)) == nil })
	}
	if i == nobody {
		i = k.open(at, q)
	}
	if i != nobody {
		k.enter(i, at, q)
	}
	if k.waiting[w.kind.number]--; k.waiting[w.kind.number] == 0 {
		k.forgetKind(w.kind, q.key)
	}
}

// ask is what a pod asks. Equal pods without limits, which mostly come together, ask it once.
func (k *packing) ask(w *pending) *question {
	q := &k.asked
	if q.kind != w.kind || q.namespace != w.pod.Namespace || q.limited {
		*q = k.question(w, k.quotas.Headroom(w.pod.Namespace))
		k.supersede(w, q)
		if q.taken = k.taken[q.namespace]; q.taken == nil {
			q.taken = map[*outcome]int64{}
			k.taken[q.namespace] = q.taken
		}
	}
	return q
}

// forgetKind drops what was found out for pods of which none is to come.
func (k *packing) forgetKind(of *kind, key string) {
	k.drop(key)
	if of.key == "" || len(k.pods.kinds) > maxKinds {
		delete(k.known, key)
	}
}

func (k *packing) drop(key string) {
	k.board.drop(key)
	delete(k.own, key)
	delete(k.here, key)
}

// open adds a node for a pod that no other one serves; nobody if that is of no use.
func (k *packing) open(at int32, q *question) int {
	next := len(k.nodes) - 1
	f := failed{pod: at, why: k.answer(q, next)}
	if f.why.OK() {
		if k.limits.Allow != nil {
			f.err = k.limits.Allow(k.pods.pods[at].pod, k.object(next), k.mould.template.Pods)
		}
		f.limit = f.err == nil && k.limits.MaxNodes != 0 && next >= k.limits.MaxNodes
	}
	if !f.why.OK() || f.err != nil || f.limit {
		k.unplaced = append(k.unplaced, f)
		return nobody
	}
	k.nodes = append(k.nodes, packed{level: k.empty})
	k.board.add()
	k.makeRoom(next)
	return next
}

// makeRoom makes room on node i for as many pods as are on the one before.
func (k *packing) makeRoom(i int) {
	if i == 0 {
		return
	}
	n, most := &k.nodes[i], len(k.nodes[i-1].pods)
	n.pods, n.by = make([]int32, 0, most), make([]*outcome, 0, most)
}

// enter puts a pod on node i.
func (k *packing) enter(i int, at int32, q *question) {
	o := k.answer(q, i)
	n := &k.nodes[i]
	n.level = k.after(n.level, o)
	if n.usage != nil {
		n.usage = n.usage.With(o.on(n.usage.Info()))
	}
	if n.on != nil {
		n.on = append(n.on, k.pods.pods[at].pod)
	}
	n.pods, n.by = append(n.pods, at), append(n.by, o)
	k.board.note(i)
	if q.limited {
		k.quotas = k.quotas.Take(q.namespace, o.Allocation, o.info)
	} else {
		q.taken[o]++
	}
}

// count brings the quotas up to date with placements that none limits.
func (k *packing) count() {
	for namespace, taken := range k.taken {
		for by, n := range taken {
			k.quotas = k.quotas.TakeTimes(namespace, by.Allocation, by.info, n)
		}
	}
	k.taken = nil
}
