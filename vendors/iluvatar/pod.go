package iluvatar

import (
	"fmt"
	"math"
	"slices"

	corev1 "k8s.io/api/core/v1"

	"github.com/accelfit/accelfit/device"
	"github.com/accelfit/accelfit/vendors/kit"
)

// memoryUnit is the MiB of one unit of the memory resource (spec iluvatar §3).
const memoryUnit = 256

// envName tells a container its own name, in this spelling (spec iluvatar §7).
const envName = "SOL_CONTINER_NAME"

// asks is how containers ask (spec iluvatar §6). Amounts that are no whole numbers, negative or out of range are errors
// (deviations iD2, iD3); cores above 100, which admission writes for several cards, count as 100 from then on (iD1).
type asks = kit.Asks

func newAsks(v device.Vendor, names device.Names) asks {
	return kit.Asked(kit.Shares{
		Vendor: v, Count: names.Count, Memory: names.Memory, Cores: names.Cores,
		Unit: memoryUnit, MostCores: math.MaxInt64,
	})
}

// Admit implements [device.Backend] (spec iluvatar §7), for cards in limits or requests, as in Request (deviation iD15).
func (b *Backend) Admit(_ *corev1.Pod, c *corev1.Container) (device.Admitted, error) {
	ask, err := b.Request(c)
	if err != nil || !kit.Named(c, b.Config().ResourceCountName) {
		return device.Admitted{}, err
	}
	out := device.Admitted{Mine: true}
	if ask.Nums > 1 && b.Config().ResourceCoreName != "" {
		out.Warnings = b.wholeCards(c, 100*ask.Nums)
	}
	if named := func(e corev1.EnvVar) bool { return e.Name == envName }; c.Name != "" && !slices.ContainsFunc(c.Env, named) {
		kit.AddEnv(c, envName, c.Name)
	}
	return out, nil
}

// wholeCards sets the limit of cores, and warns where it replaces another (deviation iD14).
func (b *Backend) wholeCards(c *corev1.Container, cores int64) (warnings []string) {
	if q, given := device.Quantity(c, b.Config().ResourceCoreName); given && q.CmpInt64(cores) != 0 {
		warnings = append(warnings, fmt.Sprintf("container %s: %s: %s is replaced by %d, all cores of each card", c.Name, b.Config().ResourceCoreName, q.String(), cores))
	}
	kit.SetLimit(c, b.Config().ResourceCoreName, cores)
	return warnings
}

// Plan implements [device.Backend]: the checks of spec iluvatar §9 in their order, and the quota (deviation iD6).
func (b *Backend) Plan(pod *device.PodContext, ask device.ContainerRequest) device.Plan {
	ask = kit.AtMostWhole(ask)
	var rules kit.Rules
	rules.Add(kit.Healthy())
	rules.IDs(pod.Annotations, b.use, b.noUse)
	rules.Add(kit.Slot())
	rules.When(pod.Policy.Mutex, kit.Idle())
	rules.When(!pod.Quirks.Has(device.QuotaAtAdmission), kit.Quota())
	rules.Add(kit.Memory())
	rules.Add(kit.Cores())
	rules.When(ask.Cores == 100, kit.WholeIsIdle())
	rules.When(ask.Cores == 0, kit.Compute())
	return device.Plan{Ask: ask, Cores: ask.Cores, Rules: rules.Table()}
}
