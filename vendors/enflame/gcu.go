package enflame

import (
	"strconv"

	corev1 "k8s.io/api/core/v1"

	"github.com/accelfit/accelfit/device"
	"github.com/accelfit/accelfit/vendors/kit"
)

// whole is what a card has of memory and cores, and what is booked of it: percent of the card.
const whole = 100

// Inventory implements [device.Backend]: as many cards as the node has capacity (spec enflame §I.3); more than
// [device.MaxDevices] are an error (deviation eD11).
func (b *GCU) Inventory(node *corev1.Node) device.Inventory {
	return kit.Counted(node, VendorGCU, b.config.ResourceNameGCU, func(i int) device.DeviceInfo {
		return device.DeviceInfo{
			ID: node.Name + "-GCU-" + strconv.Itoa(i), Index: i, Type: string(VendorGCU),
			Slots: 1, Memory: whole, Cores: whole, Healthy: true,
		}
	})
}

// Describe implements [device.Backend]: the number of cards. Cards that are not as Inventory makes them are an error.
func (b *GCU) Describe(node *corev1.Node, devices []device.DeviceInfo) error {
	device.Offer(node, b.config.ResourceNameGCU, int64(len(devices)))
	return kit.ReadsBack(b, node, devices)
}

// Health implements [device.Backend]: a node without capacity has no cards (spec enflame §I.6).
func (b *GCU) Health(in device.HealthInput) device.HealthAnswer {
	n, _ := device.Capacity(in.Node, b.config.ResourceNameGCU)
	return device.HealthAnswer{Healthy: n > 0, Renew: true}
}

// Request implements [device.Backend] (spec enflame §I.4): a number of cards. One that is not whole, negative or out of range is an
// error (deviation eD8).
func (b *GCU) Request(c *corev1.Container) (device.ContainerRequest, error) {
	n, _, err := device.WholeNumber(c, b.config.ResourceNameGCU, device.MaxAmount)
	if err != nil || n == 0 {
		return device.ContainerRequest{}, err
	}
	return device.ContainerRequest{Vendor: VendorGCU, Nums: n, Memory: whole, MemoryPercent: 100, Cores: whole}, nil
}

// Admit implements [device.Backend]: nothing is completed; only limits make a container this vendor's.
func (b *GCU) Admit(_ *corev1.Pod, c *corev1.Container) (device.Admitted, error) {
	return kit.AdmitAsked(b, c, kit.Limited(c, b.config.ResourceNameGCU))
}

// Plan implements [device.Backend]: the checks of spec enflame §I.5 in their order.
func (b *GCU) Plan(_ *device.PodContext, ask device.ContainerRequest) device.Plan {
	var rules kit.Rules
	rules.Add(kit.Healthy()) // check 1
	rules.Add(kit.Idle())    // check 3
	return device.Plan{Ask: ask, Cores: ask.Cores, Rules: rules.Table()}
}
