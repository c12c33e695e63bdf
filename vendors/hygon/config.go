package hygon

import "github.com/accelfit/accelfit/device"

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

// Backend is the device model. It implements [device.Backend].
type Backend struct{ config Config }

// New builds the device model from a configuration.
func New(config Config) *Backend { return &Backend{config: config} }

// Backends builds the device models of a configuration: one.
func Backends(config Config) ([]device.Backend, error) { return []device.Backend{New(config)}, nil }

// Config returns the configuration the backend was built with.
func (b *Backend) Config() Config { return b.config }

// Vendor implements [device.Backend].
func (b *Backend) Vendor() device.Vendor { return Vendor }

// Names implements [device.Backend].
func (b *Backend) Names() device.Names {
	return device.Names{
		Count: b.config.ResourceCountName, Memory: b.config.ResourceMemoryName, Cores: b.config.ResourceCoreName,
		MemoryFactor: max(1, int64(b.config.MemoryFactor)),
		Register:     AnnotationRegister, Handshake: AnnotationHandshake,
		ToAllocate: AnnotationToAllocate, Allocated: AnnotationAllocated,
		PodKeys: []string{AnnotationUseType, AnnotationNoUseType, AnnotationUseUUID, AnnotationNoUseUUID},
		Lock:    device.AnnotationLock,
	}
}
