package device

import (
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
)

// Model is a device as its vendor sells it, to describe nodes by.
type Model struct {
	Vendor Vendor
	Name   string // as node agents report it, the Type of its devices
	Slots  int64  // tasks that may share one, as agents register it by default
	Memory int64  // MiB
	Cores  int64  // compute in the vendor's unit, usually percent of a card
	Mode   string // sharing mode that agents register by default; empty: none

	// MIGProfiles are the profiles of a model that can be cut into instances.
	MIGProfiles []MIGProfile
}

// Device returns a healthy device of the model.
func (m *Model) Device(id string, index int) DeviceInfo {
	return DeviceInfo{
		ID: id, Vendor: m.Vendor, Index: index, Type: m.Name, Mode: m.Mode,
		Slots: m.Slots, Memory: m.Memory, Cores: m.Cores, Healthy: true,
	}
}

// Annotate sets an annotation of an object that belongs to the caller.
func Annotate(node *corev1.Node, key, value string) {
	if node.Annotations == nil {
		node.Annotations = map[string]string{}
	}
	node.Annotations[key] = value
}

// Offer sets what a node has of a resource, capacity and allocatable. An empty name sets nothing.
func Offer(node *corev1.Node, name string, n int64) {
	if name == "" {
		return
	}
	q := *resource.NewQuantity(n, resource.DecimalSI)
	for _, list := range []*corev1.ResourceList{&node.Status.Capacity, &node.Status.Allocatable} {
		if *list == nil {
			*list = corev1.ResourceList{}
		}
		(*list)[corev1.ResourceName(name)] = q
	}
}

// Capacity reads how many of a resource a node has, as a whole number; ok is false where it has none, or the amount is no
// whole number (spec core §4). An empty name finds nothing.
func Capacity(node *corev1.Node, name string) (n int64, ok bool) {
	if name == "" {
		return 0, false
	}
	q, found := node.Status.Capacity[corev1.ResourceName(name)]
	if !found {
		return 0, false
	}
	return q.AsInt64()
}

// MaxDevices is how many devices a vendor may have on a node where it tells no more than their number.
const MaxDevices = 1024
