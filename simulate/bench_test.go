package simulate_test

import (
	"fmt"
	"runtime"
	"strconv"
	"testing"

	corev1 "k8s.io/api/core/v1"

	"github.com/accelfit/accelfit/internal/testkit"
	"github.com/accelfit/accelfit/simulate"
	"github.com/accelfit/accelfit/vendors"
)

// cluster is n nodes of 8 cards, half full: every card has 5 of 10 slots and 12,000 of 24,000 MiB taken.
func cluster(b *testing.B, n int) *simulate.Snapshot {
	b.Helper()
	nodes := make([]*corev1.Node, n)
	text := testkit.Node("n", cards(8, 24000)...).Annotations
	for i := range nodes {
		nodes[i] = &corev1.Node{}
		nodes[i].Name, nodes[i].Annotations = fmt.Sprintf("n%06d", i), text
	}
	s := newSnapshot(b, vendors.Default(), nodes)
	fill := podOf("fill gpu=8 mem=2400")
	for i := range nodes {
		for k := range 5 {
			fill.Name = strconv.Itoa(i) + "-" + strconv.Itoa(k)
			if result, err := s.Place(fill, nodes[i].Name); err != nil || !result.OK() {
				b.Fatal(result.Refused, err)
			}
		}
	}
	return s
}

// sizes are the numbers of nodes to measure with; in short mode the first alone.
func sizes(all ...int) []int {
	if testing.Short() {
		return all[:1]
	}
	return all
}

// BenchmarkFork must not depend on the number of nodes.
func BenchmarkFork(b *testing.B) {
	for _, n := range sizes(100, 10_000, 100_000) {
		b.Run(strconv.Itoa(n), func(b *testing.B) {
			s := newSnapshot(b, vendors.Default(), bareNodes(n))
			b.ReportAllocs()
			for b.Loop() {
				if s.Fork().Len() != n {
					b.Fatal("nodes are missing")
				}
			}
		})
	}
}

func bareNodes(n int) []*corev1.Node {
	nodes := make([]*corev1.Node, n)
	for i := range nodes {
		nodes[i] = testkit.Node(fmt.Sprintf("n%06d", i))
	}
	return nodes
}

// BenchmarkForkPlace forks and places one pod: the cost must hardly depend on the number of nodes. The lower bound is the
// fit alone, on the same node.
func BenchmarkForkPlace(b *testing.B) {
	pod := podOf("p gpu=2 mem=4000")
	for _, n := range sizes(100, 10_000) {
		s := cluster(b, n)
		b.Run("place/"+strconv.Itoa(n), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if result, err := s.Fork().Place(pod, "n000050"); err != nil || !result.OK() {
					b.Fatal(result, err)
				}
			}
		})
		b.Run("fit-alone/"+strconv.Itoa(n), func(b *testing.B) {
			r, err := s.Set().Request(pod)
			if err != nil {
				b.Fatal(err)
			}
			u, _ := s.Node("n000050")
			b.ReportAllocs()
			for b.Loop() {
				if !s.Set().Fit(r, u).OK() {
					b.Fatal("refused")
				}
			}
		})
	}
}

// BenchmarkPlaceRemove places a pod and takes it off again.
func BenchmarkPlaceRemove(b *testing.B) {
	s := cluster(b, 1000)
	pod := podOf("p gpu=2 mem=4000")
	b.ReportAllocs()
	for b.Loop() {
		if _, err := s.Place(pod, "n000500"); err != nil {
			b.Fatal(err)
		}
		if err := s.Remove("team/p"); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkPlaceAnywhere tries every node: the cost for each node must hardly grow with their number.
func BenchmarkPlaceAnywhere(b *testing.B) {
	for _, n := range sizes(1_000, 10_000) {
		s := cluster(b, n)
		for name, line := range map[string]string{"accept": "p gpu=2 mem=4000", "reject": "p gpu=2 mem=13000"} {
			pod := podOf(line)
			b.Run(name+"/"+strconv.Itoa(n), func(b *testing.B) {
				b.ReportAllocs()
				for b.Loop() {
					if result, err := s.Fork().PlaceAnywhere(pod, simulate.PlaceOptions{}); err != nil || result.OK() != (name == "accept") {
						b.Fatal(result.Node, err)
					}
				}
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(n), "ns/node")
			})
		}
	}
}

// BenchmarkEstimate estimates nodes for 1,000 pods of one shape, and of 100 shapes.
func BenchmarkEstimate(b *testing.B) {
	set := vendors.Default()
	template := simulate.Template{Node: testkit.Node("t", cards(8, 24000)...)}
	for _, shapes := range []int{1, 100} {
		var pods []*corev1.Pod
		for i := range 1000 {
			pods = append(pods, podOf(fmt.Sprintf("p%d gpu=1 mem=%d", i, 9000+50*(i%shapes))))
		}
		b.Run(fmt.Sprintf("pods=1000/shapes=%d", shapes), func(b *testing.B) {
			b.ReportAllocs()
			var e simulate.Estimated
			for b.Loop() {
				e = simulate.Estimate(set, template, pods, simulate.Limits{})
			}
			b.ReportMetric(float64(len(e.Nodes)), "nodes")
			b.ReportMetric(float64(e.Fits), "fits")
		})
	}
}

// BenchmarkMemory reports what a snapshot of half full nodes takes for each node, Kubernetes objects aside.
func BenchmarkMemory(b *testing.B) {
	for _, n := range sizes(1_000, 10_000) {
		b.Run(strconv.Itoa(n), func(b *testing.B) {
			var bytes float64
			for b.Loop() {
				before := heap()
				s := cluster(b, n)
				bytes = float64(heap()-before) / float64(n)
				runtime.KeepAlive(s)
			}
			b.ReportMetric(bytes, "bytes/node")
		})
	}
}

func heap() uint64 {
	runtime.GC()
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}
