package kunlun_test

import (
	"testing"

	"github.com/accelfit/accelfit/device/devicetest"
	"github.com/accelfit/accelfit/internal/conformance"
)

func TestConformance(t *testing.T)  { devicetest.Run(t, conformance.Kunlun()) }
func FuzzLaws(f *testing.F)         { devicetest.FuzzLaws(f, conformance.Kunlun()) }
func FuzzHostile(f *testing.F)      { devicetest.FuzzHostile(f, conformance.Kunlun()) }
func BenchmarkBackend(b *testing.B) { devicetest.Bench(b, conformance.Kunlun()) }

func TestConformanceVirtual(t *testing.T)  { devicetest.Run(t, conformance.KunlunVirtual()) }
func FuzzVirtualLaws(f *testing.F)         { devicetest.FuzzLaws(f, conformance.KunlunVirtual()) }
func FuzzVirtualHostile(f *testing.F)      { devicetest.FuzzHostile(f, conformance.KunlunVirtual()) }
func BenchmarkBackendVirtual(b *testing.B) { devicetest.Bench(b, conformance.KunlunVirtual()) }
