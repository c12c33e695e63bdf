package simulate

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"

	"github.com/accelfit/accelfit/device"
	"github.com/accelfit/accelfit/vendors"
)

// Drift is one thing in which a node is not as its profile promises.
type Drift struct {
	Severity Severity
	Field    DriftField
	Vendor   device.Vendor // empty for annotations and labels

	// Device is the id of the device on the node; empty where it is missing there, and where no single device is meant. Index is
	// its index in the profile; of an extra device that on the node.
	Device string
	Index  int

	// What differs within the device: the id of the other device of a link, the name of a MIG profile, the key of custom
	// information, of an annotation or a label.
	Part string

	Want, Have string // what is promised, and what there is; empty: nothing
}

// Severity says how bad a drift is.
type Severity string

// The severities.
const (
	DriftError   Severity = "error"   // less than promised: pods that a plan has counted on may have no place
	DriftWarning Severity = "warning" // more than promised, or merely something else
)

// DriftField is the kind of a drift.
type DriftField string

// The kinds, with their severities. "Lower" and "less" are errors, the opposite is a warning.
const (
	DriftUnregistered DriftField = "not registered" // the node says nothing of the vendor's devices (yet): error
	DriftUnreadable   DriftField = "unreadable"     // what it says cannot be read: error
	DriftMissing      DriftField = "missing device" // Want is its model: error
	DriftExtra        DriftField = "extra device"   // Have is its model: warning
	DriftModel        DriftField = "model"          // warning: what else differs is told beside it
	DriftMemory       DriftField = "memory"         // MiB; lower: error
	DriftCores        DriftField = "cores"          // in the vendor's unit; lower: error
	DriftSlots        DriftField = "slots"          // lower: error
	DriftMode         DriftField = "mode"           // warning
	DriftNUMA         DriftField = "NUMA node"      // warning
	DriftLink         DriftField = "link score"     // lower: error; a warning where the node tells no scores at all
	DriftMIG          DriftField = "MIG profile"    // missing, or with less memory, cores or places: error
	DriftCustom       DriftField = "custom info"    // warning
	DriftHealth       DriftField = "health"         // unhealthy: error
	DriftCordon       DriftField = "cordon"         // cordoned: error
	DriftAnnotation   DriftField = "annotation"     // warning
	DriftLabel        DriftField = "label"          // warning
)

// String reads "error: NVIDIA device GPU-1 (index 1): memory: want 40960, have 20480".
func (d Drift) String() string {
	var b strings.Builder
	b.WriteString(string(d.Severity) + ":")
	if d.Vendor != "" {
		b.WriteString(" " + string(d.Vendor))
	}
	switch {
	case d.Device != "":
		fmt.Fprintf(&b, " device %s (index %d):", d.Device, d.Index)
	case d.Field == DriftMissing:
		fmt.Fprintf(&b, " index %d:", d.Index)
	case d.Vendor != "":
		b.WriteString(":")
	}
	b.WriteString(" " + string(d.Field))
	if d.Part != "" {
		b.WriteString(" " + d.Part)
	}
	switch {
	case d.Field == DriftMissing || d.Field == DriftExtra:
		b.WriteString(" " + d.Want + d.Have)
	case d.Want != "" || d.Have != "":
		fmt.Fprintf(&b, ": want %s, have %s", cmp.Or(d.Want, "none"), cmp.Or(d.Have, "none"))
	}
	return b.String()
}

// Verify compares a node that has joined with the profile and lists every difference: by vendor word, then by index, then in
// the order of the kinds. A node that [Profile.Apply] has written has none. What the profile leaves open (NUMA nodes, links,
// custom information) is not compared. Devices are compared with those of the same index and model; what is left over with the
// same model in registration order, then with whatever is left. Vendors that the profile does not name are extra devices.
//
// Amounts of built-in models are what data sheets and usual drivers say; take the profile from a sample to promise exact ones.
// The error is about the profile, as for [Profile.Apply]. Nothing is changed.
func (p *Profile) Verify(set *vendors.Set, node *corev1.Node) ([]Drift, error) {
	expected := describedPart(node)
	if err := p.Apply(set, expected); err != nil {
		return nil, err
	}
	promised, have := set.Inventory(expected), set.Inventory(node)
	open, err := p.open(set, node.Name)
	if err != nil {
		return nil, err
	}
	var out []Drift
	words := append(promised.Described(), have.Described()...)
	slices.Sort(words)
	for _, v := range slices.Compact(words) {
		c := comparison{vendor: v, open: open[v], problems: have.Inventory(v).Problems}
		out = append(out, c.run(promised.Inventory(v).Devices, have.Inventory(v))...)
	}
	out = append(out, notesDrift(DriftAnnotation, p.Annotations, node.Annotations)...)
	return append(out, notesDrift(DriftLabel, p.Labels, node.Labels)...), nil
}

// open is what the profile leaves open of each device.
func (p *Profile) open(set *vendors.Set, node string) (map[device.Vendor][]*ProfileDevices, error) {
	fleets, err := p.fleets(set, node)
	if err != nil {
		return nil, p.wrap(err)
	}
	out := map[device.Vendor][]*ProfileDevices{}
	for i := range fleets {
		out[fleets[i].backend.Vendor()] = fleets[i].entry
	}
	return out, nil
}

func notesDrift(field DriftField, want, have map[string]string) (out []Drift) {
	for _, key := range sortedKeys(want) {
		if have[key] != want[key] {
			out = append(out, Drift{Severity: DriftWarning, Field: field, Part: key, Want: want[key], Have: have[key]})
		}
	}
	return out
}

// undescribed says whether a node says nothing of a vendor's devices.
func undescribed(info *device.NodeInfo, v device.Vendor) bool {
	return errors.Is(info.Unreadable(v), device.ErrNoDescription)
}
