package schedulerplugin

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"runtime"
	"slices"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	fwk "k8s.io/kube-scheduler/framework"

	"github.com/accelfit/accelfit/device"
	"github.com/accelfit/accelfit/usage"
)

// Whatever a host does to a node, in whatever order, the state that is kept is the one that is made from nothing.
func TestStatesAreAPureFunction(t *testing.T) {
	const seed = 7
	random := rand.New(rand.NewPCG(seed, seed))
	p := pluginOf(t, nil, `{}`)
	objects := []*corev1.Node{l4s(t, "a", 4, 11441), l4s(t, "b", 2, 23034), l4s(t, "template-node-for-x-e-0", 4, 11441)}
	kinds := [][2]string{{"1", "6000"}, {"1", "3000"}, {"2", "4000"}, {"1", "6000"}}
	node := infoOf(objects[0])
	var kept []*fakeNode
	for step := range 1500 {
		object := node.object
		switch n := random.IntN(20); {
		case n < 10:
			kind := kinds[random.IntN(len(kinds))]
			node.add(wants(fmt.Sprint("p", random.IntN(30)), kind[0], kind[1]))
		case n < 12:
			node.add(placed(t, wants(fmt.Sprint("r", step), "1", "2000"), object))
		case n < 13:
			node.add(&corev1.Pod{})
		case n < 17 && len(node.pods) > 0:
			node.remove(random.IntN(len(node.pods)))
		case n < 18:
			kept = append(kept, &fakeNode{object: object, pods: slices.Clone(node.pods), generation: node.generation})
		case n < 19 && len(kept) > 0: // revert
			back := kept[random.IntN(len(kept))]
			node = &fakeNode{object: back.object, pods: slices.Clone(back.pods), generation: back.generation}
		case n == 19:
			node = infoOf(objects[random.IntN(len(objects))])
		}
		want := NodeUsage(p.set, node, p.options).Usage
		got := p.state(ctx, node, node.object).Usage
		require.Equal(t, want.Devices(), got.Devices(), "seed %d step %d: %d pods on %s", seed, step, len(node.pods), node.object.Name)
		require.True(t, p.try(t, wants("probe", "1", "2500"), node).IsSuccess() == p.set.Fit(request(t, p, "2500"), want).OK())
	}
}

// One more pod on a known state is not a replay of all.
func TestOneMorePodIsCheap(t *testing.T) {
	p := pluginOf(t, nil, `{}`)
	node := infoOf(l4s(t, "n", 8, 11441))
	first := p.state(ctx, node, node.object)
	node.add(wants("a", "1", "6000"))
	second := p.state(ctx, node, node.object)
	assert.NotNil(t, first.answers.Load(), "the pod was tried on the state before")
	assert.Same(t, first.of, second.of)
	assert.NotNil(t, p.with(second, append(slices.Clone(second.pods), wants("b", "1", "6000"))), "of the same kind")
	assert.NotNil(t, p.with(second, append(slices.Clone(second.pods), wants("b", "1", "1000"))), "smaller")
	assert.NotNil(t, p.with(second, append(slices.Clone(second.pods), &corev1.Pod{})), "without devices")
	assert.Nil(t, p.with(second, append(slices.Clone(second.pods), wants("b", "1", "7000"))), "larger: it is placed first")
	assert.Nil(t, p.with(second, append(slices.Clone(second.pods), wants("b", "-1", "1"))), "impossible")
	assert.Nil(t, p.with(second, append(slices.Clone(second.pods), placed(t, wants("b", "1", "1"), node.object))), "on record")
}

// What was reserved for the first pod on a node counts, not what it would be given.
func TestReservedPodOnAnEmptyNode(t *testing.T) {
	p := pluginOf(t, nil, `{}`)
	node := infoOf(l4s(t, "n", 2, 11441))
	require.Equal(t, []int64{0, 0}, memories(p.state(ctx, node, node.object).Usage))
	for i, id := range []string{"GPU-n-0", "GPU-n-1"} {
		pod := wants(id, "1", "6000")
		pod.Spec.NodeName = "n"
		require.NoError(t, p.book.reserve(usage.Holding{UID: pod.UID, Node: "n", Allocation: &device.Allocation{
			Devices: []device.ContainerDevice{{Vendor: "NVIDIA", ID: id, Memory: 6000}},
		}}))
		want := []int64{0, 0}
		want[i] = 6000
		assert.Equal(t, want, memories(p.state(ctx, infoOf(node.object, pod), node.object).Usage))
	}
}

