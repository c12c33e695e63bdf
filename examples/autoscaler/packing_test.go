package autoscaler_test

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"

	"github.com/accelfit/accelfit/examples/schedulerplugin"
	"github.com/accelfit/accelfit/usage"
	"github.com/accelfit/accelfit/vendors"
)

// nodesFor counts the nodes of 2 × 11441 MiB that pods need, as a bin packing estimator does, in a fork. name names node i.
func nodesFor(h *host, pods []*corev1.Pod, name func(i int) string) (n int) {
	h.lister.fork()
	defer h.lister.revert()
	for _, pod := range pods {
		if _, ok := h.place(pod); ok {
			continue
		}
		h.add(cards(name(n), 2, 11441))
		n++
		_, ok := h.place(pod)
		require.True(h.t, ok)
	}
	return n
}

func numbered(format string) func(int) string {
	return func(i int) string { return fmt.Sprintf(format, i) }
}

func podsOf(n int, memory string) (pods []*corev1.Pod) {
	for i := range n {
		pods = append(pods, asks(fmt.Sprintf("p%d", i), "1", memory))
	}
	return pods
}

// 10 pods × 6000 MiB need 5 nodes of 2 × 11441 MiB: on nodes as they are and on templates, for pods one by one, as copies, as one
// pointer ten times.
func TestTenPodsNeedFiveNodes(t *testing.T) {
	h := newHost(t)
	pods := podsOf(10, "6000")
	var copies []*corev1.Pod
	for _, pod := range pods {
		shallow := *pod
		shallow.Annotations = map[string]string{"hami.io/vgpu-node": "elsewhere"}
		copies = append(copies, &shallow)
	}
	for why, test := range map[string][]*corev1.Pod{"pods": pods, "shallow copies": copies, "one pointer": slices.Repeat(pods[:1], 10)} {
		for _, format := range []string{"n%d", "template-node-for-l4-1-e-%d", "l4-upcoming-%d"} {
			assert.Equal(t, 5, nodesFor(h, test, numbered(format)), "%s on %s", why, format)
		}
	}
	assert.Empty(t, h.lister.top())
}

// After a revert answers are what they were, names and pointers may come back with other contents, and no order in which pods
// were put and taken changes an answer.
func TestForksAndOrders(t *testing.T) {
	h := newHost(t)
	h.add(cards("a", 2, 11441))
	h.add(cards("b", 4, 23034))
	probes := []*corev1.Pod{asks("q1", "1", "6000"), asks("q2", "2", "3000"), asks("q3", "1", "11000")}
	answers := func() (out []bool) {
		for _, probe := range probes {
			for _, node := range []string{"a", "b"} {
				ok, _ := h.try(probe, node)
				out = append(out, ok)
			}
		}
		return out
	}
	const seed = 11
	random := rand.New(rand.NewPCG(seed, seed))
	for round := range 60 {
		before := answers()
		h.lister.fork()
		for i := range 6 {
			h.place(asks(fmt.Sprintf("r%d-%d", round, i), "1", []string{"6000", "3000"}[random.IntN(2)]))
		}
		if round%2 == 0 {
			h.lister.revert()
			h.lister.fork()
			h.add(cards("a", 1, 2000), asks("x", "1", "1500")) // the name again, with other content
			answers()
		}
		h.lister.revert()
		require.Equal(t, before, answers(), "seed %d round %d", seed, round)
		if round%10 == 0 {
			h.lister.fork()
			h.place(asks(fmt.Sprintf("kept%d", round), "1", "3000"))
			want := answers()
			h.lister.commit()
			require.Equal(t, want, answers(), "committed")
		}
		reorder(h, random)
		require.Equal(t, answers(), answers())
	}
}

// reorder takes pods off and puts them back; what fits is the same before and after.
func reorder(h *host, random *rand.Rand) {
	for _, node := range slices.Sorted(maps.Keys(h.lister.top())) {
		for range 3 {
			pods := h.lister.top()[node].GetPods()
			if len(pods) == 0 {
				break
			}
			before, _ := h.try(asks("probe", "1", "6000"), node)
			pod := pods[random.IntN(len(pods))].GetPod()
			h.take(pod, node)
			ok, why := h.try(pod, node)
			require.True(h.t, ok, "a pod that was taken off fits again: %s", why)
			h.put(pod, node)
			after, _ := h.try(asks("probe", "1", "6000"), node)
			require.Equal(h.t, before, after)
		}
	}
}

// Nodes are judged from several goroutines at once, on forks of their own.
func TestGoroutines(t *testing.T) {
	h := newHost(t)
	h.add(cards("full", 2, 11441), asks("a", "2", "8000"))
	h.add(cards("free", 2, 11441))
	var wg sync.WaitGroup
	for range 6 {
		wg.Go(func() {
			for i := range 50 {
				pod := asks("p", "1", fmt.Sprint(6000+i%3))
				if ok, why := h.try(pod, "full"); ok || !strings.Contains(why, "CardInsufficientMemory") {
					t.Errorf("fits on a full node: %s", why)
				}
				if ok, why := h.try(pod, "free"); !ok {
					t.Errorf("does not fit on a free node: %s", why)
				}
			}
		})
	}
	wg.Wait()
}

// NodeResourcesFit still decides about everything else, and leaves devices alone.
func TestBesideNodeResourcesFit(t *testing.T) {
	h := newHost(t)
	node := cards("n", 2, 11441)
	delete(node.Status.Allocatable, "nvidia.com/gpu")
	h.add(node)
	ok, why := h.try(asks("p", "2", "6000"), "n")
	assert.True(t, ok, why)
	greedy := asks("p", "1", "6000")
	greedy.Spec.Containers[0].Resources.Requests["cpu"] = node.Status.Allocatable["memory"]
	ok, why = h.try(greedy, "n")
	assert.False(t, ok)
	assert.Contains(t, why, "Insufficient cpu")
}

// What the plugin finds taken of the framework's own nodes is what the library finds.
func TestNodeUsageOfTheFrameworksNodes(t *testing.T) {
	h := newHost(t)
	node := cards("n", 2, 11441)
	h.add(node, asks("a", "1", "6000"), asks("b", "2", "3000"))
	r := schedulerplugin.NodeUsage(vendors.Default(), h.lister.top()["n"], schedulerplugin.UsageOptions{})
	require.Len(t, r.Holdings, 2)
	var holdings []usage.Holding
	holdings = append(holdings, r.Holdings...)
	assert.Equal(t, usage.Apply(vendors.Default().Inventory(node), holdings).Devices(), r.Usage.Devices())
}
