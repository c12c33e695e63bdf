package awsneuron_test

import (
	"testing"

	"github.com/accelfit/accelfit/device/devicetest"
	"github.com/accelfit/accelfit/internal/conformance"
)

func TestConformance(t *testing.T)  { devicetest.Run(t, conformance.AWSNeuron()) }
func FuzzLaws(f *testing.F)         { devicetest.FuzzLaws(f, conformance.AWSNeuron()) }
func FuzzHostile(f *testing.F)      { devicetest.FuzzHostile(f, conformance.AWSNeuron()) }
func BenchmarkBackend(b *testing.B) { devicetest.Bench(b, conformance.AWSNeuron()) }
