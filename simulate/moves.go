package simulate

import (
	"cmp"
	"errors"
	"slices"

	corev1 "k8s.io/api/core/v1"

	"github.com/accelfit/accelfit/device"
	"github.com/accelfit/accelfit/score"
	"github.com/accelfit/accelfit/usage"
	"github.com/accelfit/accelfit/vendors"
)

// ErrNoDevices is wrapped by questions about the devices of a pod that asks for none, and told of one that holds some.
var ErrNoDevices = errors.New("pod asks for no device")

// ErrUnknownPod is told of a pod on a node that the caller did not hand in, so that nothing is known but what it holds.
var ErrUnknownPod = errors.New("pod is not among those given")

// DefaultMaxTries is how many pairs of pod and node a search looks at where [MoveOptions] say nothing else: seconds.
const DefaultMaxTries = 1_000_000

// MoveOptions bound a search for pods to move. The zero value asks about devices only, and lets any pod move.
type MoveOptions struct {
	Fit   vendors.FitOptions // of every pod that is placed
	Allow AllowFunc          // nil: only devices matter

	// Movable says whether a pod may move; nil: any may. Those of DaemonSets, for example, must not.
	Movable func(pod *corev1.Pod) bool

	// MaxMoves is the most pods that [Snapshot.MakeRoom] proposes to move; 0: 3, negative: none. [Snapshot.Drain] has no use
	// for it.
	MaxMoves int

	// MaxTries ends the search after so many pairs of pod and node; 0 and less: DefaultMaxTries.
	MaxTries int
}

// Move is a pod that goes to another node, or to other devices of its own.
type Move struct {
	Pod        *corev1.Pod
	From, To   string
	Allocation *device.Allocation // on To
}

// moving is a pod that is to get a place.
type moving struct {
	pod     *corev1.Pod
	key     string
	request *vendors.Request
	from    string
	share   float64            // see share
	held    *device.Allocation // on from
}

// mover finds places for pods that move. It is used for one question.
type mover struct {
	base    *Snapshot // where pods are placed on; never changed
	options MoveOptions
	left    int // tries
	hosts   map[string][]string
	fits    map[fitKey]ranked
}

type fitKey struct {
	shape string
	state *device.NodeUsage
}

// ranked is a fit with the score of its node.
type ranked struct {
	fit   vendors.Fit
	score float32
}

func newMover(base *Snapshot, o MoveOptions) *mover {
	if o.MaxTries <= 0 {
		o.MaxTries = DefaultMaxTries
	}
	return &mover{base: base, options: o, left: o.MaxTries, hosts: map[string][]string{}, fits: map[fitKey]ranked{}}
}

// from makes a pod on a node ready to move. The error is an invalid request, or that of a pod that holds devices and asks for
// none: nobody knows what it needs elsewhere.
func (m *mover) from(n *node, pod *corev1.Pod) (*moving, error) {
	r, err := m.base.set.Request(pod)
	if err != nil {
		return nil, err
	}
	x := &moving{pod: pod, key: podKey(pod), request: r.With(m.options.Fit), from: n.object.Name}
	for i := range n.holdings {
		if n.holdings[i].Key() == x.key {
			x.held = n.holdings[i].Allocation
		}
	}
	if r.Empty() && x.held != nil && len(x.held.Devices) > 0 {
		return nil, ErrNoDevices
	}
	info := n.usage.Info()
	x.share = Share(r, info)
	return x, nil
}

// mostDemanding sorts pods, the most demanding first.
func mostDemanding(pods []*moving) {
	slices.SortStableFunc(pods, func(a, b *moving) int {
		return cmp.Or(cmp.Compare(b.share, a.share), cmp.Compare(a.pod.Namespace, b.pod.Namespace), cmp.Compare(a.pod.Name, b.pod.Name))
	})
}

func (m *mover) movable(pod *corev1.Pod) bool {
	return m.options.Movable == nil || m.options.Movable(pod)
}

func podKey(p *corev1.Pod) string {
	h := usage.Holding{Namespace: p.Namespace, Name: p.Name, UID: p.UID}
	return h.Key()
}

// byKey finds pods by the key of their holdings.
func byKey(pods []*corev1.Pod) map[string]*corev1.Pod {
	out := make(map[string]*corev1.Pod, len(pods))
	for _, p := range pods {
		if p != nil {
			out[podKey(p)] = p
		}
	}
	return out
}

// tryOn evaluates a pod on a node in a state.
func (m *mover) tryOn(s draft, r *vendors.Request, pod *corev1.Pod, name string) (ranked, Refusal) {
	m.left--
	n, ok := s.nodes.Get(name)
	if !ok {
		return ranked{}, Refusal{Node: name, Err: ErrNoNode}
	}
	if m.options.Allow != nil {
		if err := m.options.Allow(pod, n.object, s.since[name]); err != nil {
			return ranked{}, Refusal{Node: name, Err: err}
		}
	}
	x := m.evaluate(s.limited(r), n.usage)
	if !x.fit.OK() {
		return x, Refusal{Node: name, Reasons: x.fit.Reasons}
	}
	return x, Refusal{}
}

// manyFits is how many fits are remembered.
const manyFits = 1 << 16

// evaluate is a fit that is known already, or a new one.
func (m *mover) evaluate(r *vendors.Request, u *device.NodeUsage) ranked {
	k := fitKey{r.Shape(), u}
	keep := k.shape != "" && m.base.quotas.Headroom(r.Namespace) == nil
	if x, known := m.fits[k]; known && keep {
		return x
	}
	x := ranked{fit: m.base.set.Fit(r, u)}
	if x.fit.OK() {
		x.score = m.base.set.Score(r, u, x.fit)
	}
	if len(m.fits) >= manyFits {
		clear(m.fits)
	}
	if keep {
		m.fits[k] = x
	}
	return x
}

// hostsOf are the nodes of the base that have the devices for a pod, quotas aside. What a search places on a node only makes
// it smaller, so that no other node will have them later, but for those that it takes pods off.
func (m *mover) hostsOf(x *moving) []string {
	key := x.request.Shape()
	if key == "" {
		key = "\x00" + x.key
	}
	if known, found := m.hosts[key]; found {
		return known
	}
	out := []string{}
	for name, n := range m.base.nodes.All() {
		if m.left--; m.left < 0 {
			break
		}
		if m.base.set.Fit(x.request, n.usage).OK() {
			out = append(out, name)
		}
	}
	m.hosts[key] = out
	return out
}

// place is a node that would take a pod.
type place struct {
	node string
	fit  vendors.Fit
}

// places are the nodes that would take a pod in a state, in the order a live scheduler would prefer them. own is a node that
// pods were taken off; empty: none.
func (m *mover) places(s draft, x *moving, own string) []place {
	type option struct {
		place
		rank score.Ranked
	}
	var all []option
	names := m.hostsOf(x)
	if own != "" {
		names = append(slices.DeleteFunc(slices.Clone(names), func(n string) bool { return n == own }), own)
	}
	for _, name := range names {
		if m.left < 0 {
			break
		}
		if found, _ := m.tryOn(s, x.request, x.pod, name); found.fit.OK() {
			all = append(all, option{place{name, found.fit}, score.Ranked{Name: name, Score: found.score}})
		}
	}
	slices.SortFunc(all, func(a, b option) int { return score.Compare(x.request.NodePolicy, a.rank, b.rank) })
	out := make([]place, len(all))
	for i := range all {
		out[i] = all[i].place
	}
	return out
}
