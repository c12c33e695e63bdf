package kunlun

import (
	"strconv"

	"github.com/accelfit/accelfit/device"
	"github.com/accelfit/accelfit/vendors/kit"
)

// Plan implements [device.Backend]: cards that the pod's lists allow and that have a part left of the size asked for (spec
// kunlun §II.8), chosen by their slots, within the namespace's quota (deviation kD12).
func (b *VirtualCards) Plan(pod *device.PodContext, ask device.ContainerRequest) device.Plan {
	var rules kit.Rules
	ids(&rules, pod.Annotations)
	rules.Add(kit.Healthy())
	rules.Add(kit.Memory())
	rules.Add(device.Rule{Code: device.CardNotFoundCustomFilterRule, Func: sameParts, Explain: explainParts})
	rules.When(pod.Policy.Mutex, kit.Idle())

	p := device.Plan{Ask: ask, Cores: ask.Cores, Rules: rules.Table()}
	underQuota := !pod.Quirks.Has(device.QuotaAtAdmission)
	if underQuota {
		p.Open = affordable
	}
	p.Choose = chooseParts(pod.Policy.Mutex, underQuota)
	return p
}

func chooseParts(mutex, underQuota bool) device.Chooser {
	return func(f *device.ContainerFit, why *device.Reasons) []int {
		picked := choose(f)
		switch {
		case picked == nil:
			noParts(f, mutex, why)
		case underQuota && !kit.WithinQuota(f, picked): // init and app containers on different cards can cost more than affordable saw
			only(why, device.ResourceQuotaNotFit, why.Total)
			return nil
		}
		return picked
	}
}

// noParts is the answer where no set of cards serves (spec kunlun §II.8).
func noParts(f *device.ContainerFit, mutex bool, why *device.Reasons) {
	if mutex {
		if n := shared(f); n > 0 {
			only(why, device.ExclusiveDeviceAllocateConflict, n)
			return
		}
	}
	noSet(why)
}

// sameParts wants a card that is idle or divided into parts of the size asked for.
func sameParts(c *device.Candidate) bool { return dividedInto(c.Usage, c.Memory) }

func dividedInto(u *device.DeviceUsage, part int64) bool {
	return u.Slots == 0 || u.Memory/u.Slots == part
}

func explainParts(c *device.Candidate) (want, have device.Amount) {
	parts := func(mib int64) device.Amount {
		return device.Amount{Text: "parts of " + strconv.FormatInt(mib, 10) + " MiB"}
	}
	return parts(c.Memory), parts(c.Usage.Memory / max(1, c.Usage.Slots))
}

// shared counts the cards in use that would serve but for the policy mutex, whatever the id lists say (spec kunlun §II.8, §5
// quirk 9).
func shared(f *device.ContainerFit) int {
	part, n := f.Plan.Ask.Memory, 0
	from, to := f.Node.Range(VendorVirtual)
	for i := from; i < to; i++ {
		u := &f.Usage[i]
		if u.Slots > 0 && u.Healthy && device.Sum(part, u.Memory) <= f.Node.Device(i).Memory && dividedInto(u, part) {
			n++
		}
	}
	return n
}

// affordable refuses a node, before cards are looked at, to a container that the quota does not allow on any cards: what it
// asks for in all, beside what the pod's earlier containers hold, is counted as at admission.
func affordable(f *device.ContainerFit, why *device.Reasons) bool {
	if f.Quota == nil {
		return true
	}
	var pod device.Tally
	ask := &f.Plan.Ask
	pod.Add(f.Class, device.Product(ask.Memory, f.Nums), device.Product(ask.Cores, f.Nums))
	for i := 0; i < len(f.Taken); {
		at, memory, cores := f.Taken[i].Container, int64(0), int64(0)
		for ; i < len(f.Taken) && f.Taken[i].Container == at; i++ {
			if f.Taken[i].Vendor == VendorVirtual {
				memory, cores = memory+f.Taken[i].Memory, cores+f.Taken[i].Cores
			}
		}
		pod.Add(f.Classes[at], memory, cores)
	}
	if _, memory, cores := pod.Effective(); f.Quota.Allows(memory, cores) {
		return true
	}
	only(why, device.ResourceQuotaNotFit, why.Total)
	return false
}
