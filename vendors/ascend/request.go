package ascend

import (
	"fmt"

	corev1 "k8s.io/api/core/v1"

	"github.com/accelfit/accelfit/device"
	"github.com/accelfit/accelfit/vendors/kit"
)

// Request implements [device.Backend]: of a pod that says nothing, which is one with the hard split.
func (b *Backend) Request(c *corev1.Container) (device.ContainerRequest, error) {
	return b.RequestOf(nil, c)
}

// RequestOf implements [device.PodRequester] (spec ascend §4). Amounts that are no whole numbers, negative or out of range are
// errors (deviations D11, D12 and A8); only cores are rounded up. With a memory factor, memory is rounded up to a template here
// too, because admission leaves it as it is (deviation A5).
func (b *Backend) RequestOf(annotations map[string]string, c *corev1.Container) (device.ContainerRequest, error) {
	n, _, err := device.WholeNumber(c, b.chip.ResourceName, device.MaxAmount)
	if err != nil || n == 0 {
		return device.ContainerRequest{}, err
	}
	memory, given, err := device.WholeNumber(c, b.chip.ResourceMemoryName, b.most())
	if err != nil {
		return device.ContainerRequest{}, err
	}
	cores, err := b.cores(c)
	if err != nil {
		return device.ContainerRequest{}, err
	}
	ask := device.ContainerRequest{Vendor: b.Vendor(), Nums: n, Memory: b.chip.mib(memory), Cores: cores}
	if given && b.chip.factor() > 1 && !isSoft(annotations) {
		ask.Memory = b.chip.atLeast(ask.Memory)
	}
	if !given || ask.Memory == 0 {
		ask.Memory, ask.MemoryPercent = 0, 100
	}
	return ask, nil
}

// most is the largest amount of the memory resource that makes a request.
func (b *Backend) most() int64 { return device.MaxAmount / b.chip.factor() }

func (b *Backend) cores(c *corev1.Container) (int64, error) {
	q, found := device.Quantity(c, b.chip.ResourceCoreName)
	if found && (q.Sign() < 0 || q.CmpInt64(device.MaxAmount) > 0) {
		return 0, kit.Invalid(c, b.chip.ResourceCoreName, fmt.Sprintf("must be from 0 to %d", device.MaxAmount))
	}
	return q.Value(), nil
}

func isSoft(annotations map[string]string) bool { return annotations[AnnotationMode] == ModeSoftSplit }

// trim rounds memory up to the smallest template that has it (spec ascend §2). What no template has, and the chip still does,
// is the whole chip, which has no template; 0 is memory that the chip does not have.
func (c *Chip) trim(mib int64) (memory int64, template string) {
	for i := range c.Templates {
		if t := &c.Templates[i]; mib <= t.Memory {
			return t.Memory, t.Name
		}
	}
	if mib <= c.MemoryCapacity {
		return c.MemoryAllocatable, ""
	}
	return 0, ""
}

// atLeast is the smallest template or the whole chip that has the memory; memory that the chip does not have stays as it is.
func (c *Chip) atLeast(mib int64) int64 {
	if rounded, _ := c.trim(mib); rounded > 0 {
		return rounded
	}
	return mib
}

func (c *Chip) factor() int64 { return max(1, int64(c.MemoryFactor)) }

// whole is the amount of the memory resource that stands for the whole chip.
func (c *Chip) whole() int64 { return (c.MemoryAllocatable + c.factor() - 1) / c.factor() }

// mib is what an amount of the memory resource stands for. The whole chip is no more than it has, also where the factor does
// not divide it (deviation A5).
func (c *Chip) mib(amount int64) int64 {
	if amount == c.whole() {
		return c.MemoryAllocatable
	}
	return device.Product(amount, c.factor())
}
