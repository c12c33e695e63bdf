package kit

import (
	corev1 "k8s.io/api/core/v1"

	"github.com/accelfit/accelfit/device"
)

// Shares is how a container asks for devices and, of each, for memory and cores: the resource names and what is meant where
// one is left out.
type Shares struct {
	Vendor device.Vendor
	Count  string // resource: devices
	Memory string // resource: memory of each; empty: none
	Cores  string // resource: cores of each, percent; empty: none

	Unit         int64 // MiB of one unit of memory; below 1: 1
	DefaultCores int64 // where none are given
}

// Request reads a container: limits go before requests, name by name. No memory, or memory 0, is 100 percent of each device.
// Cores above 100 count as 100. A count of 0 asks for nothing. Amounts that are no whole numbers, negative or out of 32 bits are
// a [*device.RequestError].
func (s *Shares) Request(c *corev1.Container) (device.ContainerRequest, error) {
	n, _, err := device.WholeNumber(c, s.Count, device.MaxAmount)
	if err != nil {
		return device.ContainerRequest{}, err
	}
	unit := max(1, s.Unit)
	memory, _, err := device.WholeNumber(c, s.Memory, device.MaxAmount/unit)
	if err != nil {
		return device.ContainerRequest{}, err
	}
	cores, given, err := device.WholeNumber(c, s.Cores, device.MaxAmount)
	if err != nil || n == 0 {
		return device.ContainerRequest{}, err
	}
	if !given {
		cores = s.DefaultCores
	}
	ask := device.ContainerRequest{Vendor: s.Vendor, Nums: n, Memory: memory * unit, Cores: min(cores, 100)}
	if memory == 0 {
		ask.MemoryPercent = 100
	}
	return ask, nil
}
