package simulate_test

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/accelfit/accelfit/device"
	"github.com/accelfit/accelfit/internal/testkit"
	"github.com/accelfit/accelfit/simulate"
	"github.com/accelfit/accelfit/vendors"
)

// town is a small cluster with pods on it.
type town struct {
	snapshot *simulate.Snapshot
	pods     []*corev1.Pod // that are placed
	names    []string      // of nodes
}

// on lists the pods on a node.
func (w *town) on(node string) (out []*corev1.Pod) {
	for _, p := range w.pods {
		if at, _ := w.snapshot.PlacedOn(keyOf(p)); at == node {
			out = append(out, p)
		}
	}
	return out
}

func keyOf(p *corev1.Pod) string {
	if p.UID != "" {
		return string(p.UID)
	}
	return p.Namespace + "/" + p.Name
}

// randomTown is up to four nodes of up to three cards, some of them in mode mig, with pods placed at random until few more fit.
// Every other one is read anew from the annotations that a scheduler has written.
func randomTown(t *testing.T, r *rand.Rand) *town {
	t.Helper()
	w := &town{}
	var nodes []*corev1.Node
	for i := range 1 + r.IntN(4) {
		var devices []device.DeviceInfo
		for k := range 1 + r.IntN(3) {
			c := testkit.Card(fmt.Sprintf("g%d", k), testkit.OneOf[int64](r, 8000, 10000))
			if r.IntN(6) == 0 {
				c = testkit.MIGCard(c.ID)
			}
			c.Index, c.NUMA = k, k%2
			devices = append(devices, c)
		}
		w.names = append(w.names, fmt.Sprintf("n%d", i))
		nodes = append(nodes, testkit.Node(w.names[i], devices...))
	}
	w.snapshot = newSnapshot(t, vendors.Default(), nodes)
	defer func() {
		if r.IntN(2) == 0 {
			w.readAnew(t, nodes)
		}
	}()
	if r.IntN(3) == 0 {
		w.snapshot.SetQuota(quotaOf("team", "q", map[string]string{"limits.nvidia.com/gpumem": fmt.Sprint(r.IntN(50000))}))
	}
	for i := range 4 + r.IntN(6) {
		pod := podOf(fmt.Sprintf("p%d %s", i, randomAsk(r)))
		if result, err := w.snapshot.Place(pod, testkit.OneOf(r, w.names...)); err == nil && result.OK() {
			w.pods = append(w.pods, pod)
		}
	}
	return w
}

// readAnew reads the cluster from the annotations of its pods.
func (w *town) readAnew(t *testing.T, nodes []*corev1.Node) {
	t.Helper()
	quotas := w.snapshot.Quotas()
	for _, pod := range w.pods {
		annotate(t, w.snapshot, pod)
	}
	before := snapshotText(w.snapshot)
	read := newSnapshot(t, vendors.Default(), nodes, w.pods...)
	if q := quotas.Headroom("team"); q != nil {
		limit := q["NVIDIA"].Memory.Left
		for i := range nodes {
			for _, h := range w.snapshot.Holdings(nodes[i].Name) {
				for _, d := range h.Allocation.Collapse() {
					limit += d.Memory
				}
			}
		}
		read.SetQuota(quotaOf("team", "q", map[string]string{"limits.nvidia.com/gpumem": fmt.Sprint(limit)}))
	}
	for _, name := range w.names {
		a, _ := w.snapshot.Node(name)
		b, _ := read.Node(name)
		if testkit.Table(a) != testkit.Table(b) {
			t.Fatalf("read anew, %s holds\n%swant\n%s", name, testkit.Table(b), before)
		}
	}
	w.snapshot = read
}

// annotate writes on a placed pod what a scheduler writes.
func annotate(t *testing.T, s *simulate.Snapshot, pod *corev1.Pod) {
	t.Helper()
	node, _ := s.PlacedOn(keyOf(pod))
	u, _ := s.Node(node)
	for _, h := range s.Holdings(node) {
		if h.Key() == keyOf(pod) {
			maps.Copy(pod.Annotations, s.Set().Annotations(pod, u.Info(), h.Allocation, time.Time{}))
			pod.Spec.NodeName = node
			return
		}
	}
	t.Fatalf("%s is not placed", pod.Name)
}

func randomAsk(r *rand.Rand) string {
	return fmt.Sprintf("gpu=%d mem=%d cores=%d%s", testkit.OneOf(r, 1, 1, 1, 2), testkit.OneOf(r, 2000, 4000, 5000, 8000), testkit.OneOf(r, 0, 0, 30, 100),
		testkit.OneOf(r, "", "", " hami.io/gpu-scheduler-policy=binpack", " nvidia.com/numa-bind=true", " hami.io/node-scheduler-policy=spread"))
}

