package cambricon

import (
	"math"

	"github.com/accelfit/accelfit/device"
	"github.com/accelfit/accelfit/vendors/kit"
)

// asks is how containers ask (spec cambricon §6). Amounts that no request can be made of are errors (deviations cD1 to cD3);
// cores above 100 count as 100 from then on (cD4). Admission completes nothing; a container that names cards, in its limits or
// requests (cD17), is this vendor's (§7).
type asks = kit.Asks

func newAsks(names device.Names) asks {
	return kit.Asked(kit.Shares{
		Vendor: Vendor, Count: names.Count, Memory: names.Memory, Cores: names.Cores,
		Unit: block, DefaultCores: cores, MostCores: math.MaxInt64,
	})
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
