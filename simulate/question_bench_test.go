package simulate_test

import (
	"fmt"
	"strconv"
	"testing"

	corev1 "k8s.io/api/core/v1"

	"github.com/accelfit/accelfit/internal/testkit"
	"github.com/accelfit/accelfit/simulate"
	"github.com/accelfit/accelfit/vendors"
)

// fullCluster is n nodes of 8 cards with 10 pods each; every card has 10,000 of 24,000 MiB taken, but on one of 16 nodes.
func fullCluster(b *testing.B, n int) (*simulate.Snapshot, []*corev1.Pod) {
	b.Helper()
	nodes := make([]*corev1.Node, n)
	text := testkit.Node("n", cards(8, 24000)...).Annotations
	for i := range nodes {
		nodes[i] = &corev1.Node{}
		nodes[i].Name, nodes[i].Annotations = fmt.Sprintf("n%06d", i), text
	}
	s := newSnapshot(b, vendors.Default(), nodes)
	var pods []*corev1.Pod
	for i := range nodes {
		for k := range 10 {
			if i%16 == 0 && k > 2 {
				continue
			}
			pod := podOf(fmt.Sprintf("p%d-%d gpu=%d mem=10000", i, k, 1+k/8*3))
			if result, err := s.Place(pod, nodes[i].Name); err == nil && result.OK() {
				pods = append(pods, pod)
			}
		}
	}
	return s, pods
}

// BenchmarkQuestions: the lower bound is one fit on each node.
func BenchmarkQuestions(b *testing.B) {
	for _, n := range sizes(100, 1000) {
		s, pods := fullCluster(b, n)
		small, large := podOf("x gpu=1 mem=3000"), podOf("x gpu=8 mem=20000")
		for name, ask := range map[string]func() (bool, error){
			"fit-each": func() (bool, error) {
				r, err := s.Fork().PlaceAnywhere(large, simulate.PlaceOptions{Brief: true})
				return !r.OK(), err
			},
			"capacity": func() (bool, error) {
				c, err := s.Capacity(small, simulate.CapacityOptions{})
				return c.Total > n, err
			},
			"fragments": func() (bool, error) {
				f, err := s.Fragments(small, simulate.FragmentOptions{})
				return len(f.Nodes) == n, err
			},
			"makeroom": func() (bool, error) {
				r, err := s.MakeRoom(large, pods, simulate.MoveOptions{})
				return r.OK() && len(r.Moves) == 3, err
			},
			"drain": func() (bool, error) {
				d, err := s.Drain("n000001", pods, simulate.MoveOptions{})
				return d.OK, err
			},
		} {
			b.Run(name+"/"+strconv.Itoa(n), func(b *testing.B) {
				b.ReportAllocs()
				for b.Loop() {
					if ok, err := ask(); !ok || err != nil {
						b.Fatal("unexpected answer", err)
					}
				}
			})
		}
	}
}
