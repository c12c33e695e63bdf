package amd

import (
	"github.com/accelfit/accelfit/device"
	"github.com/accelfit/accelfit/vendors/kit"
)

// Vendor is the vendor word.
const Vendor device.Vendor = "AMD"

// Annotation keys.
const (
	AnnotationRegister   = "hami.io/node-amd-register"       // node: devices, JSON form
	AnnotationToAllocate = "hami.io/amd-devices-to-allocate" // pod
	AnnotationAllocated  = "hami.io/amd-devices-allocated"   // pod
	AnnotationUseType    = "amd.com/use-gputype"             // pod: fragments of product names
	AnnotationNoUseType  = "amd.com/nouse-gputype"           // pod
	AnnotationUseUUID    = "amd.com/use-gpu-uuid"            // pod: ids
	AnnotationNoUseUUID  = "amd.com/nouse-gpu-uuid"          // pod
)

// Config is the section "amd" of a HAMi device configuration (spec amd §2). Without a name for memory or cores, containers take
// whole cards, or all CUs.
type Config struct {
	ResourceCountName  string `json:"resourceCountName,omitempty"`
	ResourceCoreName   string `json:"resourceCoreName,omitempty"`
	ResourceMemoryName string `json:"resourceMemoryName,omitempty"`
}

type base = kit.Base[Config]

// Backend is the device model. It implements [device.Backend] and [device.Charger].
type Backend struct {
	base
	inventory
}

// New builds the device model from a configuration.
func New(config Config) *Backend {
	names := device.Names{
		Count: config.ResourceCountName, Memory: config.ResourceMemoryName, Cores: config.ResourceCoreName,
		CoreUnit:   "CU",
		Register:   AnnotationRegister,
		ToAllocate: AnnotationToAllocate, Allocated: AnnotationAllocated, WritesType: true,
		PodKeys: []string{AnnotationUseType, AnnotationNoUseType, AnnotationUseUUID, AnnotationNoUseUUID},
		Lock:    device.AnnotationLock, CleanUp: AnnotationRegister,
	}
	return &Backend{kit.NewBase(config, Vendor, names), newInventory(names)}
}

// Backends builds the device models of a configuration: one.
func Backends(config Config) ([]device.Backend, error) { return []device.Backend{New(config)}, nil }
