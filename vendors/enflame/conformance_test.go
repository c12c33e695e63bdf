package enflame_test

import (
	"testing"

	"github.com/accelfit/accelfit/device/devicetest"
	"github.com/accelfit/accelfit/internal/conformance"
)

func TestConformanceGCU(t *testing.T)  { devicetest.Run(t, conformance.EnflameGCU()) }
func FuzzGCULaws(f *testing.F)         { devicetest.FuzzLaws(f, conformance.EnflameGCU()) }
func FuzzGCUHostile(f *testing.F)      { devicetest.FuzzHostile(f, conformance.EnflameGCU()) }
func BenchmarkBackendGCU(b *testing.B) { devicetest.Bench(b, conformance.EnflameGCU()) }

func TestConformanceDRS(t *testing.T)  { devicetest.Run(t, conformance.EnflameDRS()) }
func FuzzDRSLaws(f *testing.F)         { devicetest.FuzzLaws(f, conformance.EnflameDRS()) }
func FuzzDRSHostile(f *testing.F)      { devicetest.FuzzHostile(f, conformance.EnflameDRS()) }
func BenchmarkBackendDRS(b *testing.B) { devicetest.Bench(b, conformance.EnflameDRS()) }
