package metax

import (
	"github.com/accelfit/accelfit/device"
	"github.com/accelfit/accelfit/vendors/kit"
)

// SGPU is the device model of shared GPUs. It implements [device.Backend], [device.Annotator], [device.NodeScorer],
// [device.Tagger], [device.LimitReader] and [device.AdmissionCharger].
type SGPU struct{ config Config }

// NewSGPU builds the model of shared GPUs.
func NewSGPU(config Config) *SGPU { return &SGPU{config: config} }

// Config returns the configuration the model was built with.
func (b *SGPU) Config() Config { return b.config }

// Vendor implements [device.Backend].
func (b *SGPU) Vendor() device.Vendor { return VendorSGPU }

// Names implements [device.Backend].
func (b *SGPU) Names() device.Names {
	return device.Names{
		Count: b.config.ResourceVCountName, Memory: b.config.ResourceVMemoryName, Cores: b.config.ResourceVCoreName,
		MemoryFactor: mibPerGiB,
		Register:     AnnotationRegister,
		ToAllocate:   AnnotationSGPUToAllocate, Allocated: AnnotationSGPUAllocated,
		Writes: []string{AnnotationGrants, AnnotationPredicateTime},
		PodKeys: []string{
			AnnotationUseUUID, AnnotationNoUseUUID, AnnotationQoS, AnnotationAppClass, AnnotationTopologyAware,
		},
		Lock: device.AnnotationLock,
	}
}

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
