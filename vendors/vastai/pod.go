package vastai

import (
	"github.com/accelfit/accelfit/device"
	"github.com/accelfit/accelfit/vendors/kit"
)

// asks is how containers ask: for a number of devices (spec vastai §6), whose memory counts in scores. A number that is not
// whole, negative or out of range is an error (deviation vD4). Admission completes nothing; only limits make a container this
// vendor's (§7).
type asks = kit.Asks

func newAsks(names device.Names) asks {
	return kit.AskedInLimits(kit.Shares{Vendor: Vendor, Count: names.Count})
}

// Plan implements [device.Backend]: the checks of spec vastai §9 in their order. Nothing is booked but a slot.
func (b *Backend) Plan(pod *device.PodContext, ask device.ContainerRequest) device.Plan {
	p := device.Plan{Ask: ask, Amounts: nothing}
	var rules kit.Rules
	rules.Add(kit.Healthy())
	rules.IDs(pod.Annotations, AnnotationUseUUID, AnnotationNoUseUUID)
	rules.Add(kit.Slot())
	if pod.Policy.Mutex {
		p.Open = lookForTasks
		rules.Add(kit.Idle())
		rules.Add(device.Rule{Code: device.ExclusiveDeviceAllocateConflict, Func: cardIsIdle, Explain: explainCard})
	}
	if ask.Nums > 1 {
		p.Choose = choose
	}
	p.Rules = rules.Table()
	return p
}

func nothing(*device.Candidate) (memory, cores int64) { return 0, 0 }

// tasks tells on which cards of a node something runs.
type tasks struct {
	*cards
	from int
	busy []bool // of each card
}

// lookForTasks is Open of a plan with the policy mutex: it leaves the tasks of a node in die mode in f.Local. Sick dies count
// too.
func lookForTasks(f *device.ContainerFit, _ *device.Reasons) bool {
	c, from := cardsOf(f.Node)
	if c == nil || !c.dieMode {
		return true
	}
	t := &tasks{c, from, make([]bool, c.n)}
	for i, d := range c.dies {
		if f.Usage[from+i].Slots > 0 {
			t.busy[d.card] = true
		}
	}
	f.Local = t
	return true
}

func cardIsIdle(c *device.Candidate) bool {
	t, dieMode := c.Fit.Local.(*tasks)
	return !dieMode || !t.busy[t.dies[c.Device-t.from].card]
}

func explainCard(*device.Candidate) (want, have device.Amount) {
	return device.Amount{Text: "an idle card"}, device.Amount{Text: "a task on another die"}
}
