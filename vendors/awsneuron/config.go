package awsneuron

import (
	"github.com/accelfit/accelfit/device"
	"github.com/accelfit/accelfit/vendors/kit"
)

// Vendor is the vendor word, and the type of every device.
const Vendor device.Vendor = "AWSNeuron"

// LabelInstanceType is the node label that decides which devices are neighbours.
const LabelInstanceType = "node.kubernetes.io/instance-type"

// Annotation keys.
const (
	AnnotationAllocated     = "hami.io/aws-neuron-devices-allocated" // pod
	AnnotationUseUUID       = "aws.amazon.com/use-neuron-uuid"       // pod: ids
	AnnotationNoUseUUID     = "aws.amazon.com/nouse-neuron-uuid"     // pod
	AnnotationIDs           = "AWS_NEURON_IDS"                       // pod: numbers of the devices or cores given
	AnnotationResourceType  = "NEURON_RESOURCE_TYPE"                 // pod: the core resource, where cores were asked for
	AnnotationAllocTime     = "NEURON_ALLOC_TIME"                    // pod: nanoseconds since 1970
	AnnotationAssigned      = "NEURON_ALLOCATED"                     // pod: false until the node agent has seen it
	AnnotationPredicateNode = "aws.amazon.com/predicate-node"        // pod: name of the node
)

// Config is the section "awsneuron" of a HAMi device configuration (spec awsneuron §2).
type Config struct {
	ResourceCountName string `json:"resourceCountName,omitempty"`
	ResourceCoreName  string `json:"resourceCoreName,omitempty"`
}

type base = kit.Base[Config]

// Backend is the device model. It implements [device.Backend], [device.Annotator] and [device.Charger].
type Backend struct{ base }

// New builds the device model from a configuration.
func New(config Config) *Backend {
	return &Backend{kit.NewBase(config, Vendor, device.Names{
		Count: config.ResourceCountName, Cores: config.ResourceCoreName, CoreUnit: "core mask",
		Allocated: AnnotationAllocated,
		PodKeys:   []string{AnnotationUseUUID, AnnotationNoUseUUID},
		Writes: []string{
			AnnotationIDs, AnnotationResourceType, AnnotationAllocTime, AnnotationAssigned, AnnotationPredicateNode,
		},
	})}
}

// Backends builds the device models of a configuration: one.
func Backends(config Config) ([]device.Backend, error) { return []device.Backend{New(config)}, nil }
