package mthreads

import (
	"github.com/accelfit/accelfit/device"
	"github.com/accelfit/accelfit/vendors/kit"
)

// Plan implements [device.Backend]: the checks of spec mthreads §9 in their order. Check 8 cannot fail on cards of 16 cores.
func (b *Backend) Plan(pod *device.PodContext, ask device.ContainerRequest) device.Plan {
	p := device.Plan{Ask: ask, Cores: ask.Cores}
	takes := asWritten
	if !pod.Quirks.Has(device.WholeCardIs48GiB) {
		takes = wholeAsAll
	}
	if isWhole(&ask) {
		p.Amounts = func(c *device.Candidate) (memory, cores int64) { return takes(&ask, c.Info()) }
	}
	phase := phaseOf(pod, takes)

	var rules kit.Rules
	rules.Add(kit.Healthy())
	rules.IDs(pod.Annotations, AnnotationUseUUID, AnnotationNoUseUUID)
	rules.Add(kit.Slot())
	rules.When(pod.Policy.Mutex, kit.Idle())
	rules.When(!pod.Quirks.Has(device.QuotaAtAdmission), kit.Quota()) // deviation mD10
	rules.Add(kit.Memory())
	rules.Add(kit.Cores())
	rules.When(ask.Cores == 0, kit.Compute())
	rules.When(phase.begun, oneCard())
	p.Rules = rules.Table()
	p.Choose = phase.chooser()
	return p
}

// oneCard wants the card that earlier containers of the same phase are on.
func oneCard() device.Rule {
	return device.Rule{
		Code: device.CardNotFoundCustomFilterRule,
		Func: func(c *device.Candidate) bool { return kit.OtherCard(c, together) == "" },
		Explain: func(c *device.Candidate) (want, have device.Amount) {
			return device.Amount{Text: kit.OtherCard(c, together) + ", where the pod's other containers are"}, device.Amount{Text: c.Info().ID}
		},
	}
}

// together says whether containers of two classes belong to one phase: init containers on one side, sidecars and app containers
// on the other.
func together(a, b device.ContainerClass) bool { return (a == device.Init) == (b == device.Init) }
