package simulate

import (
	"fmt"
	"slices"

	corev1 "k8s.io/api/core/v1"

	"github.com/accelfit/accelfit/device"
	"github.com/accelfit/accelfit/score"
	"github.com/accelfit/accelfit/usage"
	"github.com/accelfit/accelfit/vendors"
)

// Placed is a pod with what came of placing it.
type Placed struct {
	Pod *corev1.Pod
	Result
	Err error
}

// PlaceAll places as many of the pods as fit on the snapshot's nodes, the most demanding first, each as PlaceAnywhere does,
// and returns the rest in the same order: pods whose request is invalid, or that are placed already, with Err set; entries that
// are nil come last. Only the rest has reasons; pods that nobody tells apart share them, so Refused is to be read only. How
// demanding a pod is counts on the node with most devices of each vendor.
//
// Cost: one fit for each distinct shape of pods and state of a node, and O(log n) in the nodes n for each pod and each node
// that has changed; pods under a quota that is not used up, and pods that name devices, cost a fit for each node. Allow is asked
// for the best nodes only, until it lets one pass.
func (s *Snapshot) PlaceAll(pods []*corev1.Pod, o PlaceOptions) (placed []Placed, rest []Placed) {
	given := slices.DeleteFunc(slices.Clone(pods), func(p *corev1.Pod) bool { return p == nil })
	f := s.field(parse(s.set, given, o.Fit), o)
	for i, at := range f.pods.order(f.share) {
		if o.Progress != nil && i%16 == 0 {
			o.Progress(i, len(f.pods.pods))
		}
		w := &f.pods.pods[at]
		result, err := f.place(w)
		if err == nil && result.OK() {
			placed = append(placed, Placed{w.pod, result, nil})
		} else {
			rest = append(rest, Placed{w.pod, result, err})
		}
	}
	for range len(pods) - len(given) {
		rest = append(rest, Placed{Err: fmt.Errorf("pod %w", ErrNil)})
	}
	return placed, rest
}

// field is a snapshot's nodes while many pods are placed on them.
type field struct {
	*Snapshot
	options PlaceOptions
	pods    *pendings
	waiting []int // pods to come, of each kind

	names   []string
	nodes   []*node
	largest map[device.Vendor]*device.NodeInfo
	board   board
	looks   map[string]*look
	last    map[lastKey]string
}

// look is what is known of the nodes for one kind of pod, besides how well they serve.
type look struct {
	why     []*device.Reasons // of each node, where they are not remembered by its state
	refused []Refusal         // of all nodes
	seen    int               // changes that refused takes into account
}

func (s *Snapshot) field(pods *pendings, o PlaceOptions) *field {
	f := &field{
		Snapshot: s, options: o, pods: pods, waiting: make([]int, len(pods.kinds)),
		names: make([]string, 0, s.Len()), nodes: make([]*node, 0, s.Len()),
		largest: map[device.Vendor]*device.NodeInfo{}, looks: map[string]*look{}, last: map[lastKey]string{},
	}
	for name, n := range s.nodes.All() {
		f.names, f.nodes = append(f.names, name), append(f.nodes, n)
	}
	for i := range pods.pods {
		if k := pods.pods[i].kind; k != nil {
			f.waiting[k.number]++
		}
	}
	for _, k := range pods.kinds {
		for _, v := range k.vendors {
			if f.largest[v] == nil {
				f.largest[v] = f.largestOf(v)
			}
		}
	}
	f.board.size = len(f.nodes)
	return f
}

// largestOf is the node with most devices of a vendor, the first of equals.
func (f *field) largestOf(v device.Vendor) *device.NodeInfo {
	best, most := device.NewNodeInfo(""), 0
	for _, n := range f.nodes {
		if from, to := n.usage.Range(v); to-from > most {
			best, most = n.usage.Info(), to-from
		}
	}
	return best
}

// share is the largest part that a kind of pod takes of what the largest nodes have.
func (f *field) share(k *kind) float64 {
	most := 0.0
	for _, v := range k.vendors {
		info := f.largest[v]
		for _, d := range byVendor(k.request, info) {
			if d.vendor == v {
				most = max(most, d.all.share(capacity(info, v)))
			}
		}
	}
	return most
}

