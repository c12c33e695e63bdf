package kunlun

import (
	"github.com/accelfit/accelfit/device"
	"github.com/accelfit/accelfit/vendors/kit"
)

// cardAsks is how containers ask for whole cards: for a number (spec kunlun §I.5). One that is not whole, negative or out of range
// is an error (deviations D11, kD4 and kD5). Admission completes nothing; only limits make a container this vendor's (§I.6).
type cardAsks = kit.Asks

func newCardAsks(names device.Names) cardAsks {
	return kit.AskedInLimits(kit.Shares{Vendor: Vendor, Count: names.Count})
}

// Plan implements [device.Backend]: idle, healthy cards that the pod's lists allow (spec kunlun §I.7), chosen by their slots.
// A card is booked as a whole.
func (b *Cards) Plan(pod *device.PodContext, ask device.ContainerRequest) device.Plan {
	var rules kit.Rules
	ids(&rules, pod.Annotations)
	rules.Add(kit.Idle())
	rules.Add(kit.Healthy())
	return device.Plan{Ask: ask, Rules: rules.Table(), Amounts: wholeCard, Choose: chooseCards}
}

func wholeCard(c *device.Candidate) (memory, cores int64) { return c.Info().Memory, c.Info().Cores }

func chooseCards(f *device.ContainerFit, why *device.Reasons) []int {
	picked := choose(f)
	if picked == nil {
		noSet(why)
	}
	return picked
}
