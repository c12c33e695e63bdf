package kit

import (
	"cmp"

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
	MostCores    int64 // that are no error; 0: device.MaxAmount
}

// Request reads a container: limits go before requests, name by name. No memory, or memory 0, is 100 percent of each device.
// Cores above 100 are left as written; see [AtMostWhole]. A count of 0 asks for nothing, whatever the other amounts. Amounts
// that are no whole numbers, negative or out of range are a [*device.RequestError].
func (s *Shares) Request(c *corev1.Container) (device.ContainerRequest, error) {
	n, _, err := device.WholeNumber(c, s.Count, device.MaxAmount)
	if err != nil || n == 0 {
		return device.ContainerRequest{}, err
	}
	unit := max(1, s.Unit)
	memory, _, err := device.WholeNumber(c, s.Memory, device.MaxAmount/unit)
	if err != nil {
		return device.ContainerRequest{}, err
	}
	cores, given, err := device.WholeNumber(c, s.Cores, cmp.Or(s.MostCores, device.MaxAmount))
	if err != nil {
		return device.ContainerRequest{}, err
	}
	if !given {
		cores = s.DefaultCores
	}
	ask := device.ContainerRequest{Vendor: s.Vendor, Nums: n, Memory: memory * unit, Cores: cores}
	if memory == 0 {
		ask.MemoryPercent = 100
	}
	return ask, nil
}

// AtMostWhole is a request with no more than all cores of each device.
func AtMostWhole(ask device.ContainerRequest) device.ContainerRequest {
	ask.Cores = min(ask.Cores, 100)
	return ask
}
