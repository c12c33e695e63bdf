package metax

import (
	"github.com/accelfit/accelfit/device"
	"github.com/accelfit/accelfit/vendors/kit"
)

// The vendor words.
const (
	VendorGPU  device.Vendor = "Metax-GPU"  // whole GPUs
	VendorSGPU device.Vendor = "Metax-SGPU" // shared GPUs
)

// Annotation keys of whole GPUs.
const (
	AnnotationLosses        = "metax-tech.com/gpu.topology.losses"    // node: number of cards → loss, JSON
	AnnotationScores        = "metax-tech.com/gpu.topology.scores"    // node: number of cards → score, JSON
	AnnotationGPUToAllocate = "hami.io/metax-gpu-devices-to-allocate" // pod
	AnnotationGPUAllocated  = "hami.io/metax-gpu-devices-allocated"   // pod
)

// Annotation keys of shared GPUs.
const (
	AnnotationRegister       = "metax-tech.com/node-gpu-devices"        // node: cards, JSON
	AnnotationQoS            = "metax-tech.com/sgpu-qos-policy"         // pod: best-effort, fixed-share or burst-share
	AnnotationAppClass       = "metax-tech.com/sgpu-app-class"          // pod: online or offline
	AnnotationTopologyAware  = "metax-tech.com/sgpu-topology-aware"     // pod: whether links count in the score of nodes
	AnnotationUseUUID        = "metax-tech.com/use-gpuuuid"             // pod: ids
	AnnotationNoUseUUID      = "metax-tech.com/nouse-gpuuuid"           // pod
	AnnotationSGPUToAllocate = "hami.io/metax-sgpu-devices-to-allocate" // pod
	AnnotationSGPUAllocated  = "hami.io/metax-sgpu-devices-allocated"   // pod
	AnnotationGrants         = "metax-tech.com/gpu-devices-allocated"   // pod: what each container got, JSON
	AnnotationPredicateTime  = "metax-tech.com/predicate-time"          // pod: nanoseconds since 1970
)

// Config is the section "metax" of a HAMi device configuration (spec metax §1). Both models are built from it.
type Config struct {
	ResourceCountName   string `json:"resourceCountName,omitempty"`
	ResourceVCountName  string `json:"resourceVCountName,omitempty"`
	ResourceVMemoryName string `json:"resourceVMemoryName,omitempty"`
	ResourceVCoreName   string `json:"resourceVCoreName,omitempty"`

	// SGPUTopologyAware says whether links count in the score of nodes for pods that do not say it themselves.
	SGPUTopologyAware bool `json:"sgpuTopologyAware,omitempty"`
}

// Backends builds the device models of a configuration: whole and shared GPUs. Every configuration is valid.
func Backends(config Config) ([]device.Backend, error) {
	return []device.Backend{NewGPU(config), NewSGPU(config)}, nil
}

type base = kit.Base[Config]

// GPU is the device model of whole GPUs. It implements [device.Backend] and [device.NodeScorer].
type GPU struct {
	base
	gpuInventory
	gpuAsks
}

// NewGPU builds the device model of whole GPUs.
func NewGPU(config Config) *GPU {
	names := device.Names{
		Count:      config.ResourceCountName,
		ToAllocate: AnnotationGPUToAllocate, Allocated: AnnotationGPUAllocated,
		NodeKeys: []string{AnnotationLosses, AnnotationScores},
	}
	return &GPU{kit.NewBase(config, VendorGPU, names), newGPUInventory(names), newGPUAsks(names)}
}

// SGPU is the device model of shared GPUs. It implements [device.Backend], [device.Annotator], [device.NodeScorer],
// [device.Tagger], [device.LimitReader] and [device.AdmissionCharger].
type SGPU struct {
	base
	sgpuInventory
}

// NewSGPU builds the device model of shared GPUs.
func NewSGPU(config Config) *SGPU {
	names := device.Names{
		Count: config.ResourceVCountName, Memory: config.ResourceVMemoryName, Cores: config.ResourceVCoreName,
		MemoryFactor: mibPerGiB,
		Register:     AnnotationRegister,
		ToAllocate:   AnnotationSGPUToAllocate, Allocated: AnnotationSGPUAllocated,
		Writes: []string{AnnotationGrants, AnnotationPredicateTime},
		PodKeys: []string{
			AnnotationUseUUID, AnnotationNoUseUUID, AnnotationQoS, AnnotationAppClass, AnnotationTopologyAware,
		},
		Lock: device.AnnotationLock,
	}
	return &SGPU{kit.NewBase(config, VendorSGPU, names), newSGPUInventory(names)}
}
