package iluvatar

import (
	corev1 "k8s.io/api/core/v1"

	"github.com/accelfit/accelfit/device"
	"github.com/accelfit/accelfit/vendors/kit"
)

// Inventory implements [device.Backend]: the registration annotation (spec iluvatar §5). Records that cannot be used are dropped
// and reported (deviations iD8, iD9). What is asked counts in the scores of all cards of the chip (iD4).
func (b *Backend) Inventory(node *corev1.Node) device.Inventory {
	inv := kit.Registration(node, b.Vendor(), b.names.Register, device.SkipBad, device.DecodeLegacyRegistration)
	for i := range inv.Devices {
		inv.Devices[i].ScoredAs = b.Vendor()
	}
	return inv
}

// Describe implements [device.Backend]: the registration, and as many cards offered as there are slots.
func (b *Backend) Describe(node *corev1.Node, devices []device.DeviceInfo) error {
	if err := kit.Describe(node, b.names, devices, device.EncodeLegacyRegistration); err != nil {
		return err
	}
	return kit.ReadsBack(b, node, devices)
}

// Health implements [device.Backend]: the handshake (spec iluvatar §13). A node whose handshake has expired stays down until
// its agent answers.
func (b *Backend) Health(in device.HealthInput) device.HealthAnswer {
	return kit.Handshake(in, b.names)
}
