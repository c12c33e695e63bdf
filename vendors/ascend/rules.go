package ascend

import (
	"strconv"

	"github.com/accelfit/accelfit/device"
	"github.com/accelfit/accelfit/vendors/kit"
)

// allCores is what an NPU has for soft-split pods, in percent, whatever it registers.
const allCores = 100

// Plan implements [device.Backend]: the checks of spec ascend §5 in their order, less those that the request cannot break.
// Check 2 never fails: candidates are the devices that were registered under the vendor word (deviation D5).
func (b *Backend) Plan(pod *device.PodContext, ask device.ContainerRequest) device.Plan {
	p := device.Plan{Ask: ask, Cores: min(ask.Cores, allCores)} // check 6
	soft := isSoft(pod.Annotations)
	var rules kit.Rules
	rules.Add(kit.Healthy())
	rules.IDs(pod.Annotations, b.use, b.noUse)
	rules.Add(kit.Slot())
	rules.When(pod.Policy.Mutex, kit.Idle())
	rules.When(!pod.Quirks.Has(device.QuotaAtAdmission), kit.Quota())
	rules.Add(kit.Memory())
	// Checks 9 to 11: for the soft split in percent, else of the registered cores.
	rules.When(soft, percentLeft())
	rules.When(soft && p.Cores == allCores && !pod.Policy.Mutex, kit.Idle()) // mutex has asked for it
	rules.When(soft && p.Cores == 0, somePercentLeft())
	rules.When(!soft, kit.Cores())
	rules.When(!soft && p.Cores == allCores, kit.WholeIsIdle())
	rules.When(!soft && p.Cores == 0, kit.Compute())
	p.Rules = rules.Table()
	if soft {
		p.Open = b.canSplitSoftly
	}
	if ask.Nums > 1 {
		p.Choose = b.chooser(pod.Quirks)
	}
	return p
}

// canSplitSoftly refuses nodes that cannot do the soft split, with one device counted for the node.
func (b *Backend) canSplitSoftly(f *device.ContainerFit, why *device.Reasons) bool {
	can := b.Config().HAMiVNPUCore
	if x := b.factsOf(f.Node); x.softSaid {
		can = x.soft
	}
	if !can {
		why.Set(device.ModeNotFit, 1)
	}
	return can
}

// percentLeft is check 9 for the soft split. A request for no cores breaks it where more than all is booked.
func percentLeft() device.Rule {
	return device.Rule{
		Code: device.CardInsufficientCore,
		Func: func(c *device.Candidate) bool { return allCores-c.Usage.Cores >= c.Cores },
		Explain: func(c *device.Candidate) (want, have device.Amount) {
			return percent(c.Cores), percent(allCores - c.Usage.Cores)
		},
	}
}

// somePercentLeft is check 11 for the soft split: a request for no cores wants some that are not booked.
func somePercentLeft() device.Rule {
	return device.Rule{
		Code: device.CardComputeUnitsExhausted,
		Func: func(c *device.Candidate) bool { return c.Usage.Cores != allCores },
		Explain: func(c *device.Candidate) (want, have device.Amount) {
			return percent(1), percent(allCores - c.Usage.Cores)
		},
	}
}

func percent(n int64) device.Amount { return device.Amount{Text: strconv.FormatInt(n, 10) + " % core"} }
