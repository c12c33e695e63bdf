//go:build !race

package simulate_test // the race detector makes pools allocate

import (
	"testing"

	corev1 "k8s.io/api/core/v1"

	"github.com/accelfit/accelfit/internal/testkit"
	"github.com/accelfit/accelfit/simulate"
	"github.com/accelfit/accelfit/vendors"
)

// TestPlaceAllocates limits what placing a pod on one of 10,000 nodes allocates: its request, the path to its node in the list
// of nodes and in that of pods, the node's usage and holdings, and the answer.
func TestPlaceAllocates(t *testing.T) {
	s := newSnapshot(t, vendors.Default(), bareNodes(10_000))
	if err := s.RemoveNode("n005000"); err != nil {
		t.Fatal(err)
	}
	if _, err := s.AddNode(readyNode("n005000"), nil); err != nil {
		t.Fatal(err)
	}
	for line, most := range map[string]float64{"p gpu=1 mem=4000": 25, "p gpu=2 mem=4000 cores=20": 26} {
		pod := podOf(line)
		got := testing.AllocsPerRun(200, func() {
			if result, err := s.Fork().Place(pod, "n005000"); err != nil || !result.OK() {
				t.Fatal(result, err)
			}
		})
		t.Logf("%s: %v allocations", line, got)
		if got > most {
			t.Errorf("%s: %v allocations, the most is %v", line, got, most)
		}
	}
}

// TestPlaceAnywhereAllocates: trying a pod on nodes allocates nothing for each node, once it was tried on their states.
func TestPlaceAnywhereAllocates(t *testing.T) {
	pod := podOf("p gpu=1 mem=4000")
	var small, large float64
	for n, into := range map[int]*float64{100: &small, 2000: &large} {
		s := newSnapshot(t, vendors.Default(), bareNodes(n))
		*into = testing.AllocsPerRun(20, func() {
			if _, err := s.Fork().PlaceAnywhere(pod, simulate.PlaceOptions{Brief: true}); err != nil {
				t.Fatal(err)
			}
		})
	}
	if large > small+1 {
		t.Errorf("%v allocations on 2,000 nodes, %v on 100", large, small)
	}
}

func readyNode(name string) *corev1.Node { return testkit.Node(name, cards(8, 24000)...) }
