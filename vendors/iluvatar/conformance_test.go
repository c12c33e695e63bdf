package iluvatar_test

import (
	"testing"

	"github.com/accelfit/accelfit/device/devicetest"
	"github.com/accelfit/accelfit/internal/conformance"
	"github.com/accelfit/accelfit/vendors/iluvatar"
)

func TestConformance(t *testing.T) {
	for _, m := range iluvatar.Models() {
		t.Run(m.Name, func(t *testing.T) { devicetest.Run(t, conformance.Iluvatar(m.Vendor)) })
	}
}

func FuzzLaws(f *testing.F)         { devicetest.FuzzLaws(f, conformance.Iluvatar("BI-V150")) }
func FuzzHostile(f *testing.F)      { devicetest.FuzzHostile(f, conformance.Iluvatar("BI-V150")) }
func BenchmarkBackend(b *testing.B) { devicetest.Bench(b, conformance.Iluvatar("BI-V150")) }
