package metax

import (
	"github.com/accelfit/accelfit/device"
	"github.com/accelfit/accelfit/vendors/kit"
)

// gpuAsks is how containers ask for whole GPUs: for a number (spec metax §I.5). One that is not whole, negative or out of range is
// an error (deviation DG5). Admission completes nothing; a container that names the GPUs in its requests only is this vendor's too
// (§I.6).
type gpuAsks = kit.Asks

func newGPUAsks(names device.Names) gpuAsks {
	return kit.Asked(kit.Shares{Vendor: VendorGPU, Count: names.Count, DefaultCores: gpuCores})
}

// Plan implements [device.Backend]: the checks of spec metax §I.7 in their order. Of those behind check 4 none but the last can
// fail: a GPU has one slot, and is asked for as a whole.
func (b *GPU) Plan(pod *device.PodContext, ask device.ContainerRequest) device.Plan {
	var rules kit.Rules
	rules.Add(kit.Healthy())
	rules.Add(kit.Slot())
	rules.When(pod.Quirks.Has(device.OneCardOfMetaX), oneCard()) // deviation DG1
	return device.Plan{Ask: ask, Cores: ask.Cores, Rules: rules.Table()}
}

// oneCard refuses a GPU where an earlier container of the pod has another one (spec metax §I.7 check 10).
func oneCard() device.Rule {
	return device.Rule{
		Code: device.CardNotFoundCustomFilterRule,
		Func: func(c *device.Candidate) bool { return kit.OtherCard(c, together) == "" },
		Explain: func(c *device.Candidate) (want, have device.Amount) {
			return device.Amount{Text: "GPU " + kit.OtherCard(c, together) + " of the pod's other containers"}, device.Amount{Text: c.Info().ID}
		},
	}
}

// together says whether containers of two classes bind each other: app containers on one side, all others on the other.
func together(a, b device.ContainerClass) bool { return (a == device.App) == (b == device.App) }
