package ascend

import (
	"fmt"

	corev1 "k8s.io/api/core/v1"

	"github.com/accelfit/accelfit/device"
)

// Request implements [device.Backend]: of a pod that says nothing, which is one with the hard split.
func (b *Backend) Request(c *corev1.Container) (device.ContainerRequest, error) {
	return b.RequestOf(nil, c)
}

// RequestOf implements [device.PodRequester] (spec ascend §4). Amounts that are no whole numbers, negative or out of range are
// errors (deviations D11, D12 and A8); only cores are rounded up. With a memory factor, memory is rounded up to a template here
// too, because admission leaves it as it is (deviation A5).
func (b *Backend) RequestOf(annotations map[string]string, c *corev1.Container) (device.ContainerRequest, error) {
	n, _, err := device.WholeNumber(c, b.names.Count, device.MaxAmount)
	if err != nil || n == 0 {
		return device.ContainerRequest{}, err
	}
	memory, given, err := device.WholeNumber(c, b.names.Memory, b.most())
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

// atLeast is the smallest template or the whole chip that has the memory; memory that the chip does not have stays as it is.
func (c *Chip) atLeast(mib int64) int64 {
	if rounded, _ := c.trim(mib); rounded > 0 {
		return rounded
	}
	return mib
}

func (b *Backend) cores(c *corev1.Container) (int64, error) {
	q, found := device.Quantity(c, b.names.Cores)
	if found && (q.Sign() < 0 || q.CmpInt64(device.MaxAmount) > 0) {
		return 0, &device.RequestError{
			Container: c.Name, Key: b.names.Cores, Value: q.String(), Why: fmt.Sprintf("must be from 0 to %d", device.MaxAmount),
		}
	}
	return q.Value(), nil
}
