package simulate_test

import (
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/accelfit/accelfit/device"
	"github.com/accelfit/accelfit/internal/testkit"
	"github.com/accelfit/accelfit/simulate"
	"github.com/accelfit/accelfit/usage"
	"github.com/accelfit/accelfit/vendors"
	"github.com/accelfit/accelfit/vendors/nvidia"
)

// model is the obvious snapshot: it is copied whole to fork, and whatever it is asked it works out from scratch.
type model struct {
	set    *vendors.Set
	nodes  map[string]*corev1.Node
	infos  map[string]*device.NodeInfo
	held   map[string][]usage.Holding // by node, in the order the pods came
	quotas []*corev1.ResourceQuota
}

func newModel(set *vendors.Set) *model {
	return &model{set, map[string]*corev1.Node{}, map[string]*device.NodeInfo{}, map[string][]usage.Holding{}, nil}
}

func (m *model) fork() *model {
	c := newModel(m.set)
	for name, n := range m.nodes {
		c.nodes[name] = n.DeepCopy()
		c.infos[name] = m.infos[name]
	}
	for name, holdings := range m.held {
		for _, h := range holdings {
			c.held[name] = append(c.held[name], h.DeepCopy())
		}
	}
	for _, q := range m.quotas {
		c.quotas = append(c.quotas, q.DeepCopy())
	}
	return c
}

func (m *model) usage(node string) *device.NodeUsage {
	return usage.Apply(m.infos[node], m.held[node])
}

func (m *model) headroom(namespace string) map[device.Vendor]device.Headroom {
	q := usage.NewQuotas(m.set)
	for _, rq := range m.quotas {
		q = q.Set(rq)
	}
	for _, holdings := range m.held {
		for _, h := range holdings {
			q = q.Take(h.Namespace, h.Allocation, nil)
		}
	}
	return q.Headroom(namespace)
}

func (m *model) where(key string) (string, bool) {
	for name, holdings := range m.held {
		if slices.ContainsFunc(holdings, func(h usage.Holding) bool { return h.Key() == key }) {
			return name, true
		}
	}
	return "", false
}

// place is Place and, for an empty node, PlaceAnywhere. It returns the node, the allocation, and what went wrong.
func (m *model) place(pod *corev1.Pod, node string) (string, *device.Allocation, error) {
	r, err := m.set.Request(pod)
	if err != nil {
		return "", nil, err
	}
	h := usage.Of(r, "", &device.Allocation{})
	if _, placed := m.where(h.Key()); placed {
		return "", nil, simulate.ErrPlaced
	}
	names := slices.Sorted(maps.Keys(m.nodes))
	if node != "" {
		if m.nodes[node] == nil {
			return "", nil, simulate.ErrNoNode
		}
		names = []string{node}
	}
	best, bestScore := "", float32(0)
	var given *device.Allocation
	r = r.WithQuota(m.headroom(pod.Namespace))
	for _, name := range names {
		u := m.usage(name)
		fit := m.set.Fit(r, u)
		score := m.set.Score(r, u, fit)
		if fit.OK() && (best == "" || score > bestScore && r.NodePolicy != "spread" || score < bestScore && r.NodePolicy == "spread") {
			best, bestScore, given = name, score, fit.Allocation
		}
	}
	if best != "" {
		m.held[best] = append(m.held[best], usage.Of(r, best, given))
	}
	return best, given, nil
}

func (m *model) remove(key string) error {
	node, placed := m.where(key)
	if !placed {
		return simulate.ErrNotPlaced
	}
	m.held[node] = slices.DeleteFunc(m.held[node], func(h usage.Holding) bool { return h.Key() == key })
	return nil
}

func (m *model) addNode(n *corev1.Node, pods []*corev1.Pod) error {
	if m.nodes[n.Name] != nil {
		return simulate.ErrNodeTaken
	}
	var holdings []usage.Holding
	for _, pod := range pods {
		h, ok, _ := usage.Read(m.set, pod)
		if _, placed := m.where(h.Key()); ok && h.Node == n.Name && !placed {
			holdings = append(holdings, h)
		}
	}
	m.nodes[n.Name], m.infos[n.Name], m.held[n.Name] = n, m.set.Inventory(n), holdings
	return nil
}

func (m *model) removeNode(name string) error {
	if m.nodes[name] == nil {
		return simulate.ErrNoNode
	}
	delete(m.nodes, name)
	delete(m.held, name)
	return nil
}

