package vastai

import "github.com/accelfit/accelfit/device"

// Vendor is the vendor word.
const Vendor device.Vendor = "Vastai"

// Annotation keys.
const (
	AnnotationRegister   = "hami.io/node-va-register"           // node: devices, JSON form
	AnnotationHandshake  = "hami.io/node-handshake-va"          // node
	AnnotationToAllocate = "hami.io/Vastai-devices-to-allocate" // pod
	AnnotationAllocated  = "hami.io/Vastai-devices-allocated"   // pod
	AnnotationUseUUID    = "vastaitech.com/use-gpuuuid"         // pod: ids
	AnnotationNoUseUUID  = "vastaitech.com/nouse-gpuuuid"       // pod
)

// Config is the section "vastai" of a HAMi device configuration (spec vastai §2).
type Config struct {
	ResourceCountName string `json:"resourceCountName,omitempty"`
}

// Backend is the device model. It implements [device.Backend] and [device.NodeScorer].
type Backend struct{ config Config }

// New builds the device model from a configuration.
func New(config Config) *Backend { return &Backend{config: config} }

// Backends builds the device models of a configuration: one.
func Backends(config Config) ([]device.Backend, error) { return []device.Backend{New(config)}, nil }

// Config returns the configuration the backend was built with.
func (b *Backend) Config() Config { return b.config }

// Vendor implements [device.Backend].
func (b *Backend) Vendor() device.Vendor { return Vendor }

// Names implements [device.Backend]. Nothing is cleaned up: a handshake that has expired must stay to be seen (deviation
// vD8).
func (b *Backend) Names() device.Names {
	return device.Names{
		Count:    b.config.ResourceCountName,
		Register: AnnotationRegister, Handshake: AnnotationHandshake,
		ToAllocate: AnnotationToAllocate, Allocated: AnnotationAllocated,
		PodKeys: []string{AnnotationUseUUID, AnnotationNoUseUUID},
		Lock:    device.AnnotationLock,
	}
}
