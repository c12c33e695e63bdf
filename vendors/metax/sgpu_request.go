package metax

import (
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"

	"github.com/accelfit/accelfit/device"
	"github.com/accelfit/accelfit/vendors/kit"
)

const (
	mibPerGiB  = 1024
	bytesOfMiB = 1 << 20

	// mostGiB is the largest bare number that counts as GiB for certain, and mostBare the largest at all.
	mostGiB  = 1<<20 - 1
	mostBare = device.MaxAmount / mibPerGiB
)

// Request implements [device.Backend] (spec metax §II.5, with deviations DS6 and DS15). Only limits are read. Cores are 100 where
// none are given, and may be more than 100, which no card of 100 has.
func (b *SGPU) Request(c *corev1.Container) (device.ContainerRequest, error) {
	limits := &corev1.Container{Name: c.Name, Resources: corev1.ResourceRequirements{Limits: c.Resources.Limits}}
	n, _, err := device.WholeNumber(limits, b.Config().ResourceVCountName, device.MaxAmount)
	if err != nil || n == 0 {
		return device.ContainerRequest{}, err
	}
	cores, given, err := device.WholeNumber(limits, b.Config().ResourceVCoreName, device.MaxAmount)
	if err != nil {
		return device.ContainerRequest{}, err
	}
	if !given {
		cores = 100
	}
	memory, err := b.memory(limits)
	if err != nil {
		return device.ContainerRequest{}, err
	}
	ask := device.ContainerRequest{Vendor: VendorSGPU, Nums: n, Memory: memory, Cores: cores}
	if memory == 0 {
		ask.MemoryPercent = 100
	}
	return ask, nil
}

// memory reads the memory of each card in MiB; 0: not given, or the whole card.
func (b *SGPU) memory(c *corev1.Container) (int64, error) {
	q, found := device.Quantity(c, b.Config().ResourceVMemoryName)
	if !found {
		return 0, nil
	}
	mib, bytes, ok := mebibytes(q)
	bare := !bytes && mib > mostBare*mibPerGiB
	if !ok || mib < 0 || mib > device.MaxAmount || bare || mib == 0 && q.Sign() != 0 {
		const why = "must be a whole number of GiB up to 2097151, or of bytes from 1Mi to 2147483647Mi"
		return 0, kit.Invalid(c, b.Config().ResourceVMemoryName, why)
	}
	return mib, nil
}

// mebibytes reads an amount of memory (deviation DS6): bytes with a binary suffix; else GiB below 1048576, which is what multiples
// of 1000 mean although they are written with a suffix (1k); else bytes with a suffix and GiB without. What counts is the text as
// API servers write it. ok is false for what is no whole number of 64 bits. Bytes are rounded down to MiB.
func mebibytes(q resource.Quantity) (mib int64, bytes, ok bool) {
	if about := q.AsApproximateFloat64(); about > 1<<62 || about < -1<<62 {
		return 0, false, false
	}
	v := q.Value()
	if q.CmpInt64(v) != 0 {
		return 0, false, false
	}
	text := q.String()
	suffixed := strings.ContainsFunc(text, func(r rune) bool { return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' })
	if strings.HasSuffix(text, "i") || v > mostGiB && suffixed {
		return v / bytesOfMiB, true, true
	}
	return multiple(v), false, true
}

// multiple is v GiB in MiB. A negative number stays one.
func multiple(v int64) int64 {
	if v < 0 {
		return -1
	}
	return device.Product(v, mibPerGiB)
}

// MemoryLimit implements [device.LimitReader]: quotas are read like requests (deviation DS7), but for bounds. A negative limit
// allows nothing at all.
func (b *SGPU) MemoryLimit(q resource.Quantity) (mib int64, ok bool) {
	if q.Sign() < 0 {
		return -1, true
	}
	mib, _, ok = mebibytes(q)
	return mib, ok
}

// AdmissionCharge implements [device.AdmissionCharger]: online pods take no cores (deviation DS8).
func (b *SGPU) AdmissionCharge(annotations map[string]string, ask device.ContainerRequest) (memory, cores int64) {
	memory, cores = device.Product(ask.Memory, ask.Nums), device.Product(ask.Cores, ask.Nums)
	if classOf(annotations) == online {
		cores = 0
	}
	return memory, cores
}
