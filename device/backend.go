package device

import (
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
)

// Backend is the device model of one vendor word. Every method is a pure function of its arguments and of the
// configuration the backend was built with; a Backend is safe for concurrent use and keeps nothing between calls.
//
// A backend may also implement [PodRequester], [Annotator], [NodeScorer], [Tagger], [Charger], [AdmissionCharger],
// [LimitReader] and [Identifier].
type Backend interface {
	// Vendor is the vendor word: the key of the backend in a set.
	Vendor() Vendor

	// Names lists the resources and annotation keys of the vendor. Its slices are read-only.
	Names() Names

	// Inventory reads the node's devices of this vendor. A node without description yields an error wrapping
	// [ErrNoDescription] in Err; a description that cannot be read yields a [*DecodeError]. The node is not changed.
	Inventory(node *corev1.Node) Inventory

	// Request reads what one container asks of this vendor. It returns the zero value when the container asks for nothing,
	// and a [*RequestError] when it asks for something impossible; such a pod fits nowhere.
	Request(container *corev1.Container) (ContainerRequest, error)

	// Plan makes a request ready to be tried on nodes. The plan must not keep pod. What it decides must not depend on the name of
	// a node, and on the ids of devices only in rules of the code [CardUuidMismatch]: answers are kept for nodes that are equal
	// in everything else (package simulate).
	Plan(pod *PodContext, ask ContainerRequest) Plan

	// Admit completes a container as the vendor's admission does: defaults, environment, runtime class. It changes
	// container and pod in place, which belong to the caller; the error refuses the pod.
	Admit(pod *corev1.Pod, container *corev1.Container) (Admitted, error)

	// Health says whether the vendor's devices on the node are to be trusted at a time.
	Health(in HealthInput) HealthAnswer

	// Describe writes on a node what the vendor's node agent would for the given devices: annotations, capacity and
	// allocatable, labels. Inventory of the node then reads the same devices. The error says what of them the vendor's
	// description cannot express. node belongs to the caller; its maps may be nil.
	Describe(node *corev1.Node, devices []DeviceInfo) error
}

// Admitted is what an admission found of a container.
type Admitted struct {
	Mine     bool     // the container asks for the vendor's devices
	Warnings []string // for whoever made the pod: amounts of theirs that were replaced
}

// Names are the names a vendor is addressed by.
type Names struct {
	Count   string // resource: number of devices
	Memory  string // resource: memory of each device; empty: none
	Percent string // resource: memory of each device in percent; empty: none
	Cores   string // resource: cores of each device; empty: none

	// Others are resources of the vendor that no decision depends on, such as a priority.
	Others []string

	// CoreUnit is what the vendor counts cores in, for people, for example "CU"; empty: percent of a card.
	CoreUnit string

	// MemoryFactor is the MiB that one unit of the memory resource stands for in quotas; below 1 it counts as 1.
	MemoryFactor int64

	Register   string // node annotation with the devices; empty: read from capacity
	Handshake  string // node annotation of the agent's handshake; empty: none
	ToAllocate string // pod annotation consumed by the node agent; empty: not written
	Allocated  string // pod annotation that usage is read back from

	// Writes are the pod annotations that [Annotator] may write.
	Writes []string

	// WritesType puts the type of each device into the allocation texts, where others put the vendor word.
	WritesType bool

	// PodKeys are the pod annotations that Plan reads, besides those every vendor shares (device and node policy, weights,
	// NUMA binding).
	PodKeys []string

	// Lock is the node annotation of the lock that binding a pod with such devices takes; empty: none.
	Lock string

	// NodeKeys are the node annotations that Inventory reads besides Register and what is written of the devices themselves
	// (health, cordons, link scores): facts of the hardware or of how the node is set up.
	NodeKeys []string

	// CleanUp is the node annotation that a scheduler removes when the devices are gone by the health rule; empty: none.
	CleanUp string

	// Keeps says that devices once read stay known while their description is missing or cannot be read.
	Keeps bool
}

