package biren

import (
	corev1 "k8s.io/api/core/v1"

	"github.com/accelfit/accelfit/device"
	"github.com/accelfit/accelfit/vendors/kit"
)

// cores is what every card has, whatever it registers (spec biren §5).
const cores = 100

// Inventory implements [device.Backend]: the registration annotation (spec biren §5). Entries that cannot be used are
// dropped and reported (deviation bD3).
func (b *Backend) Inventory(node *corev1.Node) device.Inventory {
	inv := kit.Registration(node, Vendor, AnnotationRegister, device.SkipBad, device.DecodeRegistration)
	for i := range inv.Devices {
		inv.Devices[i].Cores = cores
	}
	return inv
}

// Describe implements [device.Backend]: the registration, and as many cards offered as there are slots. Cards with other than
// 100 cores cannot be expressed.
func (b *Backend) Describe(node *corev1.Node, devices []device.DeviceInfo) error {
	if err := kit.Describe(node, b.Names(), devices, device.EncodeFullRegistration); err != nil {
		return err
	}
	return kit.ReadsBack(b, node, devices)
}

// Health implements [device.Backend]: the handshake (spec biren §13). A node whose handshake has expired stays down until
// its agent answers (deviation bD4).
func (b *Backend) Health(in device.HealthInput) device.HealthAnswer {
	return kit.Handshake(in, b.Names())
}
