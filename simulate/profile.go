package simulate

import (
	"encoding/json"
	"slices"

	corev1 "k8s.io/api/core/v1"

	"github.com/accelfit/accelfit/device"
)

// The kind of document that describes the devices of a node group.
const (
	ProfileAPIVersion = "accelfit.dev/v1alpha1"
	ProfileKind       = "DeviceProfile"
)

// Profile says which devices a fresh node of a group registers: for groups that have no node to take a sample from, for nodes
// that have joined and not registered yet ([Upcoming]), and to compare a node with ([Profile.Verify]). It is read from YAML
// ([ParseProfiles]), taken from a node ([ProfileFromNode]), made of built-in models ([ProfileOfModels]), or written in Go. A
// Profile that nobody changes may be used from any number of goroutines.
type Profile struct {
	Name    string
	Match   ProfileMatch
	Devices []ProfileDevices

	// Annotations and Labels are what the vendors' node agents write besides devices: the soft split of Ascend, the topology
	// of MetaX. Not the registrations themselves.
	Annotations map[string]string
	Labels      map[string]string
}

// ProfileMatch says which node groups a profile is for: those that meet any of the three. The zero value is none.
type ProfileMatch struct {
	NodeGroups    []string          `json:"nodeGroups,omitempty"`    // names of groups
	MatchLabels   map[string]string `json:"matchLabels,omitempty"`   // labels that its nodes have, all of them
	InstanceTypes []string          `json:"instanceTypes,omitempty"` // values of the label node.kubernetes.io/instance-type
}

// ProfileDevices are equal devices, or such that differ in their NUMA node, links and custom information only. Devices of one
// vendor have indexes from 0 in the order of the entries.
//
// What is left out (nil, empty) is that of the built-in model ([vendors.Models]). For a model that is not built in it is what
// all models of the vendor agree on; memory must then be given.
type ProfileDevices struct {
	Vendor device.Vendor `json:"vendor,omitempty"` // vendor word; empty: that of the built-in model
	Model  string        `json:"model,omitempty"`  // the type as node agents register it; empty: the only one of the vendor
	Count  int           `json:"count,omitempty"`  // 0: one

	Slots     *int64  `json:"slots,omitempty"`     // tasks that may share a device; nil in mode mig: the most instances of one profile
	MemoryMiB *int64  `json:"memoryMiB,omitempty"` // that can be given out, after scaling
	Cores     *int64  `json:"cores,omitempty"`     // in the vendor's unit: percent of a card for most ([device.Names].CoreUnit)
	Mode      *string `json:"mode,omitempty"`      // sharing mode: hami-core, mig, mps or empty

	// NUMA nodes; nil: not known, which registers 0 or what follows from the number of devices.
	NUMA PerDevice[int] `json:"numa,omitempty"`

	// MIGProfiles of devices in mode mig; nil: those of the built-in model, in other modes none.
	MIGProfiles []ProfileMIG `json:"migProfiles,omitzero"`

	// Links are the scores of device pairs; nil: none are registered.
	Links *ProfileLinks `json:"links,omitempty"`

	// Custom information of the registration; nil: none, or what follows from the node.
	Custom PerDevice[map[string]json.RawMessage] `json:"custom,omitempty"`
}

// PerDevice is a value for each device of an entry: one value is that of all, otherwise there is one for each. In YAML and JSON
// one value stands for itself, without a list.
type PerDevice[T any] []T

// MarshalJSON implements [json.Marshaler].
func (p PerDevice[T]) MarshalJSON() ([]byte, error) {
	if len(p) == 1 {
		return json.Marshal(p[0])
	}
	return json.Marshal([]T(p))
}

// at is the value of device i; the zero value where there is none.
func (p PerDevice[T]) at(i int) (value T) {
	switch {
	case len(p) == 1:
		return p[0]
	case i < len(p):
		return p[i]
	}
	return value
}

// ProfileMIG is one way to cut an instance out of a device in mode mig.
type ProfileMIG struct {
	Name       string             `json:"name"`      // for example 2g.10gb
	MemoryMiB  int64              `json:"memoryMiB"` // of one instance
	Cores      int64              `json:"cores"`     // percent of the device
	Slices     uint32             `json:"slices"`    // compute slices
	Placements []device.Placement `json:"placements"`
}

// ProfileLinks are the scores of device pairs: how well a device is linked towards another (spec nvidia §2.3: 100 for each
// NVLink, on top of 10 to 60 for the way over PCIe).
type ProfileLinks struct {
	Score int64 // of every pair of devices of the entry, where there is no Matrix

	// Matrix has a row for each device of the entry. A row has a column for each device of the entry or, for links between
	// entries, for each device of the vendor. The score of a device towards itself does not count. 0: no score.
	Matrix [][]int64
}

// MarshalJSON implements [json.Marshaler]: a number, or a list of rows.
func (l ProfileLinks) MarshalJSON() ([]byte, error) {
	if l.Matrix == nil {
		return json.Marshal(l.Score)
	}
	return json.Marshal(l.Matrix)
}

// ProfileMatched says by what a profile is meant for a node group; the higher the surer.
type ProfileMatched int

// The ways, in the order of preference from the last to the first.
const (
	NotMatched            ProfileMatched = iota
	MatchedByInstanceType                // ProfileMatch.InstanceTypes
	MatchedByLabels                      // ProfileMatch.MatchLabels
	MatchedByName                        // ProfileMatch.NodeGroups
)

// Matches says whether, and by what, the profile is meant for a node group with the given name whose nodes have the given
// labels: by the name of the group, else by all labels of the selector, else by the instance type. A name, selector or
// instance type that is empty matches nothing.
func (p *Profile) Matches(group string, labels map[string]string) ProfileMatched {
	switch {
	case group != "" && slices.Contains(p.Match.NodeGroups, group):
		return MatchedByName
	case len(p.Match.MatchLabels) > 0 && selects(p.Match.MatchLabels, labels):
		return MatchedByLabels
	}
	if t := instanceType(labels); t != "" && slices.Contains(p.Match.InstanceTypes, t) {
		return MatchedByInstanceType
	}
	return NotMatched
}

func selects(selector, labels map[string]string) bool {
	for key, want := range selector {
		if have, ok := labels[key]; !ok || have != want {
			return false
		}
	}
	return true
}

// instanceType is the type of machine that a node's labels name; empty: none.
func instanceType(labels map[string]string) string {
	if t := labels[corev1.LabelInstanceTypeStable]; t != "" {
		return t
	}
	return labels[corev1.LabelInstanceType]
}

// ProfileFor picks the profile of a node group: the one that matches it best ([Profile.Matches]); of several by labels the one
// with the longest selector, of equals the first. nil: none matches. The pointer is into the slice.
func ProfileFor(profiles []Profile, group string, labels map[string]string) *Profile {
	var best *Profile
	matched := NotMatched
	for i := range profiles {
		p := &profiles[i]
		m := p.Matches(group, labels)
		closer := m == MatchedByLabels && m == matched && len(p.Match.MatchLabels) > len(best.Match.MatchLabels)
		if m > matched || closer {
			best, matched = p, m
		}
	}
	return best
}
