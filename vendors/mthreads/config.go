package mthreads

import "github.com/accelfit/accelfit/device"

// Vendor is the vendor word.
const Vendor device.Vendor = "Mthreads"

// Annotation keys of pods.
const (
	AnnotationAllocated     = "hami.io/mthreads-vgpu-devices-allocated"
	AnnotationRequested     = "mthreads.com/request-gpu-num" // number of cards where it is more than one
	AnnotationIndex         = "mthreads.com/gpu-index"       // of the cards of the last container
	AnnotationPredicateTime = "mthreads.com/predicate-time"  // nanoseconds since 1970
	AnnotationPredicateNode = "mthreads.com/predicate-node"  // name of the node
	AnnotationUseUUID       = "mthreads.ai/use-gpuuuid"      // ids
	AnnotationNoUseUUID     = "mthreads.ai/nouse-gpuuuid"    //
)

// Config is the section "mthreads" of a HAMi device configuration (spec mthreads §2).
type Config struct {
	ResourceCountName  string `json:"resourceCountName,omitempty"`
	ResourceMemoryName string `json:"resourceMemoryName,omitempty"`
	ResourceCoreName   string `json:"resourceCoreName,omitempty"`
}

// DefaultConfig is HAMi's built-in configuration.
func DefaultConfig() Config {
	return Config{
		ResourceCountName:  "mthreads.com/vgpu",
		ResourceMemoryName: "mthreads.com/sgpu-memory",
		ResourceCoreName:   "mthreads.com/sgpu-core",
	}
}

// Backend is the device model. It implements [device.Backend] and [device.Annotator].
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
		CoreUnit: "cores", MemoryFactor: block,
		Allocated: AnnotationAllocated,
		Writes:    []string{AnnotationIndex, AnnotationPredicateTime, AnnotationPredicateNode},
		PodKeys:   []string{AnnotationUseUUID, AnnotationNoUseUUID},
	}
}
