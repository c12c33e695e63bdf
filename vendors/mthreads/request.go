package mthreads

import (
	corev1 "k8s.io/api/core/v1"

	"github.com/accelfit/accelfit/device"
)

// What admission asks of each card for a whole card (spec mthreads §3).
const (
	wholeBlocks = 96
	wholeCores  = cores
)

// Request implements [device.Backend] (spec mthreads §6): a number of cards, and memory and cores of all of them together. No
// memory, or memory 0, is all the memory of each card. Amounts that are no whole numbers, negative or out of range are errors
// (deviations mD2 and mD3).
func (b *Backend) Request(c *corev1.Container) (device.ContainerRequest, error) {
	n, _, err := device.WholeNumber(c, b.Config().ResourceCountName, device.MaxAmount)
	if err != nil || n == 0 {
		return device.ContainerRequest{}, err
	}
	blocks, _, err := device.WholeNumber(c, b.Config().ResourceMemoryName, device.MaxAmount/block)
	if err != nil {
		return device.ContainerRequest{}, err
	}
	of, _, err := device.WholeNumber(c, b.Config().ResourceCoreName, device.MaxAmount)
	if err != nil {
		return device.ContainerRequest{}, err
	}
	ask := device.ContainerRequest{Vendor: Vendor, Nums: n, Memory: blocks * block / n, Cores: of / n}
	if blocks == 0 {
		ask.MemoryPercent = 100
	}
	return ask, nil
}

// amounts says what a request takes of a card.
type amounts func(ask *device.ContainerRequest, card *device.DeviceInfo) (memory, cores int64)

// asWritten takes what the request says.
func asWritten(ask *device.ContainerRequest, card *device.DeviceInfo) (memory, cores int64) {
	return ask.MemoryOn(card.Memory), ask.Cores
}

// wholeAsAll takes all there is where the request is for whole cards (deviation mD1).
func wholeAsAll(ask *device.ContainerRequest, card *device.DeviceInfo) (memory, cores int64) {
	if isWhole(ask) {
		return card.Memory, card.Cores
	}
	return asWritten(ask, card)
}

func isWhole(ask *device.ContainerRequest) bool {
	return ask.Memory == wholeBlocks*block && ask.Cores == wholeCores
}
