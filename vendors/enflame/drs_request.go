package enflame

import (
	corev1 "k8s.io/api/core/v1"

	"github.com/accelfit/accelfit/device"
)

// bySize in [device.ContainerRequest.MemoryPercent] says that Memory and Cores are what an instance must have at least; otherwise
// Memory is its number of slices.
const bySize = -1

// Request implements [device.Backend] (spec enflame §II.5): one instance, of a number of slices or, where none is given, of at least
// some memory and percent of a card. Amounts that are no whole numbers, negative or out of range are errors (deviation eD7).
func (b *DRS) Request(c *corev1.Container) (device.ContainerRequest, error) {
	slices, _, err := device.WholeNumber(c, b.count, device.MaxAmount)
	if err != nil {
		return device.ContainerRequest{}, err
	}
	if slices > 0 {
		return device.ContainerRequest{Vendor: Vendor, Nums: 1, Memory: slices}, nil
	}
	memory, sized, err := device.WholeNumber(c, b.memory, device.MaxAmount)
	if err != nil {
		return device.ContainerRequest{}, err
	}
	cores, shared, err := device.WholeNumber(c, b.cores, device.MaxAmount)
	if err != nil || !sized && !shared {
		return device.ContainerRequest{}, err
	}
	return device.ContainerRequest{Vendor: Vendor, Nums: 1, Memory: memory, MemoryPercent: bySize, Cores: cores}, nil
}
