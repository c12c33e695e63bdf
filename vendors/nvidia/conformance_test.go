package nvidia_test

import (
	"testing"

	"github.com/accelfit/accelfit/device/devicetest"
	"github.com/accelfit/accelfit/internal/conformance"
)

func TestConformance(t *testing.T)  { devicetest.Run(t, conformance.NVIDIA()) }
func FuzzLaws(f *testing.F)         { devicetest.FuzzLaws(f, conformance.NVIDIA()) }
func FuzzHostile(f *testing.F)      { devicetest.FuzzHostile(f, conformance.NVIDIA()) }
func BenchmarkBackend(b *testing.B) { devicetest.Bench(b, conformance.NVIDIA()) }
