package kunlun

import "github.com/accelfit/accelfit/device"

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

// Cards is the device model of whole cards. It implements [device.Backend], [device.NodeScorer] and [device.Annotator].
type Cards struct{ config Config }

// NewCards builds the device model of whole cards.
func NewCards(config Config) *Cards { return &Cards{config: config} }

// Config returns the configuration the model was built with.
func (b *Cards) Config() Config { return b.config }

// Vendor implements [device.Backend].
func (b *Cards) Vendor() device.Vendor { return Vendor }

// Names implements [device.Backend].
func (b *Cards) Names() device.Names {
	return device.Names{
		Count: b.config.ResourceCountName, Allocated: AnnotationAllocated,
		Writes: []string{AnnotationIndexes}, PodKeys: podKeys(),
	}
}

// VirtualCards is the device model of virtual cards. It implements [device.Backend].
type VirtualCards struct{ config Config }

// NewVirtualCards builds the device model of virtual cards.
func NewVirtualCards(config Config) *VirtualCards { return &VirtualCards{config: config} }

// Config returns the configuration the model was built with.
func (b *VirtualCards) Config() Config { return b.config }

// Vendor implements [device.Backend].
func (b *VirtualCards) Vendor() device.Vendor { return VendorVirtual }

// Names implements [device.Backend].
func (b *VirtualCards) Names() device.Names {
	return device.Names{
		Count: b.config.ResourceVCountName, Memory: b.config.ResourceVMemoryName,
		Register: AnnotationRegister, Handshake: AnnotationHandshake,
		ToAllocate: AnnotationToAllocate, Allocated: AnnotationVirtualAllocated,
		PodKeys: podKeys(), Lock: device.AnnotationLock,
	}
}
