package nvidia

import (
	"slices"
	"strings"

	"github.com/accelfit/accelfit/device"
	"github.com/accelfit/accelfit/vendors/kit"
)

// Plan implements [device.Backend]: the checks of spec nvidia §5 in their order, less those that the request cannot break.
func (b *Backend) Plan(pod *device.PodContext, ask device.ContainerRequest) device.Plan {
	p := device.Plan{Ask: ask, Cores: min(ask.Cores, 100)} // check 8
	mode, hasMode := pod.Annotations[AnnotationMode]
	mig := !hasMode || strings.Contains(mode, device.ModeMIG)
	var rules kit.Rules

	// Checks 1 to 3: what the node and the pod's lists say of the card.
	rules.Add(kit.Healthy())
	rules.Add(device.Rule{Code: device.CardCordoned, Check: device.NotCordoned})
	rules.Types(pod.Annotations, AnnotationUseType, AnnotationNoUseType)
	if hasMode {
		rules.Add(modeRule(mode))
	}
	// Check 4: a card that comes this far joins the run of its NUMA node.
	if pod.Policy.NUMABind {
		joins := slices.Clone(rules)
		p.Joins = joins.Table()
	}
	rules.IDs(pod.Annotations, AnnotationUseUUID, AnnotationNoUseUUID)
	// Checks 6 and 7: sharing.
	rules.Add(kit.Slot())
	rules.When(pod.Policy.Mutex, kit.Idle())
	// Checks 9 to 14: amounts.
	rules.Add(kit.Quota())
	rules.Add(kit.Memory())
	rules.Add(kit.Cores())
	rules.When(p.Cores == 100, kit.WholeIsIdle())
	rules.When(p.Cores == 0, kit.Compute())
	if mig {
		p.Repeat = true
		p.Book = bookInstance
		// Check 15, and deviations N5 and N6: an instance, and a slot for it.
		rules.Add(device.Rule{Code: device.CardMigTopologyInfeasible, Check: device.CanBook, Explain: explainInstance})
		rules.When(!pod.Quirks.Has(device.MIGSlotsUnchecked), device.Rule{Code: device.CardTimeSlicingExhausted, Func: slotForInstance})
		p.QuotaAsAsked = pod.Quirks.Has(device.QuotaByRequest)
	}
	p.OneNUMA = pod.Policy.NUMABind
	if pod.Policy.TopologyAware {
		p.Choose = choose(pod)
		p.OneNUMA = p.OneNUMA && pod.Quirks.Has(device.LastNUMARun) // deviation N2
	}
	p.Rules = rules.Table()
	return p
}

// modeRule lets a card pass whose mode is part of the annotation's text; a card without mode always passes.
func modeRule(mode string) device.Rule {
	return device.Rule{
		Code: device.CardTypeMismatch,
		Func: func(c *device.Candidate) bool { return strings.Contains(mode, c.Info().Mode) },
		Explain: func(c *device.Candidate) (want, have device.Amount) {
			return device.Amount{Text: "mode " + mode}, device.Amount{Text: "mode " + c.Info().Mode}
		},
	}
}
