package device

// Annotation keys that belong to no vendor (spec core §2.6).
const (
	AnnotationNode           = "hami.io/vgpu-node"              // pod: the node that was chosen; also a label
	AnnotationTime           = "hami.io/vgpu-time"              // pod: when, Unix seconds
	AnnotationBindPhase      = "hami.io/bind-phase"             // pod: allocating, success or failed
	AnnotationBindTime       = "hami.io/bind-time"              // pod: when, Unix seconds
	AnnotationLock           = "hami.io/mutex.lock"             // node: see Lock
	AnnotationNodePolicy     = "hami.io/node-scheduler-policy"  // pod: node policy
	AnnotationDevicePolicy   = "hami.io/gpu-scheduler-policy"   // pod: device policy
	AnnotationWeights        = "hami.io/device-scoring-weights" // pod: weights of the device score
	AnnotationNUMABind       = "nvidia.com/numa-bind"           // pod: all devices of a container from one NUMA node
	AnnotationCordon         = "hami.io/device-cordon"          // node: ids of devices that take no new work
	AnnotationMIGReservation = "hami.io/vgpu-mig-allocations"   // pod: see MIGReservation
)

// Values of AnnotationBindPhase.
const (
	BindAllocating = "allocating"
	BindSuccess    = "success"
	BindFailed     = "failed"
)
