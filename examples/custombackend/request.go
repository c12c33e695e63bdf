package nimbus

import (
	corev1 "k8s.io/api/core/v1"

	"github.com/accelfit/accelfit/device"
	"github.com/accelfit/accelfit/vendors/kit"
)

// asks is how containers ask: for NPUs, and for MiB and percent of the cores of each.
type asks = kit.Asks

func newAsks(n device.Names) asks {
	return kit.Asked(kit.Shares{Vendor: Vendor, Count: n.Count, Memory: n.Memory, Cores: n.Cores, MostCores: 100})
}

// Request implements [device.Backend]. Amounts that are no whole numbers or out of range, and more NPUs than a board has, are errors.
func (b *Backend) Request(c *corev1.Container) (device.ContainerRequest, error) {
	ask, err := b.asks.Request(c)
	if ask.Nums > ring {
		return device.ContainerRequest{}, kit.Invalid(c, b.Names().Count, "more than a board has")
	}
	return ask, err
}

// Admit implements [device.Backend]: who asks for memory or cores only, gets one NPU. What Request would refuse is refused.
func (b *Backend) Admit(_ *corev1.Pod, c *corev1.Container) (device.Admitted, error) {
	n := b.Names()
	if !kit.Named(c, n.Count) && (kit.Named(c, n.Memory) || kit.Named(c, n.Cores)) {
		kit.SetLimit(c, n.Count, 1)
	}
	return kit.AdmitAsked(b, c, kit.Named(c, n.Count))
}
