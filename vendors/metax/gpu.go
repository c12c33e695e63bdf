package metax

import (
	"fmt"
	"strconv"

	corev1 "k8s.io/api/core/v1"

	"github.com/accelfit/accelfit/device"
	"github.com/accelfit/accelfit/vendors/kit"
)

// GPU is the device model of whole GPUs. It implements [device.Backend] and [device.NodeScorer].
type GPU struct{ config Config }

// NewGPU builds the model of whole GPUs.
func NewGPU(config Config) *GPU { return &GPU{config: config} }

// Config returns the configuration the model was built with.
func (b *GPU) Config() Config { return b.config }

// Vendor implements [device.Backend].
func (b *GPU) Vendor() device.Vendor { return VendorGPU }

// Names implements [device.Backend].
func (b *GPU) Names() device.Names {
	return device.Names{
		Count:      b.config.ResourceCountName,
		ToAllocate: AnnotationGPUToAllocate, Allocated: AnnotationGPUAllocated,
	}
}

// What every whole GPU counts as (spec metax §I.4).
const (
	gpuMemory = 65536 // MiB
	gpuCores  = 100
)

func wholeGPU(node string, i int) device.DeviceInfo {
	return device.DeviceInfo{
		ID: node + "-metax-" + strconv.Itoa(i), Vendor: VendorGPU, Index: i, Type: string(VendorGPU),
		Slots: 1, Memory: gpuMemory, Cores: gpuCores, Healthy: true,
	}
}

// Inventory implements [device.Backend]: as many GPUs as the capacity says, and how well numbers of them are linked (spec
// metax §I.4, §I.9). A topology that cannot be read is reported; the GPUs stand.
func (b *GPU) Inventory(node *corev1.Node) device.Inventory {
	inv := kit.Counted(node, VendorGPU, b.config.ResourceCountName, func(i int) device.DeviceInfo { return wholeGPU(node.Name, i) })
	if inv.Err != nil {
		return inv
	}
	t, problems := readTopology(node.Annotations)
	inv.Extra = t
	for _, err := range problems {
		inv.Problems = append(inv.Problems, device.Problem{Object: "node " + node.Name, Err: err})
	}
	return inv
}

// Describe implements [device.Backend]: the capacity. It can express nothing but the GPUs that Inventory makes of it.
func (b *GPU) Describe(node *corev1.Node, devices []device.DeviceInfo) error {
	if err := kit.Expressible(devices, func(i int) device.DeviceInfo { return wholeGPU(node.Name, i) }); err != nil {
		return err
	}
	device.Offer(node, b.config.ResourceCountName, int64(len(devices)))
	return nil
}

// Health implements [device.Backend]: GPUs are there as long as the capacity says so (spec metax §I.10).
func (b *GPU) Health(in device.HealthInput) device.HealthAnswer {
	n, _ := device.Capacity(in.Node, b.config.ResourceCountName)
	return device.HealthAnswer{Healthy: n > 0, Renew: true}
}

// Request implements [device.Backend] (spec metax §I.5): a number of GPUs, each whole. A number that is not whole, negative or
// out of range is an error (deviation DG5).
func (b *GPU) Request(c *corev1.Container) (device.ContainerRequest, error) {
	gpus := kit.Shares{Vendor: VendorGPU, Count: b.config.ResourceCountName, DefaultCores: gpuCores}
	return gpus.Request(c)
}

// Admit implements [device.Backend] (spec metax §I.6): nothing is completed. A container that names the GPUs in its requests
// only is this vendor's too.
func (b *GPU) Admit(_ *corev1.Pod, c *corev1.Container) (device.Admitted, error) {
	return kit.AdmitAsked(b, c, kit.Named(c, b.config.ResourceCountName))
}

// Plan implements [device.Backend]: the checks of spec metax §I.7 in their order.
func (b *GPU) Plan(pod *device.PodContext, ask device.ContainerRequest) device.Plan {
	cores := min(ask.Cores, gpuCores)
	var rules kit.Rules
	rules.Add(kit.Healthy())
	rules.Add(kit.Slot())
	rules.When(pod.Policy.Mutex, kit.Idle())
	rules.Add(kit.Memory())
	rules.Add(kit.Cores())
	rules.When(cores == 100, kit.WholeIsIdle())
	rules.When(cores == 0, kit.Compute())
	rules.When(pod.Quirks.Has(device.OneCardOfMetaX), oneCard()) // deviation DG1
	return device.Plan{Ask: ask, Cores: cores, Rules: rules.Table()}
}

// oneCard refuses a GPU where an earlier container of the pod has another one (spec metax §I.7 check 10). Containers that run
// before the app containers, and app containers, do not bind each other.
func oneCard() device.Rule {
	return device.Rule{
		Code: device.CardNotFoundCustomFilterRule,
		Func: func(c *device.Candidate) bool { return otherCard(c) == "" },
		Explain: func(c *device.Candidate) (want, have device.Amount) {
			return device.Amount{Text: fmt.Sprintf("GPU %s of the pod's other containers", otherCard(c))}, device.Amount{Text: c.Info().ID}
		},
	}
}

// otherCard is the id of a GPU other than the candidate that the pod has in the same phase; empty: none.
func otherCard(c *device.Candidate) string {
	f := c.Fit
	for i := range f.Taken {
		t := &f.Taken[i]
		samePhase := (f.Classes[t.Container] == device.App) == (f.Class == device.App)
		if t.Vendor == VendorGPU && samePhase && t.ID != c.Info().ID {
			return t.ID
		}
	}
	return ""
}
