package metax_test

import (
	"testing"

	"github.com/accelfit/accelfit/device/devicetest"
	"github.com/accelfit/accelfit/internal/conformance"
)

func TestConformanceGPU(t *testing.T)  { devicetest.Run(t, conformance.MetaXGPU()) }
func FuzzGPULaws(f *testing.F)         { devicetest.FuzzLaws(f, conformance.MetaXGPU()) }
func FuzzGPUHostile(f *testing.F)      { devicetest.FuzzHostile(f, conformance.MetaXGPU()) }
func BenchmarkBackendGPU(b *testing.B) { devicetest.Bench(b, conformance.MetaXGPU()) }

func TestConformanceSGPU(t *testing.T)  { devicetest.Run(t, conformance.MetaXSGPU()) }
func FuzzSGPULaws(f *testing.F)         { devicetest.FuzzLaws(f, conformance.MetaXSGPU()) }
func FuzzSGPUHostile(f *testing.F)      { devicetest.FuzzHostile(f, conformance.MetaXSGPU()) }
func BenchmarkBackendSGPU(b *testing.B) { devicetest.Bench(b, conformance.MetaXSGPU()) }
