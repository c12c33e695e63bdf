package enflame

import (
	corev1 "k8s.io/api/core/v1"

	"github.com/accelfit/accelfit/device"
	"github.com/accelfit/accelfit/vendors/kit"
)

// Request implements [device.Backend] (spec enflame §I.4): a number of cards. One that is not whole, negative or out of range is an
// error (deviation eD8).
func (b *GCU) Request(c *corev1.Container) (device.ContainerRequest, error) {
	n, _, err := device.WholeNumber(c, b.Config().ResourceNameGCU, device.MaxAmount)
	if err != nil || n == 0 {
		return device.ContainerRequest{}, err
	}
	return device.ContainerRequest{Vendor: VendorGCU, Nums: n, Memory: whole, MemoryPercent: 100, Cores: whole}, nil
}

// Admit implements [device.Backend]: nothing is completed; only limits make a container this vendor's.
func (b *GCU) Admit(_ *corev1.Pod, c *corev1.Container) (device.Admitted, error) {
	return kit.AdmitAsked(b, c, kit.Limited(c, b.Config().ResourceNameGCU))
}

// Plan implements [device.Backend]: the checks of spec enflame §I.5 in their order.
func (b *GCU) Plan(_ *device.PodContext, ask device.ContainerRequest) device.Plan {
	var rules kit.Rules
	rules.Add(kit.Healthy()) // check 1
	rules.Add(kit.Idle())    // check 3
	return device.Plan{Ask: ask, Cores: ask.Cores, Rules: rules.Table()}
}
