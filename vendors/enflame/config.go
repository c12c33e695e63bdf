package enflame

import (
	"cmp"

	"github.com/accelfit/accelfit/device"
	"github.com/accelfit/accelfit/vendors/kit"
)

// The vendor words.
const (
	Vendor    device.Vendor = "Enflame" // DRS cards
	VendorGCU device.Vendor = "GCU"     // whole cards
)

// Annotation keys.
const (
	AnnotationGCUToAllocate = "hami.io/enflame-gcu-devices-to-allocate" // pod
	AnnotationGCUAllocated  = "hami.io/enflame-gcu-devices-allocated"   // pod

	AnnotationCapacity  = "enflame.com/gcu-drs-capacity"           // node: DRS cards and profiles
	AnnotationUseUUID   = "enflame.com/use-gpuuuid"                // pod: ids
	AnnotationNoUseUUID = "enflame.com/nouse-gpuuuid"              // pod
	AnnotationAllocated = "hami.io/enflame-vgpu-devices-allocated" // pod

	AnnotationAssigned      = "enflame.com/gcu-assigned"       // pod: false until the node agent has made the instances
	AnnotationAssignedTime  = "enflame.com/gcu-assigned-time"  // pod: nanoseconds since 1970
	AnnotationAssignedIndex = "enflame.com/gcu-assigned-index" // pod: card of the first instance
	AnnotationAssignedID    = "enflame.com/gcu-assigned-id"    // pod: the same
	AnnotationAssignedMinor = "enflame.com/gcu-assigned-minor" // pod: minor number of that card
	AnnotationRequestSize   = "enflame.com/gcu-request-size"   // pod: slices of the first instance
	AnnotationContainers    = "assigned-containers"            // pod: instances by container
)

// Config is the section "enflame" of a HAMi device configuration (spec enflame §1).
type Config struct {
	ResourceNameGCU            string `json:"resourceNameGCU,omitempty"`
	ResourceNameDRSGCU         string `json:"resourceNameDRSGCU,omitempty"`
	ResourceNameGCUMemory      string `json:"resourceNameGCUMemory,omitempty"`
	ResourceNameGCUCore        string `json:"resourceNameGCUCore,omitempty"`
	ResourceNameVGCU           string `json:"resourceNameVGCU,omitempty"`           // older name of resourceNameDRSGCU
	ResourceNameVGCUPercentage string `json:"resourceNameVGCUPercentage,omitempty"` // kept, not used
}

// Backends builds the device models of a configuration: whole cards and DRS cards.
func Backends(config Config) ([]device.Backend, error) {
	return []device.Backend{NewGCU(config), NewDRS(config)}, nil
}

type base = kit.Base[Config]

// GCU is the device model of whole cards. It implements [device.Backend].
type GCU struct {
	base
	gcuInventory
}

// NewGCU builds the device model of whole cards.
func NewGCU(config Config) *GCU {
	names := device.Names{
		Count: config.ResourceNameGCU, ToAllocate: AnnotationGCUToAllocate, Allocated: AnnotationGCUAllocated,
	}
	return &GCU{kit.NewBase(config, VendorGCU, names), newGCUInventory(names)}
}

// DRS is the device model of cards with hard partitions. It implements [device.Backend], [device.Annotator] and
// [device.AdmissionCharger].
type DRS struct {
	base
	count, memory, cores string // resources
}

// NewDRS builds the device model of DRS cards. Resources without a name have the usual one, unless the configuration is empty.
func NewDRS(config Config) *DRS {
	b := &DRS{}
	if config != (Config{}) {
		b.count = cmp.Or(config.ResourceNameDRSGCU, config.ResourceNameVGCU, "enflame.com/drs-gcu")
		b.memory = cmp.Or(config.ResourceNameGCUMemory, "enflame.com/gcu-memory")
		b.cores = cmp.Or(config.ResourceNameGCUCore, "enflame.com/gcu-core")
	}
	b.base = kit.NewBase(config, Vendor, device.Names{
		Count: b.count, Memory: b.memory, Cores: b.cores,
		Register: AnnotationCapacity, Allocated: AnnotationAllocated,
		PodKeys: []string{AnnotationUseUUID, AnnotationNoUseUUID},
		Writes: []string{
			AnnotationAssigned, AnnotationAssignedTime, AnnotationAssignedIndex, AnnotationAssignedID, AnnotationAssignedMinor,
			AnnotationRequestSize, AnnotationContainers,
		},
	})
	return b
}
