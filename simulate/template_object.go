package simulate

import (
	"slices"

	corev1 "k8s.io/api/core/v1"

	"github.com/accelfit/accelfit/device"
	"github.com/accelfit/accelfit/vendors"
)

// Taints that the API has no constants for: those of a cloud's node controller, and those that cluster-autoscaler puts on nodes
// it is about to remove.
const (
	taintUninitialized = "node.cloudprovider.kubernetes.io/uninitialized"
	taintShutdown      = "node.cloudprovider.kubernetes.io/shutdown"
	taintToBeDeleted   = "ToBeDeletedByClusterAutoscaler"
	taintCandidate     = "DeletionCandidateOfClusterAutoscaler"
)

// object is the Kubernetes object of a new node: the sample's, less what is state of the sample. Devices are described as on
// the sample.
func (t *Template) object(set *vendors.Set, name string) *corev1.Node {
	n := t.sample().DeepCopy()
	forget(n)
	n.Name = name
	if n.Labels[corev1.LabelHostname] != "" {
		n.Labels[corev1.LabelHostname] = name
	}
	for _, b := range set.Backends() {
		names := b.Names()
		delete(n.Annotations, names.Lock)
		if !t.Options.KeepHealth {
			delete(n.Annotations, names.Handshake)
		}
	}
	delete(n.Annotations, device.AnnotationLock)
	if !t.Options.KeepCordon {
		n.Spec.Unschedulable = false
		n.Spec.Taints = untainted(n.Spec.Taints, corev1.TaintNodeUnschedulable)
		delete(n.Annotations, device.AnnotationCordon)
	}
	if !t.Options.KeepHealth {
		heal(set, n)
	}
	return n
}

// forget takes off an object what only the node has that it is of.
func forget(n *corev1.Node) {
	n.UID, n.ResourceVersion, n.Generation, n.ManagedFields = "", "", 0, nil
	n.CreationTimestamp.Reset()
	n.DeletionTimestamp, n.DeletionGracePeriodSeconds = nil, nil
	n.Spec.Taints = untainted(n.Spec.Taints, taintToBeDeleted, taintCandidate)
	n.Spec.ProviderID, n.Spec.PodCIDR, n.Spec.PodCIDRs = "", "", nil
	n.Status.Addresses, n.Status.VolumesInUse, n.Status.VolumesAttached = nil, nil, nil
}

// heal makes a node Ready, and allocatable whatever of the managed resources it has.
func heal(set *vendors.Set, n *corev1.Node) {
	n.Spec.Taints = untainted(n.Spec.Taints, corev1.TaintNodeNotReady, corev1.TaintNodeUnreachable,
		corev1.TaintNodeMemoryPressure, corev1.TaintNodeDiskPressure, corev1.TaintNodePIDPressure,
		corev1.TaintNodeNetworkUnavailable, corev1.TaintNodeOutOfService, taintUninitialized, taintShutdown)
	n.Status.Conditions = []corev1.NodeCondition{{Type: corev1.NodeReady, Status: corev1.ConditionTrue}}
	for _, name := range set.ManagedResources() {
		q, ok := n.Status.Capacity[corev1.ResourceName(name)]
		if !ok {
			continue
		}
		if n.Status.Allocatable == nil {
			n.Status.Allocatable = corev1.ResourceList{}
		}
		n.Status.Allocatable[corev1.ResourceName(name)] = q.DeepCopy()
	}
}

func untainted(taints []corev1.Taint, keys ...string) []corev1.Taint {
	return slices.DeleteFunc(taints, func(t corev1.Taint) bool { return slices.Contains(keys, t.Key) })
}
