package hygon_test

import (
	"testing"

	"github.com/accelfit/accelfit/device/devicetest"
	"github.com/accelfit/accelfit/internal/conformance"
)

func TestConformance(t *testing.T)  { devicetest.Run(t, conformance.Hygon()) }
func FuzzLaws(f *testing.F)         { devicetest.FuzzLaws(f, conformance.Hygon()) }
func FuzzHostile(f *testing.F)      { devicetest.FuzzHostile(f, conformance.Hygon()) }
func BenchmarkBackend(b *testing.B) { devicetest.Bench(b, conformance.Hygon()) }