func (f *field) place(w *pending) (Result, error) {
	if w.err != nil {
		return Result{}, requestError(w.pod, w.err)
	}
	if err := f.placedAlready(w.pod); err != nil {
		return Result{}, err
	}
	headroom := f.quotas.Headroom(w.pod.Namespace)
	key, limited := f.key(w, headroom)
	r := w.kind.request
	if limited {
		r = r.WithQuota(headroom)
	}
	q := f.memo.ask(r, limited)
	i := f.best(w, key, &q)
	var result Result
	if i == nobody {
		result.Refused = f.refused(w, key, &q)
	} else {
		result = f.enter(i, w, r)
	}
	if f.waiting[w.kind.number]--; f.waiting[w.kind.number] == 0 {
		f.drop(key)
	}
	return result, nil
}

// key tells whose looks are the same. What was known of the pod's kind under another state of its namespace's quotas is
// dropped.
func (f *field) key(w *pending, headroom map[device.Vendor]device.Headroom) (key string, limited bool) {
	key, limited = w.kind.question(headroom)
	of := lastKey{w.pod.Namespace, w.kind}
	if before, asked := f.last[of]; asked && before != key {
		f.drop(before)
		delete(f.last, of)
	}
	if limited {
		f.last[of] = key
	}
	return key, limited
}

func (f *field) drop(key string) {
	f.board.drop(key)
	delete(f.looks, key)
}

// best returns the node to place a pod on, or nobody.
func (f *field) best(w *pending, key string, q *asked) int {
	view := f.board.view(key, func(i int) float32 { return f.rate(i, key, q) })
	if f.options.Allow == nil {
		return view.best()
	}
	return view.first(func(i int) bool { return f.options.Allow(w.pod, f.nodes[i].object) == nil })
}

// rate says how well a node serves: the more the better.
func (f *field) rate(i int, key string, q *asked) float32 {
	t := f.memo.try(f.set, q, f.nodes[i], len(f.nodes))
	if q.shape == 0 {
		l := f.look(key)
		if l.why == nil {
			l.why = make([]*device.Reasons, len(f.nodes))
		}
		l.why[i] = t.why
	}
	switch {
	case t.why != nil:
		return absent
	case f.options.FirstFit:
		return 0
	case q.NodePolicy == score.Spread:
		return -t.score
	}
	return t.score
}

func (f *field) look(key string) *look {
	l := f.looks[key]
	if l == nil {
		l = &look{}
		f.looks[key] = l
	}
	return l
}

// enter places a pod on node i.
func (f *field) enter(i int, w *pending, r *vendors.Request) Result {
	result := f.commit(w.kind.request.For(w.pod), f.names[i], f.set.Fit(r, f.nodes[i].usage))
	f.nodes[i], _ = f.Snapshot.nodes.Get(f.names[i])
	f.board.note(i)
	if f.options.Placed != nil {
		f.options.Placed(w.pod, f.nodes[i].object)
	}
	return result
}

// refused lists why no node serves a pod.
func (f *field) refused(w *pending, key string, q *asked) []Refusal {
	if f.options.Brief || len(f.nodes) == 0 {
		return nil
	}
	l := f.look(key)
	if f.options.Allow == nil && l.refused != nil && l.seen == f.board.noted {
		return l.refused
	}
	out := make([]Refusal, len(f.nodes))
	for i, n := range f.nodes {
		out[i].Node = f.names[i]
		if f.options.Allow != nil {
			if out[i].Err = f.options.Allow(w.pod, n.object); out[i].Err != nil {
				continue
			}
		}
		if q.shape == 0 {
			out[i].Reasons = *l.why[i]
		} else {
			out[i].Reasons = *f.memo.try(f.set, q, n, len(f.nodes)).why
		}
	}
	if f.options.Allow == nil {
		l.refused, l.seen = out, f.board.noted
	}
	return out
}

func requestError(pod *corev1.Pod, err error) error {
	return fmt.Errorf("pod %s/%s: %w", pod.Namespace, pod.Name, err)
}

// placedAlready is the error for a pod that has a place.
func (s *Snapshot) placedAlready(pod *corev1.Pod) error {
	h := usage.Holding{Namespace: pod.Namespace, Name: pod.Name, UID: pod.UID}
	if on, placed := s.pods.Get(h.Key()); placed {
		return fmt.Errorf("pod %s/%s on node %s: %w", pod.Namespace, pod.Name, on, ErrPlaced)
	}
	return nil
}
