package ascend_test

import (
	"testing"

	"github.com/accelfit/accelfit/device/devicetest"
	"github.com/accelfit/accelfit/internal/conformance"
	"github.com/accelfit/accelfit/vendors/ascend"
)

func TestConformance(t *testing.T) {
	for _, m := range ascend.Models() {
		t.Run(m.Name, func(t *testing.T) { devicetest.Run(t, conformance.Ascend(m.Vendor)) })
	}
}

func FuzzLaws(f *testing.F)         { devicetest.FuzzLaws(f, conformance.Ascend("Ascend910B3")) }
func FuzzPairs(f *testing.F)        { devicetest.FuzzLaws(f, conformance.Ascend("Ascend910C")) }
func FuzzHostile(f *testing.F)      { devicetest.FuzzHostile(f, conformance.Ascend("Ascend910B3")) }
func FuzzHostilePairs(f *testing.F) { devicetest.FuzzHostile(f, conformance.Ascend("Ascend910C")) }
func BenchmarkBackend(b *testing.B) { devicetest.Bench(b, conformance.Ascend("Ascend910B3")) }

// TestPercent: the soft split books no more than all of an NPU whose AI cores are percent.
func TestPercent(t *testing.T) {
	h := conformance.AscendByPercent("Ascend910B3")
	for _, l := range devicetest.Laws() {
		if l.Name == "no over-commit" {
			if err := l.Check(h); err != nil {
				t.Error(err)
			}
		}
	}
}
