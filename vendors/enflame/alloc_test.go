//go:build !race

package enflame_test // the race detector makes pools allocate

import (
	"testing"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"

	"github.com/accelfit/accelfit/device"
	"github.com/accelfit/accelfit/vendors"
)

// TestFitAllocates: refusing a node costs no memory, an answer the allocation.
func TestFitAllocates(t *testing.T) {
	set := vendors.Default()
	node := device.NewNodeUsage(set.Inventory(onlyCard()))
	for slices, most := range map[string]float64{"3": 2, "4": 0, "6": 2} {
		r, err := set.Request(asking(corev1.ResourceList{"enflame.com/drs-gcu": resource.MustParse(slices)}))
		if err != nil {
			t.Fatal(err)
		}
		if got := testing.AllocsPerRun(100, func() { set.Fit(r, node) }); got > most {
			t.Errorf("%s slices: %v allocations, want at most %v", slices, got, most)
		}
	}
}
