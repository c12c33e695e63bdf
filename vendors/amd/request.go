package amd

import (
	corev1 "k8s.io/api/core/v1"

	"github.com/accelfit/accelfit/device"
	"github.com/accelfit/accelfit/vendors/kit"
)

// Request implements [device.Backend] (spec amd §6): the container's limits. Amounts that are no whole numbers or out of range, and
// memory or cores without a number of cards, are errors (deviation aD1).
func (b *Backend) Request(c *corev1.Container) (device.ContainerRequest, error) {
	limits := limitsOf(c)
	if !kit.Limited(limits, b.config.ResourceCountName) {
		return device.ContainerRequest{}, b.countless(limits)
	}
	n, _, err := device.WholeNumber(limits, b.config.ResourceCountName, device.MaxAmount)
	if err != nil || n == 0 {
		return device.ContainerRequest{}, err
	}
	memory, _, err := device.WholeNumber(limits, b.config.ResourceMemoryName, device.MaxAmount)
	if err != nil {
		return device.ContainerRequest{}, err
	}
	cores, err := b.percent(limits)
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
func (b *Backend) countless(c *corev1.Container) error {
	if b.config.ResourceCountName == "" {
		return nil
	}
	for _, name := range []string{b.config.ResourceMemoryName, b.config.ResourceCoreName} {
		if q, found := device.Quantity(c, name); found {
			return &device.RequestError{
				Container: c.Name, Key: name, Value: q.String(), Why: "needs " + b.config.ResourceCountName + " beside it",
			}
		}
	}
	return nil
}

// percent is the share of each card's CUs.
func (b *Backend) percent(c *corev1.Container) (int64, error) {
	q, found := device.Quantity(c, b.config.ResourceCoreName)
	n, whole := q.AsInt64()
	switch {
	case !found:
		return 100, nil
	case !whole || n < 1 || n > 100:
		return 0, &device.RequestError{
			Container: c.Name, Key: b.config.ResourceCoreName, Value: q.String(),
			Why: "must be an integer percentage between 1 and 100",
		}
	}
	return n, nil
}

// Admit implements [device.Backend] (spec amd §7): nothing is completed, and what Request would refuse is refused, as are impossible
// cores beside a number of 0.
func (b *Backend) Admit(_ *corev1.Pod, c *corev1.Container) (device.Admitted, error) {
	asks := kit.Limited(c, b.config.ResourceCountName)
	if asks {
		if _, err := b.percent(limitsOf(c)); err != nil {
			return device.Admitted{}, err
		}
	}
	return kit.AdmitAsked(b, c, asks)
}