func (m *model) setQuota(q *corev1.ResourceQuota) {
	m.quotas = slices.DeleteFunc(m.quotas, func(o *corev1.ResourceQuota) bool { return o.Namespace == q.Namespace && o.Name == q.Name })
	m.quotas = append(m.quotas, q)
}

var namespaces = []string{"a", "b"}

func holdingText(h usage.Holding) string {
	return fmt.Sprintf("  %s/%s %s on %s: %+v %+v %+v %t\n", h.Namespace, h.Name, h.Key(), h.Node, *h.Allocation, h.Reservations, h.Blocked, h.Released)
}

// content is everything the model holds, as text.
func (m *model) content() string {
	var b strings.Builder
	for _, name := range slices.Sorted(maps.Keys(m.nodes)) {
		fmt.Fprintf(&b, "%s\n%s", name, testkit.Table(m.usage(name)))
		for _, h := range m.held[name] {
			b.WriteString(holdingText(h))
		}
	}
	for _, ns := range namespaces {
		fmt.Fprintln(&b, ns, m.headroom(ns))
	}
	return b.String()
}

// contentOf is everything a snapshot holds, in the same form, from each of its methods.
func contentOf(t *testing.T, s *simulate.Snapshot) string {
	t.Helper()
	var b strings.Builder
	count := 0
	for name, u := range s.Nodes() {
		count++
		if got, ok := s.Node(name); !ok || got != u || s.Object(name).Name != name || u.Info().Name() != name {
			t.Fatalf("node %s: Node and Object do not agree with Nodes", name)
		}
		fmt.Fprintf(&b, "%s\n%s", name, testkit.Table(u))
		for _, h := range s.Holdings(name) {
			b.WriteString(holdingText(h))
			if on, ok := s.PlacedOn(h.Key()); !ok || on != name {
				t.Fatalf("pod %s is on %s, but PlacedOn says %q, %t", h.Key(), name, on, ok)
			}
		}
	}
	if count != s.Len() {
		t.Fatalf("%d nodes, but Len says %d", count, s.Len())
	}
	for _, ns := range namespaces {
		fmt.Fprintln(&b, ns, s.Quotas().Headroom(ns))
	}
	return b.String()
}

// sameError says whether an error is the one that is wanted, by its sentinel or, for invalid requests, by its type.
func sameError(got, want error) bool {
	if (got == nil) != (want == nil) {
		return false
	}
	var request *device.RequestError
	if errors.As(want, &request) {
		return errors.As(got, &request)
	}
	return errors.Is(got, want)
}

// pair is a snapshot with its model. In a stack both are levels.
type pair struct {
	t     *testing.T
	snap  *simulate.Snapshot
	model *model
}

// step does a random operation on both and compares what comes of it, not what they hold.
func (p *pair) step(w *world) string {
	r := w.r
	switch op := r.IntN(20); {
	case op < 5:
		pod, node := w.pod(), testkit.OneOf(r, append(w.names, "no-such-node")...)
		result, err := p.snap.Place(pod, node)
		p.compare(pod, result, err, node)
		return "Place on " + node
	case op < 11:
		pod := w.pod()
		result, err := p.snap.PlaceAnywhere(pod, simulate.PlaceOptions{})
		p.compare(pod, result, err, "")
		return "PlaceAnywhere"
	case op < 14:
		key := testkit.OneOf(r, w.keys...)
		if got, want := p.snap.Remove(key), p.model.remove(key); !sameError(got, want) {
			p.t.Fatalf("Remove %s: %v, want %v", key, got, want)
		}
		return "Remove " + key
	case op < 16:
		n := w.node(testkit.OneOf(r, w.names...))
		pods := w.running(n.Name)
		_, got := p.snap.AddNode(n, pods)
		if want := p.model.addNode(n.DeepCopy(), pods); !sameError(got, want) {
			p.t.Fatalf("AddNode %s: %v, want %v", n.Name, got, want)
		}
		return "AddNode " + n.Name
	case op < 17:
		name := testkit.OneOf(r, w.names...)
		if got, want := p.snap.RemoveNode(name), p.model.removeNode(name); !sameError(got, want) {
			p.t.Fatalf("RemoveNode %s: %v, want %v", name, got, want)
		}
		return "RemoveNode " + name
	}
	q := w.quota()
	p.snap.SetQuota(q)
	p.model.setQuota(q)
	return "SetQuota " + q.Name
}

