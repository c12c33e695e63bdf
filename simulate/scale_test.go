package simulate_test

import (
	"fmt"
	"math/rand/v2"
	"runtime"
	"strconv"
	"sync/atomic"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/accelfit/accelfit/device"
	"github.com/accelfit/accelfit/internal/testkit"
	"github.com/accelfit/accelfit/simulate"
	"github.com/accelfit/accelfit/vendors"
	"github.com/accelfit/accelfit/vendors/nvidia"
)

// counting is a backend that counts how often a container is tried on a node.
type counting struct {
	device.Backend
	fits *atomic.Int64
}

func (c counting) Plan(pod *device.PodContext, ask device.ContainerRequest) device.Plan {
	p := c.Backend.Plan(pod, ask)
	p.Nums = func(*device.NodeInfo) int64 {
		c.fits.Add(1)
		return ask.Nums
	}
	return p
}

func countingSet(t testing.TB) (*vendors.Set, *atomic.Int64) {
	t.Helper()
	fits := new(atomic.Int64)
	backend, err := nvidia.New(nvidia.DefaultConfig())
	if err != nil {
		t.Fatal(err)
	}
	set, err := vendors.New(counting{backend, fits})
	if err != nil {
		t.Fatal(err)
	}
	return set, fits
}

// large is a cluster at work, with pods that wait and node groups that can grow.
type large struct {
	set      *vendors.Set
	fits     *atomic.Int64
	objects  []*corev1.Node
	running  []*corev1.Pod
	snapshot *simulate.Snapshot
	nodes    int
	pending  []*corev1.Pod
	groups   []simulate.NodeGroup
}

// twenty shapes of pods: shared cards, several cards, whole nodes.
func shapes() (out []string) {
	for i := range 12 {
		out = append(out, fmt.Sprintf("gpu=%d mem=%d cores=%d", 1+i%3, 1000+500*i, 5*(i%4)))
	}
	for i := range 8 {
		out = append(out, fmt.Sprintf("gpu=%d mem=%d cores=100", 1+i, 24000-1000*i))
	}
	return out
}

// newLarge is n nodes of 8 cards with 10 running pods each, that many pods in twenty shapes, and 100 node groups of ten machine
// types. The running pods are read from their annotations.
func newLarge(t testing.TB, n, pending int) *large {
	t.Helper()
	r := rand.New(rand.NewPCG(1, uint64(n)))
	l := &large{nodes: n}
	l.set, l.fits = countingSet(t)
	l.objects = make([]*corev1.Node, n)
	for i := range l.objects {
		devices := cards(8, 24000)
		for k := range devices {
			devices[k].ID = fmt.Sprintf("GPU-%06d-%d", i, k)
		}
		l.objects[i] = testkit.Node(fmt.Sprintf("n%06d", i), devices...)
	}
	l.running = l.annotated(t, r)
	l.load(t)
	kinds := shapes()
	for i := range pending {
		l.pending = append(l.pending, podOf(fmt.Sprintf("p%05d %s", i, kinds[r.IntN(len(kinds))])))
	}
	for i := range 100 {
		node := testkit.Node(fmt.Sprintf("g%02d", i), cards(1+i%10, int64(16000+4000*(i%10)))...)
		l.groups = append(l.groups, simulate.NodeGroup{
			Name: "group" + strconv.Itoa(i), Template: simulate.Template{Node: node}, Price: float64(1 + i%7), MaxNew: max(1, n/200),
		})
	}
	return l
}

// load reads the cluster anew, so that nothing is remembered of it.
func (l *large) load(t testing.TB) {
	t.Helper()
	l.snapshot = newSnapshot(t, l.set, l.objects, l.running...)
}

