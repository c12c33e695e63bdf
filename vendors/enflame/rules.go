package enflame

import (
	"github.com/accelfit/accelfit/device"
	"github.com/accelfit/accelfit/vendors/kit"
)

// Plan implements [device.Backend]: the profile is chosen for the node (spec enflame §II.7), then come the checks of §II.8 in their
// order, with the quota after check 5 (deviation eD5).
func (b *DRS) Plan(pod *device.PodContext, ask device.ContainerRequest) device.Plan {
	byPercent := pod.Quirks.Has(device.EnflameByPercent)
	var rules kit.Rules
	rules.Add(kit.Healthy())                                           // check 1
	rules.IDs(pod.Annotations, AnnotationUseUUID, AnnotationNoUseUUID) // check 3
	rules.When(!byPercent, kit.Slot())                                 // check 4
	rules.When(byPercent, instances())                                 // check 4, the reference's
	rules.When(pod.Policy.Mutex, kit.Idle())                           // check 5
	rules.When(!pod.Quirks.Has(device.QuotaAtAdmission), kit.Quota())  // deviation eD5
	rules.Add(kit.Memory())                                            // check 6
	rules.When(byPercent, kit.Cores())                                 // check 7, the reference's
	rules.Add(enough())                                                // check 7
	return device.Plan{Ask: ask, Rules: rules.Table(), Open: open(ask), Amounts: amounts, Book: book(byPercent)}
}

// open chooses the profile for a node and leaves it in f.Local.
func open(ask device.ContainerRequest) func(*device.ContainerFit, *device.Reasons) bool {
	return func(f *device.ContainerFit, why *device.Reasons) bool {
		if c, ok := f.Node.Extra(Vendor).(*cut); ok {
			if p := c.choose(&ask); p != nil {
				f.Local = p
				return true
			}
		}
		why.Set(device.ModeNotFit, 1)
		return false
	}
}

func chosen(c *device.Candidate) *profile { return c.Fit.Local.(*profile) }

func amounts(c *device.Candidate) (memory, percent int64) {
	p := chosen(c)
	return p.memory, p.percent
}

// enough wants enough slices left on the card: its percentages, which are rounded up, would leave the last one unused (deviation eD1).
func enough() device.Rule {
	return device.Rule{
		Code: device.CardInsufficientCore, Check: device.CanBook,
		Explain: func(c *device.Candidate) (want, have device.Amount) {
			return device.Amount{N: chosen(c).slices, Unit: device.Slots}, device.Amount{N: left(c), Unit: device.Slots}
		},
	}
}

func left(c *device.Candidate) int64 { return c.Info().Slots - c.Usage.Slots }

// book takes the slices of an instance, if there are enough or they do not count (EnflameByPercent).
func book(byPercent bool) func(*device.Candidate) bool {
	return func(c *device.Candidate) bool {
		c.BookAs(device.Grant{
			Memory: c.Memory, Cores: c.Cores, Slots: c.Fit.Node.SlotsOf(Vendor, c.Memory, c.Cores),
		})
		return byPercent || left(c) >= chosen(c).slices
	}
}

// instances is check 4 as the reference has it (EnflameByPercent): instances of running pods count one slot each, those of the pod at
// hand their slices. Usage tells of running pods only how many slices they have; they count here as the fewest instances that
// could have so many, so that three instances of a slice are taken for one of three.
func instances() device.Rule {
	return device.Rule{
		Code: device.CardTimeSlicingExhausted,
		Func: func(c *device.Candidate) bool {
			own := ownSlices(c)
			card := chosen(c).card
			return own+(max(0, c.Usage.Slots-own)+card-1)/card < c.Info().Slots
		},
		Explain: func(c *device.Candidate) (want, have device.Amount) {
			return device.Amount{Text: "a slot"}, device.Amount{N: c.Info().Slots, Unit: device.Slots}
		},
	}
}

// ownSlices is how many slices of the card earlier containers of the pod have taken that run beside the one at hand.
func ownSlices(c *device.Candidate) int64 {
	n := int64(0)
	for i := range c.Fit.Taken {
		d := &c.Fit.Taken[i]
		if d.Vendor == Vendor && d.ID == c.Info().ID && c.Fit.Classes[d.Container] != device.Init {
			n += c.Fit.Node.SlotsOf(Vendor, d.Memory, d.Cores)
		}
	}
	return n
}
