package cambricon

import (
	"fmt"
	"math"
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/accelfit/accelfit/device"
	"github.com/accelfit/accelfit/vendors/kit"
)

// Request implements [device.Backend] (spec cambricon §6). Amounts that no request can be made of are errors (deviations cD1 to
// cD3); cores above 100 count as 100 from then on (cD4).
func (b *Backend) Request(c *corev1.Container) (device.ContainerRequest, error) {
	cards := kit.Shares{
		Vendor: Vendor,
		Count:  b.config.ResourceCountName, Memory: b.config.ResourceMemoryName, Cores: b.config.ResourceCoreName,
		Unit: block, DefaultCores: cores, MostCores: math.MaxInt64,
	}
	return cards.Request(c)
}

// Admit implements [device.Backend] (spec cambricon §7): nothing is completed; a container that names cards, in its limits or
// requests (deviation cD17), is this vendor's.
func (b *Backend) Admit(_ *corev1.Pod, c *corev1.Container) (device.Admitted, error) {
	return kit.AdmitAsked(b, c, kit.Named(c, b.config.ResourceCountName))
}

// Plan implements [device.Backend]: the checks of spec cambricon §9 in their order.
func (b *Backend) Plan(pod *device.PodContext, ask device.ContainerRequest) device.Plan {
	ask = kit.AtMostWhole(ask)
	var rules kit.Rules
	rules.Add(kit.Healthy())
	rules.IDs(pod.Annotations, AnnotationUseUUID, AnnotationNoUseUUID)
	rules.Add(kit.Slot())
	rules.When(pod.Policy.Mutex, kit.Idle())
	rules.Add(kit.Quota())
	rules.Add(kit.Memory())
	rules.Add(kit.Cores())
	rules.When(ask.Cores == cores, kit.WholeIsIdle())
	rules.When(ask.Cores == 0, kit.Compute())
	return device.Plan{Ask: ask, Cores: ask.Cores, Rules: rules.Table()}
}

// Annotate implements [device.Annotator]: the profile of the first card of the first container that has one (spec
// cambricon §12).
func (b *Backend) Annotate(_ *corev1.Pod, _ *device.NodeInfo, a *device.Allocation, _ time.Time) map[string]string {
	cards := a.Of(Vendor)
	if len(cards) == 0 {
		return nil
	}
	first := cards[0]
	return map[string]string{
		AnnotationAssigned: "false",
		AnnotationProfile:  fmt.Sprintf("%d_%d_%d", first.Index, first.Cores, first.Memory/block),
	}
}
