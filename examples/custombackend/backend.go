package nimbus

import (
	"cmp"

	"github.com/accelfit/accelfit/device"
	"github.com/accelfit/accelfit/vendors/kit"
)

// Vendor is the vendor word.
const Vendor device.Vendor = "Nimbus"

// Annotation keys.
const (
	AnnotationRegister   = "nimbus.example/node-npu-register"  // node: NPUs, JSON form
	AnnotationHandshake  = "nimbus.example/node-npu-handshake" // node
	AnnotationToAllocate = "nimbus.example/npus-to-allocate"   // pod
	AnnotationAllocated  = "nimbus.example/npus-allocated"     // pod
	AnnotationUse        = "nimbus.example/use-npu"            // pod: ids
	AnnotationNoUse      = "nimbus.example/nouse-npu"          // pod: ids
	AnnotationMode       = "nimbus.example/npu-mode"           // pod: ModeShared or ModeExclusive
)

// Config is what a cluster calls the resources; empty: the usual names (see the package).
type Config struct {
	ResourceCountName  string `json:"resourceCountName,omitempty"`
	ResourceMemoryName string `json:"resourceMemoryName,omitempty"` // in MiB
	ResourceCoreName   string `json:"resourceCoreName,omitempty"`   // in percent
}

type base = kit.Base[Config]

// Backend is the device model. It is immutable and safe for concurrent use.
type Backend struct {
	base
	inventory
	asks
}

var _ device.Backend = (*Backend)(nil)

// New builds the device model from a configuration.
func New(config Config) *Backend {
	names := device.Names{
		Count:    cmp.Or(config.ResourceCountName, "nimbus.example/npu"),
		Memory:   cmp.Or(config.ResourceMemoryName, "nimbus.example/npu-memory"),
		Cores:    cmp.Or(config.ResourceCoreName, "nimbus.example/npu-cores"),
		Register: AnnotationRegister, Handshake: AnnotationHandshake,
		ToAllocate: AnnotationToAllocate, Allocated: AnnotationAllocated,
		PodKeys: []string{AnnotationUse, AnnotationNoUse, AnnotationMode},
		Lock:    device.AnnotationLock,
	}
	return &Backend{kit.NewBase(config, Vendor, names), newInventory(names), newAsks(names)}
}
