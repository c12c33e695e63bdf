package hygon

import (
	corev1 "k8s.io/api/core/v1"

	"github.com/accelfit/accelfit/device"
	"github.com/accelfit/accelfit/vendors/kit"
)

// Inventory implements [device.Backend]: the registration annotation (spec hygon §5). Records that cannot be used are
// dropped and reported (deviations hD5, hD6, hD13); one without index has its place in the list as index (hD17). What is asked
// counts in the scores of all cards (hD10).
func (b *Backend) Inventory(node *corev1.Node) device.Inventory {
	inv := kit.Registration(node, Vendor, AnnotationRegister, device.SkipBad, device.DecodeNumberedRegistration)
	for i := range inv.Devices {
		inv.Devices[i].ScoredAs = Vendor
	}
	return inv
}

// Describe implements [device.Backend]: the registration, and as many cards offered as there are slots.
func (b *Backend) Describe(node *corev1.Node, devices []device.DeviceInfo) error {
	if err := kit.Describe(node, b.Names(), devices, device.EncodeLegacyRegistration); err != nil {
		return err
	}
	return kit.ReadsBack(b, node, devices)
}

// Health implements [device.Backend]: the handshake (spec hygon §13). A node whose handshake has expired stays down until its
// agent answers (deviation hD7).
func (b *Backend) Health(in device.HealthInput) device.HealthAnswer {
	return kit.Handshake(in, b.Names())
}