func (p *pair) compare(pod *corev1.Pod, result simulate.Result, err error, on string) {
	p.t.Helper()
	node, given, wantErr := p.model.place(pod, on)
	if !sameError(err, wantErr) || result.Node != node || fmt.Sprint(result.Allocation) != fmt.Sprint(given) {
		p.t.Fatalf("placing %s: %+v, %v; want %q %+v, %v", pod.Name, result, err, node, given, wantErr)
	}
	if err == nil && !result.OK() && len(result.Refused) == 0 && p.snap.Len() > 0 {
		p.t.Fatalf("placing %s: refused without reasons", pod.Name)
	}
}

// world makes random nodes, pods and quotas.
type world struct {
	r     *rand.Rand
	names []string // of nodes
	keys  []string // of pods made so far
	pods  []*corev1.Pod
}

func newWorld(r *rand.Rand) *world {
	return &world{r: r, names: []string{"n0", "n1", "n2", "n3", "n4", "n5"}, keys: []string{"a/none"}}
}

func (w *world) node(name string) *corev1.Node {
	r := w.r
	var devices []device.DeviceInfo
	for i := range r.IntN(4) {
		c := testkit.Card(fmt.Sprintf("g%d", i), testkit.OneOf[int64](r, 8000, 10000))
		c.NUMA, c.Index, c.Healthy = i%2, i, r.IntN(8) > 0
		devices = append(devices, c)
	}
	for i := range r.IntN(3) {
		devices = append(devices, testkit.MIGCard(fmt.Sprintf("m%d", i)))
	}
	n := testkit.Node(name, devices...)
	switch r.IntN(10) {
	case 0:
		delete(n.Annotations, nvidia.AnnotationRegister)
	case 1:
		n.Annotations[nvidia.AnnotationRegister] = "{"
	case 2:
		n.Annotations[device.AnnotationCordon] = "g0, m0"
	}
	return n
}

// pod is a new pod or, now and then, one that was made before.
func (w *world) pod() *corev1.Pod {
	r := w.r
	if len(w.pods) > 0 && r.IntN(8) == 0 {
		return testkit.OneOf(r, w.pods...)
	}
	line := fmt.Sprintf("p%d ns=%s", len(w.keys), testkit.OneOf(r, namespaces...))
	for i := range 1 + r.IntN(3) {
		if i > 0 {
			line += " |"
		}
		line += testkit.OneOf(r, "", "", " init", " sidecar")
		if r.IntN(5) > 0 {
			line += fmt.Sprintf(" gpu=%d mem=%d cores=%d", 1+r.IntN(2), testkit.OneOf(r, 500, 2000, 4000, 5000, 9000), testkit.OneOf(r, 0, 0, 20, 60, 100))
		}
	}
	line += testkit.OneOf(r, "", "", " hami.io/gpu-scheduler-policy=binpack", " hami.io/gpu-scheduler-policy=mutex", " hami.io/node-scheduler-policy=spread",
		" nvidia.com/numa-bind=true", " nvidia.com/vgpu-mode=mig", " nvidia.com/vgpu-mode=hami-core", " uid=u")
	if r.IntN(30) == 0 {
		line += " mem=-1 gpu=1"
	}
	pod := podOf(line)
	if pod.UID != "" {
		pod.UID = types.UID("uid-" + pod.Name)
	}
	w.pods = append(w.pods, pod)
	h := usage.Holding{Namespace: pod.Namespace, Name: pod.Name, UID: pod.UID}
	w.keys = append(w.keys, h.Key())
	return pod
}

// running are pods that already run on a node, or on another one.
func (w *world) running(node string) (out []*corev1.Pod) {
	r := w.r
	for range r.IntN(4) {
		line := fmt.Sprintf("r%d ns=%s | init", len(w.keys), testkit.OneOf(r, namespaces...))
		pod := podOf(line)
		pod.Annotations[device.AnnotationNode] = testkit.OneOf(r, node, node, node, "n9")
		pod.Annotations[nvidia.AnnotationAllocated] = testkit.OneOf(r, "g0,NVIDIA,3000,10:;g1,NVIDIA,500,0:;", ";m0,NVIDIA,4864,15:;", "g0,NVIDIA,x,0:;g1,NVIDIA,100,0:;", "")
		if r.IntN(2) == 0 {
			pod.Annotations[device.AnnotationMIGReservation] =
				`[{"containerIndex":1,"deviceIndex":0,"gpuUUID":"m0","profile":"1g.5gb","placement":{"start":3,"size":1}}]`
		}
		out = append(out, pod)
		w.keys = append(w.keys, pod.Namespace+"/"+pod.Name)
	}
	return out
}

