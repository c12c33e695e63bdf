package amd

import (
	corev1 "k8s.io/api/core/v1"

	"github.com/accelfit/accelfit/device"
	"github.com/accelfit/accelfit/vendors/kit"
)

// Request implements [device.Backend] (spec amd §6): the container's limits. Amounts that are no whole numbers or out of range, and
// memory or cores without a number of cards, are errors (deviation aD1).
func (b *Backend) Request(c *corev1.Container) (device.ContainerRequest, error) {
	config, limits := b.Config(), limitsOf(c)
	if !kit.Limited(limits, config.ResourceCountName) {
		return device.ContainerRequest{}, config.countless(limits)
	}
	n, _, err := device.WholeNumber(limits, config.ResourceCountName, device.MaxAmount)
	if err != nil || n == 0 {
		return device.ContainerRequest{}, err
	}
	memory, _, err := device.WholeNumber(limits, config.ResourceMemoryName, device.MaxAmount)
	if err != nil {
		return device.ContainerRequest{}, err
	}
	cores, err := config.percent(limits)
	if err != nil {
		return device.ContainerRequest{}, err
	}
	return device.ContainerRequest{Vendor: Vendor, Nums: n, Memory: memory, Cores: cores}, nil
}

// limitsOf is a container without its requests, which this vendor does not read.
func limitsOf(c *corev1.Container) *corev1.Container {
	out := &corev1.Container{Name: c.Name}
	out.Resources.Limits = c.Resources.Limits
	return out
}

// countless refuses a container that asks for parts of cards without saying of how many.
func (c *Config) countless(limits *corev1.Container) error {
	if c.ResourceCountName == "" {
		return nil
	}
	for _, name := range []string{c.ResourceMemoryName, c.ResourceCoreName} {
		if kit.Limited(limits, name) {
			return kit.Invalid(limits, name, "needs "+c.ResourceCountName+" beside it")
		}
	}
	return nil
}

// percent is the share of each card's CUs.
func (c *Config) percent(limits *corev1.Container) (int64, error) {
	q, found := device.Quantity(limits, c.ResourceCoreName)
	n, whole := q.AsInt64()
	switch {
	case !found:
		return 100, nil
	case !whole || n < 1 || n > 100:
		return 0, kit.Invalid(limits, c.ResourceCoreName, "must be an integer percentage between 1 and 100")
	}
	return n, nil
}

// Admit implements [device.Backend] (spec amd §7): nothing is completed, and what Request would refuse is refused, as are impossible
// cores beside a number of 0.
func (b *Backend) Admit(_ *corev1.Pod, c *corev1.Container) (device.Admitted, error) {
	config := b.Config()
	asks := kit.Limited(c, config.ResourceCountName)
	if asks {
		if _, err := config.percent(limitsOf(c)); err != nil {
			return device.Admitted{}, err
		}
	}
	return kit.AdmitAsked(b, c, asks)
}
