package nvidia

import (
	corev1 "k8s.io/api/core/v1"

	"github.com/accelfit/accelfit/device"
	"github.com/accelfit/accelfit/vendors/kit"
)

// Request implements [device.Backend] (spec nvidia §3). Memory that is no whole number, negative or out of range, a count
// that is no whole number or out of range, and negative cores are errors (deviations D11 and D12); a percentage that is no
// whole number counts as not given, one above 100 as 100.
func (b *Backend) Request(c *corev1.Container) (device.ContainerRequest, error) {
	config := b.config
	n, _, err := device.WholeNumber(c, config.ResourceCountName, device.MaxAmount)
	if err != nil || n == 0 {
		return device.ContainerRequest{}, err
	}
	memory, _, err := device.WholeNumber(c, config.ResourceMemoryName, device.MaxAmount/config.factor())
	if err != nil {
		return device.ContainerRequest{}, err
	}
	cores, err := config.cores(c)
	if err != nil {
		return device.ContainerRequest{}, err
	}
	r := device.ContainerRequest{
		Vendor: Vendor, Nums: n, Memory: memory * config.factor(), MemoryPercent: config.percent(c), Cores: cores,
	}
	if r.Memory == 0 && r.MemoryPercent == device.PercentUnset {
		r.Memory = int64(config.DefaultMemory)
		if r.Memory == 0 {
			r.MemoryPercent = 100
		}
	}
	return r, nil
}

func (c *Config) percent(container *corev1.Container) int64 {
	q, _ := device.Quantity(container, c.ResourceMemoryPercentageName)
	if p, whole := q.AsInt64(); whole && p > 0 {
		return min(p, 100)
	}
	return device.PercentUnset
}

func (c *Config) cores(container *corev1.Container) (int64, error) {
	q, found := device.Quantity(container, c.ResourceCoreName)
	n, whole := q.AsInt64()
	switch {
	case !found || !whole:
		return int64(c.DefaultCores), nil
	case n < 0:
		return 0, kit.Invalid(container, c.ResourceCoreName, "must not be negative")
	}
	return min(n, device.MaxAmount), nil
}
