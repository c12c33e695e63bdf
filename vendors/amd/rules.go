package amd

import (
	"github.com/accelfit/accelfit/device"
	"github.com/accelfit/accelfit/vendors/kit"
)

// Plan implements [device.Backend]: the checks of spec amd §9 in their order, and the quota after check 5 (deviations aD4 and D30).
func (b *Backend) Plan(pod *device.PodContext, ask device.ContainerRequest) device.Plan {
	var rules kit.Rules
	rules.Add(kit.Healthy())                                             // check 1
	rules.Types(pod.Annotations, AnnotationUseType, AnnotationNoUseType) // check 2
	rules.IDs(pod.Annotations, AnnotationUseUUID, AnnotationNoUseUUID)   // check 3
	rules.Add(kit.Slot())                                                // check 4
	rules.When(pod.Policy.Mutex, kit.Idle())                             // check 5
	rules.When(!pod.Quirks.Has(device.QuotaAtAdmission), kit.Quota())    // deviation D30
	rules.Add(kit.Memory())                                              // check 6
	rules.Add(kit.Cores())                                               // checks 7 and 8
	return device.Plan{Ask: ask, Rules: rules.Table(), Amounts: amounts(ask), Charge: b.Charge}
}

// amounts is what a container takes of a card: without an amount of memory all there is, and its share of the CUs, at least one,
// so that a card without CUs has too few (check 7). In 64 bits (deviation aD3).
func amounts(ask device.ContainerRequest) func(*device.Candidate) (memory, cus int64) {
	return func(c *device.Candidate) (memory, cus int64) {
		info := c.Info()
		memory = ask.Memory
		if memory == 0 {
			memory = info.Memory
		}
		return memory, max(1, device.Percent(info.Cores, ask.Cores))
	}
}

// Charge implements [device.Charger]: quotas count percent of a card's CUs, rounded up (deviation aD4); all of them where the card
// is not known.
func (b *Backend) Charge(d *device.DeviceInfo, memory, cus int64) (chargedMemory, percent int64) {
	if d == nil || d.Cores <= 0 {
		return memory, 100
	}
	return memory, ceil(device.Product(cus, 100), d.Cores)
}

// ceil returns a/b rounded up.
func ceil(a, b int64) int64 {
	if a%b == 0 {
		return a / b
	}
	return a/b + 1
}
