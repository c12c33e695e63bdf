package biren_test

import (
	"testing"

	"github.com/accelfit/accelfit/device/devicetest"
	"github.com/accelfit/accelfit/internal/conformance"
)

func TestConformance(t *testing.T)  { devicetest.Run(t, conformance.Biren()) }
func FuzzLaws(f *testing.F)         { devicetest.FuzzLaws(f, conformance.Biren()) }
func FuzzHostile(f *testing.F)      { devicetest.FuzzHostile(f, conformance.Biren()) }
func BenchmarkBackend(b *testing.B) { devicetest.Bench(b, conformance.Biren()) }
