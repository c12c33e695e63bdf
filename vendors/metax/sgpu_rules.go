package metax

import (
	"github.com/accelfit/accelfit/device"
	"github.com/accelfit/accelfit/vendors/kit"
)

// Plan implements [device.Backend]: the checks of spec metax §II.9 in their order, and the choice among the cards that pass. A
// pod's cores do not count where it is online.
func (b *SGPU) Plan(pod *device.PodContext, ask device.ContainerRequest) device.Plan {
	class, qos := classOf(pod.Annotations), pod.Annotations[AnnotationQoS]
	online := class == online
	p := device.Plan{Ask: ask, Cores: ask.Cores, Tag: tag(pod.Annotations, ask.Cores), Choose: chooser(pod, ask)}
	if online {
		p.Cores = 0
	}
	var rules kit.Rules
	rules.Add(device.Rule{Code: device.CardUnhealthy, Check: device.IsHealthy})
	rules.Add(classRule(class))
	rules.When(!online && ask.Cores != 100, qosRule(qos))
	rules.IDs(pod.Annotations, AnnotationUseUUID, AnnotationNoUseUUID)
	rules.Add(kit.Slot())
	rules.When(pod.Policy.Mutex, kit.Idle())
	rules.When(!pod.Quirks.Has(device.QuotaAtAdmission), kit.Quota()) // deviations DS9 and D30
	rules.Add(kit.Memory())
	rules.When(!online, kit.Cores())
	rules.When(!online && ask.Cores == 100, kit.WholeIsIdle())
	rules.When(!online && ask.Cores == 0, kit.Compute())
	p.Rules = rules.Table()
	return p
}

// classRule keeps pods of different classes apart. What earlier containers of the pod took counts as the pod's class
// (deviation DS5): it carries the pod's tag.
func classRule(class string) device.Rule {
	return device.Rule{
		Code: device.CardAppClassMismatch,
		Func: func(c *device.Candidate) bool { return c.Usage.Slots <= 0 || crowdOf(c.Usage).accepts(class) },
		Explain: func(c *device.Candidate) (want, have device.Amount) {
			return device.Amount{Text: "a card for " + class + " pods"}, device.Amount{Text: crowdOf(c.Usage).String()}
		},
	}
}

// qosRule wants a card in use to have the pod's QoS policy, or none (spec metax §II.9 check 4).
func qosRule(qos string) device.Rule {
	return device.Rule{
		Code: device.CardQosPolicyMismatch,
		Func: func(c *device.Candidate) bool {
			if c.Usage.Slots <= 0 {
				return true
			}
			has := policyOf(c)
			return has == "" || has == qos
		},
		Explain: func(c *device.Candidate) (want, have device.Amount) {
			return device.Amount{Text: "QoS policy " + qos}, device.Amount{Text: "QoS policy " + policyOf(c)}
		},
	}
}

// policyOf is the QoS policy of a card: what the pod left that came last, of those that are not online, else what is registered.
func policyOf(c *device.Candidate) string {
	tags := c.Usage.Tags()
	for i := len(tags) - 1; i >= 0; i-- {
		if class, qos := untag(tags[i]); class != online {
			return qos
		}
	}
	return cardsOf(c.Fit.Node).at(c.Fit.Node, c.Device).policy
}