// settles says whether all pods find a place on the named nodes, in some order, on some nodes.
func settles(s *simulate.Snapshot, pods []*corev1.Pod, names []string) bool {
	if len(pods) == 0 {
		return true
	}
	for i, p := range pods {
		rest := slices.Delete(slices.Clone(pods), i, i+1)
		for _, name := range names {
			fork := s.Fork()
			if result, err := fork.Place(p, name); err == nil && result.OK() && settles(fork, rest, names) {
				return true
			}
		}
	}
	return false
}

// subsets yields every choice of k pods.
func subsets(pods []*corev1.Pod, k int) (out [][]*corev1.Pod) {
	if k == 0 {
		return [][]*corev1.Pod{nil}
	}
	for i := range pods {
		for _, rest := range subsets(pods[i+1:], k-1) {
			out = append(out, append([]*corev1.Pod{pods[i]}, rest...))
		}
	}
	return out
}

// fewestMoves tries everything: the fewest pods off one node so that a pod fits and they find another place; -1: no way.
func (w *town) fewestMoves(pod *corev1.Pod, most int) int {
	for k := range most + 1 {
		for _, name := range w.names {
			for _, gone := range subsets(w.on(name), k) {
				fork := w.snapshot.Fork()
				for _, p := range gone {
					if fork.Remove(keyOf(p)) != nil {
						panic("not placed")
					}
				}
				if result, err := fork.Place(pod, name); err == nil && result.OK() && settles(fork, gone, w.names) {
					return k
				}
			}
		}
	}
	return -1
}

// redo does on a fork what an answer says, and fails where it does not come out so.
func redo(t *testing.T, s *simulate.Snapshot, moves []simulate.Move, pod *corev1.Pod, node string) {
	t.Helper()
	fork := s.Fork()
	for _, m := range moves {
		if from, _ := fork.PlacedOn(keyOf(m.Pod)); from != m.From {
			t.Fatalf("%s is on %q, not on %q", m.Pod.Name, from, m.From)
		}
		if err := fork.Remove(keyOf(m.Pod)); err != nil {
			t.Fatal(err)
		}
	}
	place := func(pod *corev1.Pod, node string) *device.Allocation {
		result, err := fork.Place(pod, node)
		if err != nil || !result.OK() {
			t.Fatalf("%s does not fit on %s: %v %v", pod.Name, node, result.Refused, err)
		}
		return result.Allocation
	}
	if pod != nil {
		place(pod, node)
	}
	for _, m := range moves {
		if got := place(m.Pod, m.To); fmt.Sprint(got) != fmt.Sprint(m.Allocation) {
			t.Fatalf("%s gets %v on %s, not %v", m.Pod.Name, got, m.To, m.Allocation)
		}
	}
}

// TestMakeRoomAgainstEverything compares with trying everything on small clusters.
func TestMakeRoomAgainstEverything(t *testing.T) {
	base := testkit.Seed(t)
	found := map[int]int{}
	for round := range uint64(200) {
		r := rand.New(rand.NewPCG(base, round))
		w := randomTown(t, r)
		before := snapshotText(w.snapshot)
		pod := podOf("new " + randomAsk(r))
		most := 1 + r.IntN(3)
		got, err := w.snapshot.MakeRoom(pod, w.pods, simulate.MoveOptions{MaxMoves: most})
		if err != nil {
			t.Fatal(err)
		}
		want := w.fewestMoves(pod, most)
		found[want]++
		switch {
		case !got.Complete:
			t.Fatalf("round %d: the search was cut short", round)
		case got.OK() != (want >= 0), got.OK() && len(got.Moves) != want:
			t.Fatalf("round %d: %s %v: %d moves to make room on %q, want %d; on\n%s", round, pod.Name, pod.Annotations, len(got.Moves), got.Node, want, before)
		case got.OK():
			redo(t, w.snapshot, got.Moves, pod, got.Node)
		}
		if after := snapshotText(w.snapshot); after != before {
			t.Fatalf("round %d: the snapshot was changed", round)
		}
	}
	t.Logf("pods by the moves it takes (-1: no way): %v", found)
	for moves := -1; moves <= 1; moves++ {
		if found[moves] == 0 {
			t.Errorf("no cluster on which it takes %d moves", moves)
		}
	}
}

func snapshotText(s *simulate.Snapshot) string {
	var b strings.Builder
	for name, u := range s.Nodes() {
		fmt.Fprintf(&b, "%s\n%s", name, testkit.Table(u))
		for _, h := range s.Holdings(name) {
			b.WriteString(holdingText(h))
		}
	}
	return b.String()
}

