package enflame

import (
	"cmp"

	"github.com/accelfit/accelfit/device"
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

	AnnotationAssigned      = "enflame.com/gcu-assigned"       // pod: false; for the node agent to set
	AnnotationAssignedTime  = "enflame.com/gcu-assigned-time"  // pod: nanoseconds
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

// GCU is the device model of whole cards. It implements [device.Backend].
type GCU struct{ config Config }

// NewGCU builds the device model of whole cards from a configuration.
func NewGCU(config Config) *GCU { return &GCU{config: config} }

// Vendor implements [device.Backend].
func (b *GCU) Vendor() device.Vendor { return VendorGCU }

// Names implements [device.Backend].
func (b *GCU) Names() device.Names {
	return device.Names{
		Count: b.config.ResourceNameGCU, ToAllocate: AnnotationGCUToAllocate, Allocated: AnnotationGCUAllocated,
	}
}

// DRS is the device model of cards with hard partitions. It implements [device.Backend], [device.Annotator] and
// [device.AdmissionCharger].
type DRS struct{ count, memory, cores string }

// NewDRS builds the device model of DRS cards from a configuration. Resources without a name have the usual one, unless the
// configuration is empty.
func NewDRS(config Config) *DRS {
	if config == (Config{}) {
		return &DRS{}
	}
	return &DRS{
		count:  cmp.Or(config.ResourceNameDRSGCU, config.ResourceNameVGCU, "enflame.com/drs-gcu"),
		memory: cmp.Or(config.ResourceNameGCUMemory, "enflame.com/gcu-memory"),
		cores:  cmp.Or(config.ResourceNameGCUCore, "enflame.com/gcu-core"),
	}
}

// Vendor implements [device.Backend].
func (b *DRS) Vendor() device.Vendor { return Vendor }

// Names implements [device.Backend].
func (b *DRS) Names() device.Names {
	return device.Names{
		Count: b.count, Memory: b.memory, Cores: b.cores,
		Register: AnnotationCapacity, Allocated: AnnotationAllocated,
		PodKeys: []string{AnnotationUseUUID, AnnotationNoUseUUID},
		Writes: []string{
			AnnotationAssigned, AnnotationAssignedTime, AnnotationAssignedIndex, AnnotationAssignedID, AnnotationAssignedMinor,
			AnnotationRequestSize, AnnotationContainers,
		},
	}
}
