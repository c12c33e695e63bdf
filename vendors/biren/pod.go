package biren

import (
	corev1 "k8s.io/api/core/v1"

	"github.com/accelfit/accelfit/device"
	"github.com/accelfit/accelfit/vendors/kit"
)

// Request implements [device.Backend] (spec biren §6): a number of cards, whose memory counts in scores. A number that is not
// whole, negative or out of range is an error (deviation bD1).
func (b *Backend) Request(c *corev1.Container) (device.ContainerRequest, error) {
	cards := kit.Shares{Vendor: Vendor, Count: b.config.ResourceCountName}
	return cards.Request(c)
}

// Admit implements [device.Backend] (spec biren §7): nothing is completed; only limits make a container this vendor's.
func (b *Backend) Admit(_ *corev1.Pod, c *corev1.Container) (device.Admitted, error) {
	return kit.AdmitAsked(b, c, kit.Limited(c, b.config.ResourceCountName))
}

// Plan implements [device.Backend]: the checks of spec biren §9 in their order. Nothing is booked but a slot.
func (b *Backend) Plan(pod *device.PodContext, ask device.ContainerRequest) device.Plan {
	var rules kit.Rules
	rules.Add(kit.Healthy())
	rules.IDs(pod.Annotations, AnnotationUseUUID, AnnotationNoUseUUID)
	rules.Add(kit.Slot())
	rules.When(pod.Policy.Mutex, kit.Idle())
	return device.Plan{Ask: ask, Rules: rules.Table(), Amounts: nothing}
}

func nothing(*device.Candidate) (memory, cores int64) { return 0, 0 }
