package mthreads_test

import (
	"testing"

	"github.com/accelfit/accelfit/device/devicetest"
	"github.com/accelfit/accelfit/internal/conformance"
)

func TestConformance(t *testing.T)  { devicetest.Run(t, conformance.Mthreads()) }
func FuzzLaws(f *testing.F)         { devicetest.FuzzLaws(f, conformance.Mthreads()) }
func FuzzHostile(f *testing.F)      { devicetest.FuzzHostile(f, conformance.Mthreads()) }
func BenchmarkBackend(b *testing.B) { devicetest.Bench(b, conformance.Mthreads()) }
