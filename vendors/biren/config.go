package biren

import (
	"github.com/accelfit/accelfit/device"
	"github.com/accelfit/accelfit/vendors/kit"
)

// Vendor is the vendor word.
const Vendor device.Vendor = "Biren"

// Annotation keys.
const (
	AnnotationRegister   = "hami.io/node-biren-register"       // node: devices, JSON form
	AnnotationHandshake  = "hami.io/node-handshake-biren"      // node
	AnnotationToAllocate = "hami.io/Biren-devices-to-allocate" // pod
	AnnotationAllocated  = "hami.io/Biren-devices-allocated"   // pod
	AnnotationUseUUID    = "birentech.com/use-gpuuuid"         // pod: ids
	AnnotationNoUseUUID  = "birentech.com/nouse-gpuuuid"       // pod
)

// Config is the section "biren" of a HAMi device configuration (spec biren §2).
type Config struct {
	ResourceCountName string `json:"resourceCountName,omitempty"`
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
