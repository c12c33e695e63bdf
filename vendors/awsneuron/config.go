package awsneuron

import "github.com/accelfit/accelfit/device"

// Vendor is the vendor word, and the type of every device.
const Vendor device.Vendor = "AWSNeuron"

// LabelInstanceType is the node label that decides which devices are neighbours.
const LabelInstanceType = "node.kubernetes.io/instance-type"

// Annotation keys, all of pods.
const (
	AnnotationAllocated    = "hami.io/aws-neuron-devices-allocated"
	AnnotationUseUUID      = "aws.amazon.com/use-neuron-uuid"   // ids
	AnnotationNoUseUUID    = "aws.amazon.com/nouse-neuron-uuid" // ids
	AnnotationIDs          = "AWS_NEURON_IDS"                   // numbers of the devices or cores given
	AnnotationResourceType = "NEURON_RESOURCE_TYPE"             // the core resource, where cores were asked for
	AnnotationAllocTime    = "NEURON_ALLOC_TIME"                // nanoseconds since 1970
	AnnotationAssigned     = "NEURON_ALLOCATED"                 // false, until the node agent has seen the pod
	AnnotationNode         = "aws.amazon.com/predicate-node"    // the node chosen
)

// Config is the section "awsneuron" of a HAMi device configuration (spec awsneuron §2).
type Config struct {
	ResourceCountName string `json:"resourceCountName,omitempty"`
	ResourceCoreName  string `json:"resourceCoreName,omitempty"`
}

// Backend is the device model. It implements [device.Backend], [device.Annotator] and [device.Charger].
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
		Count: b.config.ResourceCountName, Cores: b.config.ResourceCoreName, CoreUnit: "core mask",
		Allocated: AnnotationAllocated,
		PodKeys:   []string{AnnotationUseUUID, AnnotationNoUseUUID},
		Writes: []string{
			AnnotationIDs, AnnotationResourceType, AnnotationAllocTime, AnnotationAssigned, AnnotationNode,
		},
	}
}