// TestDrainAgainstEverything compares with trying everything on small clusters.
func TestDrainAgainstEverything(t *testing.T) {
	base := testkit.Seed(t)
	found := map[bool]int{}
	for round := range uint64(200) {
		r := rand.New(rand.NewPCG(base, round+1000))
		w := randomTown(t, r)
		before := snapshotText(w.snapshot)
		name := testkit.OneOf(r, w.names...)
		on := w.on(name)
		if len(on) > 4 {
			continue
		}
		got, err := w.snapshot.Drain(name, w.pods, simulate.MoveOptions{})
		if err != nil {
			t.Fatal(err)
		}
		fork := w.snapshot.Fork()
		if err := fork.RemoveNode(name); err != nil {
			t.Fatal(err)
		}
		others := slices.DeleteFunc(slices.Clone(w.names), func(n string) bool { return n == name })
		want := settles(fork, on, others)
		found[want]++
		if got.OK != want || !got.Complete {
			t.Fatalf("round %d: draining %s: %t (complete %t), want %t; on\n%s", round, name, got.OK, got.Complete, want, before)
		}
		if len(got.Moves)+len(got.Stuck) != len(on) || got.OK != (len(got.Stuck) == 0) {
			t.Fatalf("round %d: %d moves and %d stuck of %d pods", round, len(got.Moves), len(got.Stuck), len(on))
		}
		for _, s := range got.Stuck {
			if len(s.Refused) != len(others) {
				t.Fatalf("round %d: %s: %d nodes say why not, want %d", round, s.Key, len(s.Refused), len(others))
			}
		}
		redo(t, w.snapshot, got.Moves, nil, "")
		if after := snapshotText(w.snapshot); after != before {
			t.Fatalf("round %d: the snapshot was changed", round)
		}
	}
	t.Logf("nodes that can be emptied: %v", found)
	if found[true] < 10 || found[false] < 10 {
		t.Errorf("too one-sided: %v", found)
	}
}

// TestCapacityAgainstPlacing compares with placing pods one after the other.
func TestCapacityAgainstPlacing(t *testing.T) {
	base := testkit.Seed(t)
	limited := 0
	for round := range uint64(100) {
		r := rand.New(rand.NewPCG(base, round+2000))
		w := randomTown(t, r)
		ask := randomAsk(r)
		got, err := w.snapshot.Capacity(podOf("new "+ask), simulate.CapacityOptions{})
		if err != nil {
			t.Fatal(err)
		}
		all, total, sum := w.snapshot.Fork(), 0, 0
		for i, name := range w.names {
			alone, n := w.snapshot.Fork(), 0
			fill := func(s *simulate.Snapshot) (n int) {
				for ; ; n++ {
					result, err := s.Place(podOf(fmt.Sprintf("new-%s-%d %s", name, n, ask)), name)
					if err != nil || !result.OK() {
						return n
					}
				}
			}
			n = fill(alone)
			sum += n
			total += fill(all)
			if got.Nodes[i].Node != name || got.Nodes[i].Pods != n || got.Nodes[i].Capped || got.Nodes[i].Last.Reasons.IsZero() {
				t.Fatalf("round %d: %+v, want %d on %s", round, got.Nodes[i], n, name)
			}
		}
		if got.Total != total || got.Quota != (total < sum) || got.Capped {
			t.Fatalf("round %d: total %d (quota %t), want %d of %d", round, got.Total, got.Quota, total, sum)
		}
		if got.Quota {
			limited++
		}
	}
	if limited == 0 {
		t.Error("no quota ended before the devices did")
	}
}

// TestFragmentsAgainstEverything compares with every number of devices, and with amounts around the one found.
func TestFragmentsAgainstEverything(t *testing.T) {
	base := testkit.Seed(t)
	for round := range uint64(60) {
		r := rand.New(rand.NewPCG(base, round+3000))
		w := randomTown(t, r)
		cores, nums := testkit.OneOf(r, 0, 30), testkit.OneOf(r, 1, 2)
		got, err := w.snapshot.Fragments(podOf(fmt.Sprintf("new gpu=%d mem=3000 cores=%d", nums, cores)), simulate.FragmentOptions{})
		if err != nil {
			t.Fatal(err)
		}
		if got.Vendor != "NVIDIA" || !got.HasMemory || got.Container != 0 || len(got.Nodes) != len(w.names) {
			t.Fatalf("%+v", got)
		}
		fits := func(name string, nums int64, mem int64) bool {
			result, err := w.snapshot.Fork().Place(podOf(fmt.Sprintf("x gpu=%d mem=%d cores=%d", nums, mem, cores)), name)
			return err == nil && result.OK()
		}
		for _, n := range got.Nodes {
			if n.Memory > 0 && !fits(n.Node, int64(nums), n.Memory) || fits(n.Node, int64(nums), n.Memory+1) {
				t.Fatalf("round %d: %+v: most memory", round, n)
			}
			if n.Devices > 0 && !fits(n.Node, n.Devices, 3000) {
				t.Fatalf("round %d: %+v: most devices do not fit", round, n)
			}
			for more := n.Devices + 1; more <= 6; more++ {
				if fits(n.Node, more, 3000) {
					t.Fatalf("round %d: %+v: %d devices fit", round, n, more)
				}
			}
		}
	}
}
