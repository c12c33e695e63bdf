package cambricon_test

import (
	"testing"

	"github.com/accelfit/accelfit/device/devicetest"
	"github.com/accelfit/accelfit/internal/conformance"
)

func TestConformance(t *testing.T)  { devicetest.Run(t, conformance.Cambricon()) }
func FuzzLaws(f *testing.F)         { devicetest.FuzzLaws(f, conformance.Cambricon()) }
func FuzzHostile(f *testing.F)      { devicetest.FuzzHostile(f, conformance.Cambricon()) }
func BenchmarkBackend(b *testing.B) { devicetest.Bench(b, conformance.Cambricon()) }
