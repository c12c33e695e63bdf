package awsneuron

import (
	"math/bits"
	"strconv"

	"github.com/accelfit/accelfit/device"
	"github.com/accelfit/accelfit/vendors/kit"
)

// Plan implements [device.Backend]: the checks of spec awsneuron §9.1 in their order. Several devices are chosen as a run of
// those that pass (§9.2).
func (b *Backend) Plan(pod *device.PodContext, ask device.ContainerRequest) device.Plan {
	w := want{ask}
	quota := !pod.Quirks.Has(device.QuotaAtAdmission) // deviations nD6, D30
	p := device.Plan{
		Ask: ask, Cores: ask.Cores, Open: w.open(quota), Amounts: w.mask, Book: bookCores, Charge: b.Charge,
	}
	if ask.CoresInAll > 1 {
		p.Nums = w.devicesOn
	}
	several := ask.CoresInAll > 1 || ask.Nums > 1 // on some nodes
	if several {
		p.Choose = newChooser(pod, quota)
	}
	var rules kit.Rules
	rules.Add(kit.Healthy())
	rules.IDs(pod.Annotations, AnnotationUseUUID, AnnotationNoUseUUID)
	rules.Add(kit.Slot())
	rules.When(pod.Policy.Mutex, kit.Idle())
	rules.When(quota && !several, kit.Quota())
	rules.Add(device.Rule{Code: device.CardInsufficientCore, Check: device.CanBook, Explain: explainCores})
	p.Rules = rules.Table()
	return p
}

// shapeIn is the shape that a node's Extra, or a fit's Local, holds.
func shapeIn(extra any) shape {
	if s, ok := extra.(*shape); ok {
		return *s
	}
	return shape{}
}

// open refuses a node on which the cores asked for cannot be had (deviation nD1), and any if they are more than the
// namespace may take (deviation nD6). It leaves the node's shape in f.Local.
func (w want) open(quota bool) func(f *device.ContainerFit, why *device.Reasons) bool {
	return func(f *device.ContainerFit, why *device.Reasons) bool {
		f.Local = f.Node.Extra(Vendor)
		devices, cores, ok := w.on(shapeIn(f.Local).cores)
		switch {
		case !ok:
			why.Set(device.CardInsufficientCore, why.Total)
		case quota && f.Quota != nil && !f.Quota.Allows(0, device.Product(devices, cores)):
			why.Set(device.ResourceQuotaNotFit, why.Total)
			ok = false
		}
		return ok
	}
}

// mask is [device.Plan].Amounts: as many cores as are wanted of a device, wherever they lie.
func (w want) mask(c *device.Candidate) (memory, cores int64) {
	_, n, _ := w.on(shapeIn(c.Fit.Local).cores)
	return 0, all(n)
}

// bookCores settles which cores of a device are given: the lowest free ones (deviation nD2). Of several devices each must be
// without a task.
func bookCores(c *device.Candidate) bool {
	n, free := bits.OnesCount64(uint64(c.Cores)), freeCores(c)
	if n == 0 || bits.OnesCount64(free) < n || c.Fit.Nums > 1 && c.Usage.Slots > 0 {
		return false
	}
	var mask uint64
	for range n {
		lowest := free & -free
		mask, free = mask|lowest, free&^lowest
	}
	c.BookAs(device.Grant{Cores: int64(mask)})
	return true
}

// freeCores is the mask of cores that nobody has. A device is full whose bookkeeping names cores that it does not have: some
// are then promised twice, and nobody knows which.
func freeCores(c *device.Candidate) uint64 {
	device, used := uint64(c.Info().Cores), uint64(c.Usage.Cores)
	if used&^device != 0 {
		return 0
	}
	return device &^ used
}

func explainCores(c *device.Candidate) (want, have device.Amount) {
	if c.Fit.Nums > 1 {
		return device.Amount{Text: "an idle device"}, device.Amount{N: c.Usage.Slots, Unit: device.Slots}
	}
	n, free := bits.OnesCount64(uint64(c.Cores)), bits.OnesCount64(freeCores(c))
	return neuronCores(n), neuronCores(free)
}

// Charge implements [device.Charger]: the number of cores, not their mask (deviation nD6).
func (b *Backend) Charge(_ *device.DeviceInfo, memory, cores int64) (chargedMemory, chargedCores int64) {
	return memory, int64(bits.OnesCount64(uint64(cores)))
}

func neuronCores(n int) device.Amount { return device.Amount{Text: strconv.Itoa(n) + " NeuronCores"} }
