package simulation_test

import (
	"fmt"
	"testing"

	corev1 "k8s.io/api/core/v1"

	"github.com/accelfit/accelfit/examples/extender/internal/simulation"
)

// BenchmarkAnswer asks for one pod on 1,000 nodes with 8 devices each, and writes the answer: for nodes that were never seen
// (first), for the same list and another pod (again), and for a list in which one node is new (changed).
func BenchmarkAnswer(b *testing.B) {
	var nodes []*corev1.Node
	for i := range 1000 {
		nodes = append(nodes, node(fmt.Sprintf("node-%04d", i), 8, 24576))
	}
	first, second := asks(pod("first", "6000"), nodes...).text(b), asks(pod("second", "7000"), nodes...).text(b)
	b.Run("first", func(b *testing.B) {
		b.SetBytes(int64(len(first)))
		for range b.N {
			b.StopTimer()
			s := simulator(b)
			b.StartTimer()
			write(b, s, first)
		}
	})
	b.Run("again", func(b *testing.B) {
		s := simulator(b)
		write(b, s, first)
		b.SetBytes(int64(len(second)))
		for b.Loop() {
			write(b, s, second)
		}
	})
	b.Run("changed", func(b *testing.B) {
		s := simulator(b)
		write(b, s, first)
		for i := range b.N {
			b.StopTimer()
			nodes[500].Labels = map[string]string{"changed": fmt.Sprint(i)}
			body := asks(pod("second", "7000"), nodes...).text(b)
			b.SetBytes(int64(len(body)))
			b.StartTimer()
			write(b, s, body)
		}
	})
}

func write(b *testing.B, s *simulation.Simulator, body []byte) {
	b.Helper()
	response, err := s.Answer(b.Context(), body)
	if err != nil {
		b.Fatal(err)
	}
	if _, err := response.JSON(); err != nil {
		b.Fatal(err)
	}
}
