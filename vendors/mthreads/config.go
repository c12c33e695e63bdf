package mthreads

import (
	"github.com/accelfit/accelfit/device"
	"github.com/accelfit/accelfit/vendors/kit"
)

// Vendor is the vendor word.
const Vendor device.Vendor = "Mthreads"

// Annotation keys.
const (
	AnnotationAllocated     = "hami.io/mthreads-vgpu-devices-allocated" // pod
	AnnotationRequested     = "mthreads.com/request-gpu-num"            // pod: number of cards where it is more than one
	AnnotationIndexes       = "mthreads.com/gpu-index"                  // pod: indexes of the cards of the last container
	AnnotationPredicateTime = "mthreads.com/predicate-time"             // pod: nanoseconds since 1970
	AnnotationPredicateNode = "mthreads.com/predicate-node"             // pod: name of the node
	AnnotationUseUUID       = "mthreads.ai/use-gpuuuid"                 // pod: ids
	AnnotationNoUseUUID     = "mthreads.ai/nouse-gpuuuid"               // pod
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

type base = kit.Base[Config]

// Backend is the device model. It implements [device.Backend] and [device.Annotator].
type Backend struct {
	base
	inventory
}

// New builds the device model from a configuration.
func New(config Config) *Backend {
	names := device.Names{
		Count: config.ResourceCountName, Memory: config.ResourceMemoryName, Cores: config.ResourceCoreName,
		CoreUnit: "cores", MemoryFactor: block,
		Allocated: AnnotationAllocated,
		Writes:    []string{AnnotationIndexes, AnnotationPredicateTime, AnnotationPredicateNode},
		PodKeys:   []string{AnnotationUseUUID, AnnotationNoUseUUID},
	}
	return &Backend{kit.NewBase(config, Vendor, names), newInventory(names)}
}

// Backends builds the device models of a configuration: one.
func Backends(config Config) ([]device.Backend, error) { return []device.Backend{New(config)}, nil }
