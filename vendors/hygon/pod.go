package hygon

import (
	"github.com/accelfit/accelfit/device"
	"github.com/accelfit/accelfit/vendors/kit"
)

// asks is how containers ask (spec hygon §6). Amounts that are no whole numbers or out of range are errors (deviation hD2), cores
// above 100 count as 100 (hD3). Admission completes nothing; cards in limits or requests make a container this vendor's (§7,
// hD16).
type asks = kit.Asks

func newAsks(names device.Names) asks {
	return kit.Asked(kit.Shares{
		Vendor: Vendor, Count: names.Count, Memory: names.Memory, Cores: names.Cores,
		Unit: names.MemoryFactor, DefaultCores: 100,
	})
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