// annotated are ten pods on each node, as a scheduler has annotated them.
func (l *large) annotated(t testing.TB, r *rand.Rand) (out []*corev1.Pod) {
	t.Helper()
	s := newSnapshot(t, l.set, l.objects)
	for _, node := range l.objects {
		for k := range 10 {
			pod := podOf(fmt.Sprintf("%s-%d gpu=%d mem=%d cores=%d", node.Name, k, 1+r.IntN(2), 1000+500*r.IntN(6), 5*r.IntN(4)))
			result, err := s.Place(pod, node.Name)
			if err != nil || !result.OK() {
				t.Fatal(err, result.Refused)
			}
			u, _ := s.Node(node.Name)
			pod.Annotations = l.set.Annotations(pod, u.Info(), result.Allocation, time.Time{})
			pod.Spec.NodeName = node.Name
			out = append(out, pod)
		}
	}
	return out
}

// answer is what came of it.
type answer struct {
	snapshot     *simulate.Snapshot
	placed, rest []simulate.Placed
	plan         simulate.Plan
}

func (l *large) run(limits simulate.Limits, o simulate.PlaceOptions) answer {
	a := answer{snapshot: l.snapshot.Fork()}
	o.Brief = true
	a.placed, a.rest = a.snapshot.PlaceAll(l.pending, o)
	var left []*corev1.Pod
	for _, p := range a.rest {
		left = append(left, p.Pod)
	}
	limits.Quotas = a.snapshot.Quotas()
	a.plan = simulate.ScaleUp(l.set, l.groups, left, simulate.LeastWaste, limits)
	return a
}

// mustBeWhole checks that every pod is answered once.
func (l *large) mustBeWhole(t testing.TB, a *answer) {
	t.Helper()
	grown := 0
	for i := range a.plan.Steps {
		for k := range a.plan.Steps[i].Nodes {
			grown += len(a.plan.Steps[i].Nodes[k].Pods)
		}
	}
	if len(a.placed)+grown+len(a.plan.Unplaced) != len(l.pending) || len(a.placed) == 0 || grown == 0 {
		t.Fatalf("%d pods: %d placed, %d on new nodes, %d without a place", len(l.pending), len(a.placed), grown, len(a.plan.Unplaced))
	}
}

// TestFitsAreShared: twenty shapes of pods cost at least twenty times fewer fits than every pod on every node, for the live
// nodes and for new ones, with all reasons told or none; equal nodes cost one.
func TestFitsAreShared(t *testing.T) {
	l := newLarge(t, 200, 1000)
	l.fits.Store(0)
	a := l.run(simulate.Limits{}, simulate.PlaceOptions{})
	l.mustBeWhole(t, &a)
	all, most := l.fits.Load(), int64(len(l.pending)*l.nodes/20)
	t.Logf("%d fits for %d pods and %d nodes, %d of them for 100 node groups in %d steps", all, len(l.pending), l.nodes, a.plan.Fits, len(a.plan.Steps))
	if live := all - int64(a.plan.Fits); live > most || int64(a.plan.Fits) > most*5 {
		t.Errorf("%d fits on live nodes and %d on new ones, the most is %d", live, a.plan.Fits, most)
	}
	for _, brief := range []bool{false, true} {
		l.fits.Store(0)
		l.snapshot.Fork().PlaceAll(l.pending, simulate.PlaceOptions{Brief: brief})
		one := l.snapshot.Fork()
		for _, pod := range l.pending {
			if _, err := one.PlaceAnywhere(pod, simulate.PlaceOptions{Brief: brief}); err != nil {
				t.Fatal(err)
			}
		}
		if n := l.fits.Load(); n > 2*most {
			t.Errorf("brief %t: %d fits, the most is %d", brief, n, 2*most)
		}
	}
}

