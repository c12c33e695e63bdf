package biren

import (
	"github.com/accelfit/accelfit/device"
	"github.com/accelfit/accelfit/vendors/kit"
)

// asks is how containers ask: for a number of cards (spec biren §6), whose memory counts in scores. A number that is not whole,
// negative or out of range is an error (deviation bD1). Admission completes nothing; only limits make a container this vendor's
// (§7).
type asks = kit.Asks

func newAsks(names device.Names) asks {
	return kit.AskedInLimits(kit.Shares{Vendor: Vendor, Count: names.Count})
}

// Plan implements [device.Backend]: the checks of spec biren §9 in their order. Nothing is booked but a slot.
func (b *Backend) Plan(pod *device.PodContext, ask device.ContainerRequest) device.Plan {
	var rules kit.Rules
	rules.Add(kit.Healthy())
	rules.IDs(pod.Annotations, AnnotationUseUUID, AnnotationNoUseUUID)
	rules.Add(kit.Slot())
	rules.When(pod.Policy.Mutex, kit.Idle())
	return device.Plan{Ask: ask, Rules: rules.Table(), Amounts: nothing}
}

func nothing(*device.Candidate) (memory, cores int64) { return 0, 0 }
