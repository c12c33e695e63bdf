package cambricon

import (
	corev1 "k8s.io/api/core/v1"

	"github.com/accelfit/accelfit/device"
	"github.com/accelfit/accelfit/vendors/kit"
)

const (
	block = 256 // MiB of one unit of memory
	cores = 100 // of a card
	slots = 100 // of a card
)

func (b *Backend) cards() *kit.Divided {
	return &kit.Divided{
		Vendor: Vendor,
		Count:  b.config.ResourceCountName, Memory: b.config.ResourceMemoryName, Cores: b.config.ResourceCoreName,
		Unit: block, PerCard: cores, Slots: slots, Word: "cambricon-mlu",
	}
}

// Inventory implements [device.Backend]: the node's capacity (spec cambricon §5). The last card is what remains (deviation
// cD6); cards without memory or beyond 32 bits are errors (cD5, cD7).
func (b *Backend) Inventory(node *corev1.Node) device.Inventory { return b.cards().Inventory(node) }

// Describe implements [device.Backend]: the capacity. Cards differ in their number only, but for the last, which may be
// smaller.
func (b *Backend) Describe(node *corev1.Node, devices []device.DeviceInfo) error {
	return b.cards().Describe(b, node, devices)
}

// Health implements [device.Backend]: what the node says counts (spec cambricon §13). Cards whose capacity is gone are gone
// (deviation cD8).
func (b *Backend) Health(device.HealthInput) device.HealthAnswer { return kit.Trusted() }
