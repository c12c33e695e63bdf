package amd_test

import (
	"testing"

	"github.com/accelfit/accelfit/device/devicetest"
	"github.com/accelfit/accelfit/internal/conformance"
)

func TestConformance(t *testing.T)  { devicetest.Run(t, conformance.AMD()) }
func FuzzLaws(f *testing.F)         { devicetest.FuzzLaws(f, conformance.AMD()) }
func FuzzHostile(f *testing.F)      { devicetest.FuzzHostile(f, conformance.AMD()) }
func BenchmarkBackend(b *testing.B) { devicetest.Bench(b, conformance.AMD()) }
