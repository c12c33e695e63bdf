package nvidia

import (
	"slices"
	"strings"

	"github.com/accelfit/accelfit/device"
)

// Plan implements [device.Backend]: the checks of spec nvidia §5 in their order, less those that the request cannot break.
func (b *Backend) Plan(pod *device.PodContext, ask device.ContainerRequest) device.Plan {
	p := device.Plan{Ask: ask, Cores: min(ask.Cores, 100)} // check 8
	mode, hasMode := pod.Annotations[AnnotationMode]
	types := device.ParseTypes(pod.Annotations[AnnotationUseType], pod.Annotations[AnnotationNoUseType])
	ids := device.ParseIDs(pod.Annotations[AnnotationUseUUID], pod.Annotations[AnnotationNoUseUUID])
	mig := !hasMode || strings.Contains(mode, device.ModeMIG)
	var rules []device.Rule
	add := func(needed bool, r device.Rule) {
		if needed {
			rules = append(rules, r)
		}
	}

	// Checks 1 to 3: what the node and the pod's lists say of the card.
	add(true, device.Rule{Code: device.CardNotHealth, Check: device.IsHealthy})
	add(true, device.Rule{Code: device.CardCordoned, Check: device.NotCordoned})
	add(!types.Everything(), typeRule(types))
	add(hasMode, modeRule(mode))
	// Check 4: a card that comes this far joins the run of its NUMA node.
	p.Joins = device.NewTable(slices.Clip(rules))
	add(!ids.Everything(), idRule(ids))
	// Checks 6 and 7: sharing.
	add(true, device.Rule{Code: device.CardTimeSlicingExhausted, Check: device.HasSlot})
	add(pod.Policy.Mutex, device.Rule{Code: device.ExclusiveDeviceAllocateConflict, Check: device.IsIdle})
	// Checks 9 to 14: amounts.
	add(true, device.Rule{Code: device.ResourceQuotaNotFit, Check: device.InQuota})
	add(true, device.Rule{Code: device.CardInsufficientMemory, Check: device.HasMemory})
	add(true, device.Rule{Code: device.CardInsufficientCore, Check: device.HasCores})
	add(p.Cores == 100, device.Rule{Code: device.ExclusiveDeviceAllocateConflict, Check: device.WholeIsIdle})
	add(p.Cores == 0, device.Rule{Code: device.CardComputeUnitsExhausted, Check: device.HasCompute})
	if mig {
		p.Repeat = true
		p.Book = bookInstance
		// Check 15, and deviations N5 and N6: an instance, and a slot for it.
		add(true, device.Rule{Code: device.CardMigTopologyInfeasible, Check: device.CanBook, Explain: explainInstance})
		add(!pod.Quirks.Has(device.MIGSlotsUnchecked), device.Rule{Code: device.CardTimeSlicingExhausted, Func: slotForInstance})
		p.QuotaAsAsked = pod.Quirks.Has(device.QuotaByRequest)
	}
	p.OneNUMA = pod.Policy.NUMABind
	if pod.Policy.TopologyAware {
		p.Choose = choose(pod)
		p.OneNUMA = p.OneNUMA && pod.Quirks.Has(device.LastNUMARun) // deviation N2
	}
	p.Rules = device.NewTable(rules)
	return p
}

func typeRule(types device.Selection) device.Rule {
	return device.Rule{
		Code: device.CardTypeMismatch,
		Func: func(c *device.Candidate) bool { return types.AllowsType(c.Fit.Node, c.Device) },
		Explain: func(c *device.Candidate) (want, have device.Amount) {
			return device.Amount{Text: "type " + types.String()}, device.Amount{Text: c.Info().Type}
		},
	}
}

func idRule(ids device.Selection) device.Rule {
	return device.Rule{
		Code: device.CardUuidMismatch,
		Func: func(c *device.Candidate) bool { return ids.AllowsID(c.Info().ID) },
		Explain: func(c *device.Candidate) (want, have device.Amount) {
			return device.Amount{Text: "id " + ids.String()}, device.Amount{Text: c.Info().ID}
		},
	}
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
