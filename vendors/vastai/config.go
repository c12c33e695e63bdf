package vastai

import (
	"github.com/accelfit/accelfit/device"
	"github.com/accelfit/accelfit/vendors/kit"
)

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

type base = kit.Base[Config]

// Backend is the device model. It implements [device.Backend] and [device.NodeScorer].
type Backend struct {
	base
	inventory
	asks
}

// New builds the device model from a configuration. Nothing is cleaned up: a handshake that has expired must stay to be seen
// (deviation vD8).
func New(config Config) *Backend {
	names := device.Names{
		Count:    config.ResourceCountName,
		Register: AnnotationRegister, Handshake: AnnotationHandshake,
		ToAllocate: AnnotationToAllocate, Allocated: AnnotationAllocated,
		PodKeys: []string{AnnotationUseUUID, AnnotationNoUseUUID},
		Lock:    device.AnnotationLock,
	}
	return &Backend{kit.NewBase(config, Vendor, names), newInventory(names), newAsks(names)}
}

// Backends builds the device models of a configuration: one.
func Backends(config Config) ([]device.Backend, error) { return []device.Backend{New(config)}, nil }