func (w *world) quota() *corev1.ResourceQuota {
	limits := map[string]string{}
	if w.r.IntN(3) > 0 {
		limits["limits.nvidia.com/gpumem"] = fmt.Sprint(w.r.IntN(60000))
	}
	if w.r.IntN(3) == 0 {
		limits["limits.nvidia.com/gpucores"] = fmt.Sprint(w.r.IntN(400))
	}
	return quotaOf(testkit.OneOf(w.r, namespaces...), testkit.OneOf(w.r, "q", "r"), limits)
}

// start is a snapshot of a few random nodes with its model.
func start(t *testing.T, w *world) pair {
	t.Helper()
	set := vendors.Default()
	m := newModel(set)
	var nodes []*corev1.Node
	var pods []*corev1.Pod
	for _, name := range w.names[:4] {
		n, running := w.node(name), w.running(name)
		nodes, pods = append(nodes, n), append(pods, running...)
		if err := m.addNode(n.DeepCopy(), running); err != nil {
			t.Fatal(err)
		}
	}
	s, _ := simulate.New(set, nodes, pods)
	return pair{t, s, m}
}

// TestSnapshotAgainstModel does random operations on a family of snapshots. After each the snapshot holds what its model
// says, and every other one, parents, children and siblings, holds what it held.
func TestSnapshotAgainstModel(t *testing.T) {
	base := testkit.Seed(t)
	for round := range uint64(8) {
		r := rand.New(rand.NewPCG(base, round))
		w := newWorld(r)
		family := []pair{start(t, w)}
		contents := []string{family[0].model.content()}
		for i := range 60 {
			at := r.IntN(len(family))
			op := "Fork"
			if len(family) < 5 && r.IntN(5) == 0 {
				family = append(family, pair{t, family[at].snap.Fork(), family[at].model.fork()})
				contents = append(contents, contents[at])
				at = len(family) - 1
			} else {
				op = family[at].step(w)
			}
			contents[at] = family[at].model.content()
			for k := range family {
				if got := contentOf(t, family[k].snap); got != contents[k] {
					t.Fatalf("round %d, step %d, %s on snapshot %d: snapshot %d holds\n%s\nwant\n%s", round, i, op, at, k, got, contents[k])
				}
			}
		}
	}
}

// TestStackAgainstModel forks, reverts and commits a stack of snapshots beside a stack of models. The pointer to a level
// stays good as long as the level is open.
func TestStackAgainstModel(t *testing.T) {
	base := testkit.Seed(t)
	for round := range uint64(8) {
		r := rand.New(rand.NewPCG(base, round+1000))
		w := newWorld(r)
		p := start(t, w)
		before := contentOf(t, p.snap)
		stack := simulate.NewStack(p.snap)
		models, tops := []*model{p.model}, []*simulate.Snapshot{stack.Top()}
		for i := range 80 {
			top := len(models) - 1
			switch r.IntN(8) {
			case 0:
				stack.Fork()
				models, tops = append(models, models[top].fork()), append(tops, stack.Top())
			case 1:
				if err := stack.Revert(); (top == 0) != errors.Is(err, simulate.ErrNoFork) {
					t.Fatalf("Revert at depth %d: %v", top, err)
				}
				models, tops = models[:max(1, top)], tops[:max(1, top)]
			case 2:
				if err := stack.Commit(); (top == 0) != errors.Is(err, simulate.ErrNoFork) {
					t.Fatalf("Commit at depth %d: %v", top, err)
				}
				if top > 0 {
					models[top-1] = models[top]
					models, tops = models[:top], tops[:top]
				}
			default:
				(&pair{t, stack.Top(), models[top]}).step(w)
			}
			if stack.Depth() != len(models)-1 || stack.Top() != tops[len(tops)-1] {
				t.Fatalf("round %d, step %d: depth %d, want %d", round, i, stack.Depth(), len(models)-1)
			}
			for k := range models {
				if got, want := contentOf(t, tops[k]), models[k].content(); got != want {
					t.Fatalf("round %d, step %d: level %d holds\n%s\nwant\n%s", round, i, k, got, want)
				}
			}
		}
		if got := contentOf(t, p.snap); got != before {
			t.Fatalf("round %d: the snapshot that the stack began with has changed to\n%s", round, got)
		}
	}
}
