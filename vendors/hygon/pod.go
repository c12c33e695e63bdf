package hygon

import (
	corev1 "k8s.io/api/core/v1"

	"github.com/accelfit/accelfit/device"
	"github.com/accelfit/accelfit/vendors/kit"
)

// Request implements [device.Backend] (spec hygon §6). Amounts that are no whole numbers or out of range are errors (deviation
// hD2), cores above 100 count as 100 (hD3).
func (b *Backend) Request(c *corev1.Container) (device.ContainerRequest, error) {
	cards := kit.Shares{
		Vendor: Vendor, Count: b.config.ResourceCountName, Memory: b.config.ResourceMemoryName, Cores: b.config.ResourceCoreName,
		Unit: int64(b.config.MemoryFactor), DefaultCores: 100,
	}
	return cards.Request(c)
}

// Admit implements [device.Backend] (spec hygon §7): nothing is completed. Cards can be asked for in limits or requests, as in
// Request (deviation hD16).
func (b *Backend) Admit(_ *corev1.Pod, c *corev1.Container) (device.Admitted, error) {
	return kit.AdmitAsked(b, c, kit.Named(c, b.config.ResourceCountName))
}

// Plan implements [device.Backend]: the checks of spec hygon §9 in their order, and the quota (deviation hD12).
func (b *Backend) Plan(pod *device.PodContext, ask device.ContainerRequest) device.Plan {
	ask = kit.AtMostWhole(ask)
	var rules kit.Rules
	rules.Add(kit.Healthy())
	rules.Types(pod.Annotations, AnnotationUseType, AnnotationNoUseType)
	rules.IDs(pod.Annotations, AnnotationUseUUID, AnnotationNoUseUUID)
	rules.Add(kit.Slot())
	rules.When(pod.Policy.Mutex, kit.Idle())
	rules.When(!pod.Quirks.Has(device.QuotaAtAdmission), kit.Quota())
	rules.Add(kit.Memory())
	rules.Add(kit.Cores())
	rules.When(ask.Cores == 100, kit.WholeIsIdle())
	rules.When(ask.Cores == 0, kit.Compute())
	return device.Plan{Ask: ask, Cores: ask.Cores, Rules: rules.Table()}
}
