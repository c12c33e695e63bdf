package amd

import (
	corev1 "k8s.io/api/core/v1"

	"github.com/accelfit/accelfit/device"
	"github.com/accelfit/accelfit/vendors/kit"
)

// Inventory implements [device.Backend]: the registration annotation (spec amd §5), whose entries have CUs as cores and the
// product as type. Entries that cannot be used are dropped and reported (deviation aD5): among them those whose product name
// would break the allocation text it is written into.
func (b *Backend) Inventory(node *corev1.Node) device.Inventory {
	inv := kit.Registration(node, Vendor, AnnotationRegister, device.SkipBad, device.DecodeRegistration)
	kit.PlainTypes(&inv, node, AnnotationRegister)
	return inv
}

// Describe implements [device.Backend]: the registration, and as many cards offered as there are slots.
func (b *Backend) Describe(node *corev1.Node, devices []device.DeviceInfo) error {
	if err := kit.Describe(node, b.Names(), devices, device.EncodeFullRegistration); err != nil {
		return err
	}
	return kit.ReadsBack(b, node, devices)
}

// Health implements [device.Backend]: a node that offers no card has none (spec amd §13).
func (b *Backend) Health(in device.HealthInput) device.HealthAnswer {
	if b.config.ResourceCountName == "" {
		return kit.Trusted()
	}
	offered, ok := device.Capacity(in.Node, b.config.ResourceCountName)
	there := ok && offered != 0
	return device.HealthAnswer{Healthy: there, Renew: there}
}
