package awsneuron

import (
	"fmt"
	"math"

	corev1 "k8s.io/api/core/v1"

	"github.com/accelfit/accelfit/device"
	"github.com/accelfit/accelfit/vendors/kit"
)

// usualCores is what a device of a node that is not known counts as.
const usualCores = 2

// mostAsked is how many cores a container may ask for.
const mostAsked = math.MaxUint32 - 1

// Request implements [device.Backend] (spec awsneuron §6, with k = 2): a number of whole devices or, where none is given, of
// cores. Numbers that are not whole, negative or out of range are errors (deviation nD8), and so are odd numbers of more
// cores than any device has (deviation nD1).
func (b *Backend) Request(c *corev1.Container) (device.ContainerRequest, error) {
	devices, err := number(c, b.Config().ResourceCountName, device.MaxAmount)
	if err != nil {
		return device.ContainerRequest{}, err
	}
	if devices > 0 {
		return device.ContainerRequest{Vendor: Vendor, Nums: devices, Cores: usualCores}, nil
	}
	cores, err := number(c, b.Config().ResourceCoreName, mostAsked)
	if err != nil || cores == 0 {
		return device.ContainerRequest{}, err
	}
	ask := device.ContainerRequest{Vendor: Vendor, Nums: 1, Cores: cores, CoresInAll: cores}
	switch {
	case cores%usualCores == 0:
		ask.Nums, ask.Cores = cores/usualCores, usualCores
	case cores > mostCores:
		why := fmt.Sprintf("must be 1 or a multiple of %d, got %d", usualCores, cores)
		return device.ContainerRequest{}, kit.Invalid(c, b.Config().ResourceCoreName, why)
	}
	return ask, nil
}

// number reads a quantity; 0 is as good as none. The errors are in the words of spec awsneuron §7.
func number(c *corev1.Container, name string, most int64) (int64, error) {
	q, found := device.Quantity(c, name)
	if !found {
		return 0, nil
	}
	switch n, whole := q.AsInt64(); {
	case !whole:
		return 0, kit.Invalid(c, name, "must be an integer")
	case n < 0:
		return 0, kit.Invalid(c, name, "must be greater than 0")
	case n > most:
		return 0, kit.Invalid(c, name, fmt.Sprintf("must not exceed %d", most))
	default:
		return n, nil
	}
}

// Admit implements [device.Backend] (spec awsneuron §7): nothing is completed; amounts in requests alone count as well.
func (b *Backend) Admit(_ *corev1.Pod, c *corev1.Container) (device.Admitted, error) {
	ask, err := b.Request(c)
	return device.Admitted{Mine: ask.Nums > 0}, err
}

// want is what a plan is made for.
type want struct{ device.ContainerRequest }

// on returns how many devices, and cores of each, it takes on a node whose devices have k cores; ok is false where the cores
// asked for are neither part of a device nor whole devices (deviation nD1). On devices that have none nothing fits anyway.
func (w want) on(k int64) (devices, cores int64, ok bool) {
	switch {
	case k == 0:
		return w.Nums, w.Cores, true
	case w.CoresInAll == 0:
		return w.Nums, k, true
	case w.CoresInAll <= k:
		return 1, w.CoresInAll, true
	}
	return max(1, w.CoresInAll/k), k, w.CoresInAll%k == 0
}

// devicesOn is [device.Plan].Nums. A node on which the cores cannot be had is refused later, for that reason.
func (w want) devicesOn(node *device.NodeInfo) int64 {
	n, _, ok := w.on(shapeIn(node.Extra(Vendor)).cores)
	if !ok {
		return 1
	}
	return n
}
