package hygon

import (
	"github.com/accelfit/accelfit/device"
	"github.com/accelfit/accelfit/vendors/kit"
)

// Vendor is the vendor word.
const Vendor device.Vendor = "DCU"

// Annotation keys.
const (
	AnnotationRegister   = "hami.io/node-dcu-register"       // node: devices, text form
	AnnotationHandshake  = "hami.io/node-handshake-dcu"      // node
	AnnotationToAllocate = "hami.io/dcu-devices-to-allocate" // pod
	AnnotationAllocated  = "hami.io/dcu-devices-allocated"   // pod
	AnnotationUseType    = "hygon.com/use-dcutype"           // pod: fragments of model names
	AnnotationNoUseType  = "hygon.com/nouse-dcutype"         // pod
	AnnotationUseUUID    = "hygon.com/use-gpuuuid"           // pod: ids
	AnnotationNoUseUUID  = "hygon.com/nouse-gpuuuid"         // pod
)

// Config is the section "hygon" of a HAMi device configuration (spec hygon §2).
type Config struct {
	ResourceCountName  string `json:"resourceCountName,omitempty"`
	ResourceMemoryName string `json:"resourceMemoryName,omitempty"`
	ResourceCoreName   string `json:"resourceCoreName,omitempty"`
	MemoryFactor       int32  `json:"memoryFactor,omitempty"` // MiB of one unit of the memory resource; below 1: 1
}

type base = kit.Base[Config]

// Backend is the device model. It implements [device.Backend].
type Backend struct {
	base
	inventory
	asks
}

// New builds the device model from a configuration.
func New(config Config) *Backend {
	names := device.Names{
		Count: config.ResourceCountName, Memory: config.ResourceMemoryName, Cores: config.ResourceCoreName,
		MemoryFactor: max(1, int64(config.MemoryFactor)),
		Register:     AnnotationRegister, Handshake: AnnotationHandshake,
		ToAllocate: AnnotationToAllocate, Allocated: AnnotationAllocated,
		PodKeys: []string{AnnotationUseType, AnnotationNoUseType, AnnotationUseUUID, AnnotationNoUseUUID},
		Lock:    device.AnnotationLock,
	}
	return &Backend{kit.NewBase(config, Vendor, names), newInventory(names), newAsks(names)}
}

// Backends builds the device models of a configuration: one.
func Backends(config Config) ([]device.Backend, error) { return []device.Backend{New(config)}, nil }
