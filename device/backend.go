package device

import (
	"time"

	corev1 "k8s.io/api/core/v1"
)

// Backend is the device model of one vendor word. Every method is a pure function of its arguments and of the
// configuration the backend was built with; a Backend is safe for concurrent use and keeps nothing between calls.
//
// A backend may also implement [Annotator] and [NodeScorer].
type Backend interface {
	// Vendor is the vendor word: the key of the backend in a set.
	Vendor() Vendor

	// Names lists the resources and annotation keys of the vendor.
	Names() Names

	// Inventory reads the node's devices of this vendor. A node without description yields an error wrapping
	// [ErrNoDescription] in Err; a description that cannot be read yields a [*DecodeError]. The node is not changed.
	Inventory(node *corev1.Node) Inventory

	// Request reads what one container asks of this vendor. It returns the zero value when the container asks for nothing,
	// and a [*RequestError] when it asks for something impossible; such a pod fits nowhere.
	Request(container *corev1.Container) (ContainerRequest, error)

	// Plan makes a request ready to be tried on nodes. The plan must not keep pod.
	Plan(pod *PodContext, ask ContainerRequest) Plan

	// Admit completes a container as the vendor's admission does: defaults, environment, runtime class. It changes
	// container and pod in place, which belong to the caller, and says whether the container is this vendor's; the error
	// refuses the pod.
	Admit(pod *corev1.Pod, container *corev1.Container) (mine bool, err error)

	// Health says whether the vendor's devices on the node are to be trusted at a time.
	Health(in HealthInput) HealthAnswer
}

// Names are the names a vendor is addressed by.
type Names struct {
	Count   string // resource: number of devices
	Memory  string // resource: memory of each device; empty: none
	Percent string // resource: memory of each device in percent; empty: none
	Cores   string // resource: cores of each device; empty: none

	// Others are resources of the vendor that no decision depends on, such as a priority.
	Others []string

	// MemoryFactor is the MiB that one unit of the memory resource stands for in quotas; below 1 it counts as 1.
	MemoryFactor int64

	Register   string // node annotation with the devices; empty: read from capacity
	Handshake  string // node annotation of the agent's handshake; empty: none
	ToAllocate string // pod annotation consumed by the node agent; empty: not written
	Allocated  string // pod annotation that usage is read back from

	// PodKeys are the pod annotations that Plan reads, besides those every vendor shares (device and node policy, weights,
	// NUMA binding).
	PodKeys []string

	// Locks says that binding a pod with such devices takes the node's shared lock.
	Locks bool
}

// PodContext is what a plan may depend on besides the request.
type PodContext struct {
	Annotations map[string]string // of the pod; read-only
	Policy      DevicePolicy
	Quirks      Quirks
}

// DevicePolicy is the part of a pod's device policy that acts inside a vendor's fit (spec core §8.4).
type DevicePolicy struct {
	Mutex         bool // idle devices only
	TopologyAware bool // choose by link scores
	NUMABind      bool // all devices of a container from one NUMA node
}

// Annotator is a backend that writes more on a pod than its allocation texts.
type Annotator interface {
	// Annotate returns further annotations for a pod that was given devices of the vendor. now fills time stamps.
	Annotate(pod *corev1.Pod, a *Allocation, now time.Time) map[string]string
}

// NodeScorer is a backend that has a say in the score of a node. Without it the vendor adds 0.
type NodeScorer interface {
	// ScoreNode returns what the vendor adds to the score of a node for an allocation. node is the usage before it.
	ScoreNode(node *NodeUsage, a *Allocation, nodePolicy string) float32
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
