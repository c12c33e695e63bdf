package cambricon

import (
	"github.com/accelfit/accelfit/device"
	"github.com/accelfit/accelfit/vendors/kit"
)

// Vendor is the vendor word.
const Vendor device.Vendor = "MLU"

// Annotation keys.
const (
	AnnotationToAllocate = "hami.io/cambricon-mlu-devices-to-allocate" // pod
	AnnotationAllocated  = "hami.io/cambricon-mlu-devices-allocated"   // pod
	AnnotationAssigned   = "CAMBRICON_DSMLU_ASSIGNED"                  // pod: false until the node agent has set the card up
	AnnotationProfile    = "CAMBRICON_DSMLU_PROFILE"                   // pod: index, cores and blocks of memory of one card
	AnnotationUseUUID    = "cambricon.com/use-gpuuuid"                 // pod: ids
	AnnotationNoUseUUID  = "cambricon.com/nouse-gpuuuid"               // pod
	AnnotationLock       = "cambricon.com/dsmlu.lock"                  // node: a time, without the pod's name
)

// Config is the section "cambricon" of a HAMi device configuration (spec cambricon §2).
type Config struct {
	ResourceCountName  string `json:"resourceCountName,omitempty"`
	ResourceMemoryName string `json:"resourceMemoryName,omitempty"`
	ResourceCoreName   string `json:"resourceCoreName,omitempty"`
}

// DefaultConfig is HAMi's built-in configuration.
func DefaultConfig() Config {
	return Config{
		ResourceCountName:  "cambricon.com/vmlu",
		ResourceMemoryName: "cambricon.com/mlu.smlu.vmemory",
		ResourceCoreName:   "cambricon.com/mlu.smlu.vcore",
	}
}

type base = kit.Base[Config]

// Backend is the device model. It implements [device.Backend] and [device.Annotator].
type Backend struct {
	base
	inventory
	asks
}

// New builds the device model from a configuration.
func New(config Config) *Backend {
	names := device.Names{
		Count: config.ResourceCountName, Memory: config.ResourceMemoryName, Cores: config.ResourceCoreName,
		MemoryFactor: block,
		ToAllocate:   AnnotationToAllocate, Allocated: AnnotationAllocated,
		Writes:  []string{AnnotationAssigned, AnnotationProfile},
		PodKeys: []string{AnnotationUseUUID, AnnotationNoUseUUID},
		Lock:    AnnotationLock,
	}
	return &Backend{kit.NewBase(config, Vendor, names), newInventory(names), newAsks(names)}
}

// Backends builds the device models of a configuration: one.
func Backends(config Config) ([]device.Backend, error) { return []device.Backend{New(config)}, nil }