// A host may write into the object of a node, and reuse its name for another.
func TestNodesThatChange(t *testing.T) {
	p := pluginOf(t, nil, `{}`)
	pod := wants("p", "1", "6000")
	object := l4s(t, "n", 1, 11441)
	node := infoOf(object)
	assert.True(t, p.try(t, pod, node).IsSuccess())

	maps.Copy(object.Annotations, l4s(t, "n", 1, 4000).Annotations)
	node.generation = nextGeneration()
	assert.False(t, p.try(t, pod, node).IsSuccess(), "written into")
	assert.True(t, p.try(t, pod, infoOf(l4s(t, "n", 1, 11441))).IsSuccess(), "another of the name")

	unnumbered := infoOf(l4s(t, "n", 1, 11441))
	unnumbered.generation = 0
	assert.True(t, p.try(t, pod, unnumbered).IsSuccess())
	unnumbered.pods = append(unnumbered.pods, fakePod{pod: wants("a", "1", "6000")})
	assert.False(t, p.try(t, pod, unnumbered).IsSuccess(), "nothing is kept of a node without generation")
}

// What is kept of nodes is bounded by their number.
func TestStatesAreBounded(t *testing.T) {
	p := pluginOf(t, nil, `{}`)
	node := infoOf(l4s(t, "n", 8, 11441))
	names := []fwk.NodeInfo{node}
	pod := wants("p", "1", "6000")
	heap := func() int64 {
		runtime.GC()
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		return int64(m.HeapAlloc)
	}
	fill := func(n int) {
		for range n {
			node.generation = nextGeneration()
			state := newState()
			_, status := p.PreFilter(ctx, state, pod, names)
			require.True(t, status.IsSuccess())
			p.Filter(ctx, state, pod, node)
		}
	}
	fill(3 * fewStates)
	before := heap()
	fill(20 * fewStates)
	assert.LessOrEqual(t, p.states.len(), 2*fewStates)
	assert.Less(t, heap()-before, int64(1<<20), "bytes more for 20 times as many states")

	for i := range 5 * fewStates {
		c := &corev1.Node{}
		c.Name = fmt.Sprint("n", i)
		p.state(ctx, infoOf(c), c)
	}
	assert.LessOrEqual(t, len(p.states.last.young)+len(p.states.last.old), 2*fewStates, "by name")
}

// Many states of a node are kept, so that a host can go back.
func TestOlderStatesAreKept(t *testing.T) {
	p := pluginOf(t, nil, `{}`)
	node := infoOf(l4s(t, "n", 8, 11441))
	first := p.state(ctx, node, node.object)
	before := node.generation
	for range fewStates / 2 {
		node.generation = nextGeneration()
		p.state(ctx, node, node.object)
	}
	node.generation = before
	assert.Same(t, first, p.state(ctx, node, node.object))
}

func TestAnswersAreBounded(t *testing.T) {
	p := pluginOf(t, nil, `{}`)
	node := infoOf(l4s(t, "n", 1, 11441))
	for i := range 5 * maxAnswers {
		assert.True(t, p.try(t, wants("p", "1", fmt.Sprint(1000+i)), node).IsSuccess())
	}
	s := p.state(ctx, node, node.object)
	assert.LessOrEqual(t, len(*s.answers.Load()), maxAnswers)
}

// Filter runs on many goroutines at once, each with a status of its own.
func TestFilterInParallel(t *testing.T) {
	p := pluginOf(t, nil, `{}`)
	nodes := []fwk.NodeInfo{infoOf(l4s(t, "a", 2, 11441), wants("x", "2", "8000")), infoOf(l4s(t, "b", 2, 11441))}
	state := newState()
	pod := wants("p", "1", "6000")
	_, status := p.PreFilter(ctx, state, pod, nodes)
	require.True(t, status.IsSuccess())
	var wg sync.WaitGroup
	for g := range 8 {
		wg.Go(func() {
			for range 200 {
				status := p.Filter(ctx, state, pod, nodes[0])
				status.SetPlugin(fmt.Sprint(g))
				status.AppendReason(fmt.Sprint(g))
				if status.Plugin() != fmt.Sprint(g) || len(status.Reasons()) != 2 {
					t.Errorf("another's status: %v", status)
				}
				if !p.Filter(ctx, state, pod, nodes[1]).IsSuccess() {
					t.Error("refused")
				}
			}
		})
	}
	wg.Wait()
}
