package nimbus

import (
	"github.com/accelfit/accelfit/device"
	"github.com/accelfit/accelfit/vendors/kit"
)

// Plan implements [device.Backend]: the rules in the order of the manual. An NPU counts under the first that it breaks.
func (b *Backend) Plan(pod *device.PodContext, ask device.ContainerRequest) device.Plan {
	var rules kit.Rules
	// Which NPUs come into question.
	rules.Add(kit.Healthy())
	rules.IDs(pod.Annotations, AnnotationUse, AnnotationNoUse)
	rules.When(pod.Annotations[AnnotationMode] != "", inMode(pod.Annotations[AnnotationMode]))
	// How they are shared.
	rules.Add(kit.Slot())
	rules.When(pod.Policy.Mutex, kit.Idle())
	rules.Add(kit.Quota())
	rules.Add(kit.Memory())
	rules.Add(kit.Cores())
	rules.When(ask.Cores == 100, kit.WholeIsIdle())
	rules.When(ask.Cores == 0, kit.Compute())

	plan := device.Plan{Ask: ask, Cores: ask.Cores, Rules: rules.Table()}
	if ask.Nums > 1 {
		plan.Choose = choose
	}
	return plan
}

// inMode wants an NPU in the mode that the pod names.
func inMode(mode string) device.Rule {
	return device.Rule{
		Code: device.ModeNotFit,
		Func: func(c *device.Candidate) bool { return c.Info().Mode == mode },
		Explain: func(c *device.Candidate) (want, have device.Amount) {
			return device.Amount{Text: "mode " + mode}, device.Amount{Text: "mode " + c.Info().Mode}
		},
	}
}
