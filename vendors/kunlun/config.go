package kunlun

import (
	"github.com/accelfit/accelfit/device"
	"github.com/accelfit/accelfit/vendors/kit"
)

// The vendor words.
const (
	Vendor        device.Vendor = "kunlun" // whole cards
	VendorVirtual device.Vendor = "XPU"    // virtual cards
)

// Annotation keys.
const (
	AnnotationUseUUID        = "hami.io/use-xpu-uuid"       // pod: ids
	AnnotationNoUseUUID      = "hami.io/no-use-xpu-uuid"    // pod
	AnnotationBaiduUseUUID   = "baidu.com/use-gpuuuid"      // pod: the same, older; a card must satisfy both
	AnnotationBaiduNoUseUUID = "baidu.com/nouse-gpuuuid"    // pod
	AnnotationAllocated      = "hami.io/kunlun-allocated"   // pod: whole cards
	AnnotationIndexes        = "BAIDU_COM_DEVICE_IDX"       // pod: indexes of the whole cards of one container
	AnnotationRegister       = "hami.io/node-register-xpu"  // node: devices, JSON form
	AnnotationHandshake      = "hami.io/node-handshake-xpu" // node

	AnnotationToAllocate       = "hami.io/xpu-devices-to-allocate" // pod: virtual cards
	AnnotationVirtualAllocated = "hami.io/xpu-devices-allocated"   // pod: virtual cards
)

// podKeys are the pod annotations that both models read.
func podKeys() []string {
	return []string{AnnotationUseUUID, AnnotationNoUseUUID, AnnotationBaiduUseUUID, AnnotationBaiduNoUseUUID}
}

// Config is the section "kunlun" of a HAMi device configuration (spec kunlun §1).
type Config struct {
	ResourceCountName   string `json:"resourceCountName,omitempty"`
	ResourceVCountName  string `json:"resourceVCountName,omitempty"`
	ResourceVMemoryName string `json:"resourceVMemoryName,omitempty"`
}

// Backends builds the device models of a configuration: whole cards and virtual cards.
func Backends(config Config) ([]device.Backend, error) {
	return []device.Backend{NewCards(config), NewVirtualCards(config)}, nil
}

type base = kit.Base[Config]

// Cards is the device model of whole cards. It implements [device.Backend], [device.NodeScorer] and [device.Annotator].
type Cards struct {
	base
	cardInventory
	cardAsks
}

// NewCards builds the device model of whole cards.
func NewCards(config Config) *Cards {
	names := device.Names{
		Count: config.ResourceCountName, Allocated: AnnotationAllocated,
		Writes: []string{AnnotationIndexes}, PodKeys: podKeys(),
	}
	return &Cards{kit.NewBase(config, Vendor, names), newCardInventory(names), newCardAsks(names)}
}

// VirtualCards is the device model of virtual cards. It implements [device.Backend].
type VirtualCards struct {
	base
	virtualInventory
}

// NewVirtualCards builds the device model of virtual cards.
func NewVirtualCards(config Config) *VirtualCards {
	names := device.Names{
		Count: config.ResourceVCountName, Memory: config.ResourceVMemoryName,
		Register: AnnotationRegister, Handshake: AnnotationHandshake,
		ToAllocate: AnnotationToAllocate, Allocated: AnnotationVirtualAllocated,
		PodKeys: podKeys(), Lock: device.AnnotationLock,
	}
	return &VirtualCards{kit.NewBase(config, VendorVirtual, names), newVirtualInventory(names)}
}
