package kunlun

import (
	"fmt"
	"math"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"

	"github.com/accelfit/accelfit/device"
	"github.com/accelfit/accelfit/vendors/kit"
)

// part returns the part of a card that an amount of memory is rounded to, as MiB (spec kunlun §II.2).
func part(mib int64) int64 {
	switch {
	case mib <= cardMemory/4:
		return cardMemory / 4
	case mib <= cardMemory/2:
		return cardMemory / 2
	}
	return cardMemory
}

// Request implements [device.Backend] (spec kunlun §II.5): virtual cards, and a part of a card of each. Numbers that are not
// whole or negative, and counts out of range, are errors (deviations D11, kD4 and kD5).
func (b *VirtualCards) Request(c *corev1.Container) (device.ContainerRequest, error) {
	n, _, err := device.WholeNumber(c, b.Config().ResourceVCountName, device.MaxAmount)
	if err != nil {
		return device.ContainerRequest{}, err
	}
	memory, given, err := device.WholeNumber(c, b.Config().ResourceVMemoryName, math.MaxInt64)
	if err != nil || n == 0 {
		return device.ContainerRequest{}, err
	}
	ask := device.ContainerRequest{Vendor: VendorVirtual, Nums: n, Memory: cardMemory, MemoryPercent: 100}
	if given {
		ask.Memory, ask.MemoryPercent = part(memory), 0
	}
	ask.Cores = ask.Memory * cardCores / cardMemory
	return ask, nil
}

// Admit implements [device.Backend] (spec kunlun §II.6): memory in the limits of a container that asks for virtual cards there
// becomes the size of a part, in limits and requests.
func (b *VirtualCards) Admit(_ *corev1.Pod, c *corev1.Container) (device.Admitted, error) {
	a, err := kit.AdmitAsked(b, c, kit.Limited(c, b.Config().ResourceVCountName))
	memory := b.Config().ResourceVMemoryName
	if err != nil || !a.Mine || !kit.Limited(c, memory) {
		return a, err
	}
	asked := c.Resources.Limits[corev1.ResourceName(memory)]
	size := part(asked.Value())
	if asked.Cmp(*resource.NewQuantity(size, resource.DecimalSI)) != 0 {
		a.Warnings = append(a.Warnings, fmt.Sprintf("container %s: %s %s becomes %d, a part of a card", c.Name, memory, asked.String(), size))
	}
	kit.SetLimit(c, memory, size)
	kit.SetRequest(c, memory, size)
	return a, nil
}