// TestEqualNodesCostOneFit: on nodes that are equal but for names a shape is tried once, by whatever fork.
func TestEqualNodesCostOneFit(t *testing.T) {
	set, fits := countingSet(t)
	var nodes []*corev1.Node
	for i := range 500 {
		devices := cards(8, 24000)
		for k := range devices {
			devices[k].ID = fmt.Sprintf("%d-%d", i, k)
		}
		nodes = append(nodes, testkit.Node(fmt.Sprintf("n%03d", i), devices...))
	}
	s := newSnapshot(t, set, nodes)
	for i := range 3 {
		result, err := s.Fork().PlaceAnywhere(podOf(fmt.Sprintf("p%d gpu=2 mem=1000", i)), simulate.PlaceOptions{})
		if err != nil || result.Node != "n000" {
			t.Fatal(result.Node, err)
		}
	}
	if n := fits.Load(); n != 1+3 { // and one for each placement, for the ids
		t.Errorf("%d fits", n)
	}
	fits.Store(0)
	if result, err := s.Fork().PlaceAnywhere(podOf("big gpu=2 mem=30000"), simulate.PlaceOptions{}); err != nil || len(result.Refused) != 500 || fits.Load() != 1 {
		t.Errorf("%d nodes refuse, %d fits, %v", len(result.Refused), fits.Load(), err)
	}
}

// TestEstimateCostsFewFits: a thousand equal pods cost at most fifty fits for each state that a new node goes through.
func TestEstimateCostsFewFits(t *testing.T) {
	set, fits := countingSet(t)
	for _, line := range []string{"gpu=1 mem=3000", "gpu=2 mem=3000 cores=10", "gpu=8 mem=24000", "gpu=1 mem=1 cores=1", "gpu=9"} {
		template := simulate.Template{Node: testkit.Node("t", cards(8, 24000)...)}
		fits.Store(0)
		e := simulate.Estimate(set, template, podsOf(1000, line), simulate.Limits{})
		states := 1
		if len(e.Nodes) > 0 {
			states += len(e.Nodes[0].Pods)
		}
		n := int(fits.Load())
		t.Logf("%s: %d nodes, %d states, %d fits", line, len(e.Nodes), states, n)
		if n != e.Fits+1 || e.Fits > 50*states || e.Fits > states { // one look at what a pod needs at least is no fit
			t.Errorf("%s: %d fits, told %d, for %d states", line, n, e.Fits, states)
		}
	}
}

// peak watches the live heap.
type peak struct {
	calls, every int
	bytes        uint64
}

func (p *peak) look() {
	if p.calls++; p.calls%p.every == 0 {
		p.bytes = max(p.bytes, heap())
	}
}

// BenchmarkScale places the pending pods of a cluster at work on its nodes, and plans node groups for the rest. It reports what
// that costs for each node, so that three sizes show how it grows, and the largest live heap beside the loaded cluster.
func BenchmarkScale(b *testing.B) {
	for _, n := range sizes(1_000, 3_000, 10_000) {
		b.Run(strconv.Itoa(n), func(b *testing.B) {
			l := newLarge(b, n, n/2)
			before := heap()
			p := &peak{every: n / 20}
			a := l.run(
				simulate.Limits{Progress: func(int, int) { p.look() }},
				simulate.PlaceOptions{Placed: func(*corev1.Pod, *corev1.Node) { p.look() }},
			)
			p.bytes = max(p.bytes, heap()) - before
			l.mustBeWhole(b, &a)
			steps, rest := len(a.plan.Steps), len(a.rest)
			l.fits.Store(0)
			b.ReportAllocs()
			runs := 0
			for b.Loop() {
				b.StopTimer()
				l.load(b)
				b.StartTimer()
				a = l.run(simulate.Limits{}, simulate.PlaceOptions{})
				runs++
			}
			runtime.KeepAlive(a)
			fits := float64(l.fits.Load()) / float64(runs)
			fewer := float64(len(l.pending)) * float64(n) / fits
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(runs)/float64(n), "ns/node")
			b.ReportMetric(float64(p.bytes)/float64(n), "peak-bytes/node")
			b.ReportMetric(fits, "fits")
			b.ReportMetric(fewer, "times-fewer")
			b.ReportMetric(float64(steps), "steps")
			b.ReportMetric(float64(rest), "for-new-nodes")
			if fewer < 20 || n == 10_000 && p.bytes > uint64(2048*n) { // small clusters have as many groups
				b.Errorf("%.0f times fewer fits than pods times nodes, %d bytes for each node", fewer, p.bytes/uint64(n))
			}
		})
	}
}
