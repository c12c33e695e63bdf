package enflame

import (
	"strconv"

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
	rules.Add(kit.Slot())                                              // check 4
	rules.When(pod.Policy.Mutex, kit.Idle())                           // check 5
	rules.When(!pod.Quirks.Has(device.QuotaAtAdmission), kit.Quota())  // deviation eD5
	rules.Add(kit.Memory())                                            // check 6
	rules.When(!byPercent, enough())                                   // check 7
	rules.When(byPercent, kit.Cores())                                 // check 7, the reference's
	return device.Plan{Ask: ask, Rules: rules.Table(), Open: open(ask), Amounts: amounts}
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
		Code: device.CardInsufficientCore,
		Func: func(c *device.Candidate) bool { return left(c) >= chosen(c).slices },
		Explain: func(c *device.Candidate) (want, have device.Amount) {
			return device.Amount{Text: slicesText(chosen(c).slices)}, device.Amount{Text: slicesText(left(c))}
		},
	}
}

func slicesText(n int64) string { return strconv.FormatInt(n, 10) + " slices" }

// left is how many slices of a card no instance has.
func left(c *device.Candidate) int64 {
	return c.Info().Slots - chosen(c).cut.used(c.Usage.Memory, c.Usage.Cores)
}
