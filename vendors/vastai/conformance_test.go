package vastai_test

import (
	"testing"

	"github.com/accelfit/accelfit/device/devicetest"
	"github.com/accelfit/accelfit/internal/conformance"
)

func TestConformance(t *testing.T)  { devicetest.Run(t, conformance.Vastai()) }
func FuzzLaws(f *testing.F)         { devicetest.FuzzLaws(f, conformance.Vastai()) }
func FuzzHostile(f *testing.F)      { devicetest.FuzzHostile(f, conformance.Vastai()) }
func BenchmarkBackend(b *testing.B) { devicetest.Bench(b, conformance.Vastai()) }