// PodContext is what a plan may depend on besides the request.
type PodContext struct {
	Annotations map[string]string // of the pod; read-only
	Policy      DevicePolicy
	NodePolicy  string
	Quirks      Quirks

	// Container is the position of the container at hand, init containers first; Classes and Asks have an entry for each
	// container: its class, and what it asks of this vendor.
	Container int
	Classes   []ContainerClass
	Asks      []ContainerRequest
}

// DevicePolicy is the part of a pod's device policy that acts inside a vendor's fit (spec core §8.4).
type DevicePolicy struct {
	Mutex         bool // idle devices only
	TopologyAware bool // choose by link scores
	NUMABind      bool // all devices of a container from one NUMA node
}

// Identifier is a backend whose devices have ids that follow from the name of their node and their index, because the node
// agent does not tell any.
type Identifier interface {
	// DeviceID is the id of the device with an index, from 0, on a node.
	DeviceID(node string, index int) string
}

// PodRequester is a backend whose requests depend on annotations of the pod as well. Without it Request answers; with it
// Request is what a container of a pod without annotations asks.
type PodRequester interface {
	// RequestOf reads what a container of a pod with the given annotations asks, as Request does. Names.PodKeys lists the
	// annotations it reads.
	RequestOf(annotations map[string]string, container *corev1.Container) (ContainerRequest, error)
}

// RequestOf reads what a container of a pod with the given annotations asks of a backend.
func RequestOf(b Backend, annotations map[string]string, container *corev1.Container) (ContainerRequest, error) {
	if p, ok := b.(PodRequester); ok {
		return p.RequestOf(annotations, container)
	}
	return b.Request(container)
}

// Annotator is a backend that writes more on a pod than its allocation texts.
type Annotator interface {
	// Annotate returns further annotations for a pod that was given devices of the vendor on a node. now fills time stamps; a
	// zero time leaves them out. The map is the caller's.
	Annotate(pod *corev1.Pod, node *NodeInfo, a *Allocation, now time.Time) map[string]string
}

// NodeScorer is a backend that has a say in the score of a node. Without it the vendor adds 0.
type NodeScorer interface {
	// ScoreNodes returns what adds to the score of a node for an allocation that has devices of the vendor; nil: nothing. node
	// is the usage before it. Under the node policy spread the lowest score wins, so that what is better the higher it is must
	// then be negative (deviation D22). The function must be safe for concurrent use and not keep pod.
	ScoreNodes(pod *PodContext) func(node *NodeUsage, a *Allocation) float32
}

// Tagger is a backend that remembers something of the pods on its devices ([Plan.Tag]).
type Tagger interface {
	// Tag returns what is remembered of a pod with the given annotations on a device it was given.
	Tag(annotations map[string]string, d *ContainerDevice) string
}

// Charger is a backend whose quotas do not count what is booked.
type Charger interface {
	// Charge returns the MiB and cores that a grant counts with in quotas. d is nil where the device is not known.
	Charge(d *DeviceInfo, memory, cores int64) (chargedMemory, chargedCores int64)
}

// LimitReader is a backend whose quotas on the memory resource are not in the unit of Names.MemoryFactor.
type LimitReader interface {
	// MemoryLimit returns the MiB that a limit on the memory resource stands for; ok is false for one that is to be ignored.
	MemoryLimit(q resource.Quantity) (mib int64, ok bool)
}

// AdmissionCharger is a backend of which admission charges something else to a namespace's quota than devices times
// amounts.
type AdmissionCharger interface {
	// AdmissionCharge returns the MiB and cores of a request of a pod with the given annotations.
	AdmissionCharge(annotations map[string]string, ask ContainerRequest) (memory, cores int64)
}

// HealthInput is what a health answer depends on.
type HealthInput struct {
	Node  *corev1.Node
	Now   time.Time
	Known HealthMemory // what the previous answer for the node said to remember
}

// HealthMemory is what a health rule remembers of a node from one look to the next. The zero value is a node never seen.
type HealthMemory struct {
	Allocatable  int64
	Registration string
}

// HealthAnswer says whether a vendor's devices on a node are to be trusted.
type HealthAnswer struct {
	Healthy  bool         // false: the devices are gone
	Renew    bool         // the inventory may have changed: read it anew
	Announce string       // handshake text to write on the node; empty: none
	Remember HealthMemory // hand it in as Known next time
}
