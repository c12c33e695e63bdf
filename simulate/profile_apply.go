package simulate

import (
	"fmt"
	"maps"
	"slices"
	"strconv"

	corev1 "k8s.io/api/core/v1"

	"github.com/accelfit/accelfit/device"
	"github.com/accelfit/accelfit/vendors"
)

// Apply writes on a node what the vendors' node agents would write once the devices of the profile are up: registrations,
// capacity and allocatable, annotations and labels ([device.Backend.Describe]). What the node said of devices before is taken
// off, also of vendors that the profile does not name. The vendors' own readers then find exactly the devices of the profile,
// healthy, not cordoned, and with ids that follow from the name of the node: "<node>/<vendor word>-<index>", or the vendor's
// own where the node agent tells none ([device.Identifier]).
//
// The error names the field of the profile that is wrong, or what of the devices the vendor's description cannot tell; the
// node is then unchanged. The node belongs to the caller; its maps may be nil.
func (p *Profile) Apply(set *vendors.Set, node *corev1.Node) error {
	c := describedPart(node)
	for _, b := range set.Backends() {
		undescribe(b, c)
	}
	if err := p.write(set, c, nil); err != nil {
		return err
	}
	takeDescription(node, c)
	return nil
}

// describedPart is a copy of the part of a node that tells of its devices.
func describedPart(node *corev1.Node) *corev1.Node {
	c := &corev1.Node{}
	c.Name = node.Name
	c.Annotations, c.Labels = maps.Clone(node.Annotations), maps.Clone(node.Labels)
	c.Status.Capacity, c.Status.Allocatable = node.Status.Capacity.DeepCopy(), node.Status.Allocatable.DeepCopy()
	return c
}

// takeDescription puts the part of a node that tells of its devices in the place of another's.
func takeDescription(node, from *corev1.Node) {
	node.Annotations, node.Labels = from.Annotations, from.Labels
	node.Status.Capacity, node.Status.Allocatable = from.Status.Capacity, from.Status.Allocatable
}

// undescribe takes the description of a vendor's devices off a node, and the facts its agent has told. Labels stay: they are
// the cloud's.
func undescribe(b device.Backend, node *corev1.Node) {
	n := b.Names()
	for _, key := range append([]string{n.Register, n.Handshake}, n.NodeKeys...) {
		delete(node.Annotations, key)
	}
	for _, name := range []string{n.Count, n.Memory, n.Percent, n.Cores} {
		delete(node.Status.Capacity, corev1.ResourceName(name))
		delete(node.Status.Allocatable, corev1.ResourceName(name))
	}
}

// write describes the profile's devices on a node, of the given vendors only if there are any.
func (p *Profile) write(set *vendors.Set, node *corev1.Node, only []device.Vendor) error {
	if err := p.checkNotes(set); err != nil {
		return p.wrap(err)
	}
	for _, key := range slices.Sorted(maps.Keys(p.Annotations)) {
		device.Annotate(node, key, p.Annotations[key])
	}
	if len(p.Labels) > 0 && node.Labels == nil {
		node.Labels = map[string]string{}
	}
	maps.Copy(node.Labels, p.Labels)
	fleets, err := p.fleets(set, node.Name)
	if err != nil {
		return p.wrap(err)
	}
	for i := range fleets {
		f := &fleets[i]
		if only != nil && !slices.Contains(only, f.backend.Vendor()) {
			continue
		}
		if err := f.describe(node); err != nil {
			return p.wrap(in(string(f.backend.Vendor()), err))
		}
	}
	return nil
}

func (p *Profile) wrap(err error) error { return fmt.Errorf("device profile %s: %w", p.Name, err) }

// checkNotes refuses annotations that the vendors' descriptions are written in.
func (p *Profile) checkNotes(set *vendors.Set) error {
	for _, b := range set.Backends() {
		n := b.Names()
		for _, key := range []string{n.Register, n.Handshake} {
			if _, there := p.Annotations[key]; there && key != "" {
				return wrong("annotations."+key, "is written from the devices")
			}
		}
	}
	return nil
}

// fleet is the devices of one vendor that a profile puts on a node.
type fleet struct {
	backend device.Backend
	devices []device.DeviceInfo
	entry   []*ProfileDevices // of each device: where it comes from, completed
}

// fleets are the devices of a profile on a node, by ascending vendor word.
func (p *Profile) fleets(set *vendors.Set, node string) ([]fleet, error) {
	entries, err := p.complete()
	if err != nil {
		return nil, err
	}
	byVendor := map[device.Vendor]*fleet{}
	for i := range entries {
		e := &entries[i]
		f := byVendor[e.Vendor]
		if f == nil {
			f = &fleet{backend: set.Backend(e.Vendor)}
			if f.backend == nil {
				return nil, wrong(entryName(i)+".vendor", "no vendor has the word %q", e.Vendor)
			}
			byVendor[e.Vendor] = f
		}
		for k := range e.Count {
			f.devices = append(f.devices, e.device(f.id(node, len(f.devices)), len(f.devices), k))
			f.entry = append(f.entry, e)
		}
	}
	var out []fleet
	for _, v := range slices.Sorted(maps.Keys(byVendor)) {
		byVendor[v].link()
		out = append(out, *byVendor[v])
	}
	return out, nil
}

// id is the id of the device with an index.
func (f *fleet) id(node string, index int) string { return freshID(f.backend, node, index) }

func freshID(b device.Backend, node string, index int) string {
	if names, ok := b.(device.Identifier); ok {
		return names.DeviceID(node, index)
	}
	return node + "/" + string(b.Vendor()) + "-" + strconv.Itoa(index)
}

// device is device k of an entry that is complete.
func (d *ProfileDevices) device(id string, index, k int) device.DeviceInfo {
	out := device.DeviceInfo{
		ID: id, Vendor: d.Vendor, Index: index, Mode: *d.Mode, Type: d.Model,
		Slots: *d.Slots, Memory: *d.MemoryMiB, Cores: *d.Cores, NUMA: d.NUMA.at(k), Healthy: true,
		CustomInfo: d.Custom.at(k),
	}
	for i := range d.MIGProfiles {
		m := &d.MIGProfiles[i]
		out.MIGProfiles = append(out.MIGProfiles, device.MIGProfile{
			Name: m.Name, Memory: m.MemoryMiB, Cores: m.Cores, Slices: m.Slices, Placements: m.Placements,
		})
	}
	return out.DeepCopy()
}

// link gives the devices their link scores.
func (f *fleet) link() {
	first := 0 // device of the entry at hand
	for i := range f.devices {
		if f.entry[i] != f.entry[first] {
			first = i
		}
		if f.entry[i].Links == nil {
			continue
		}
		for j := range f.devices {
			if score := f.entry[i].link(i, j, first); i != j && score != 0 {
				if f.devices[i].LinkScores == nil {
					f.devices[i].LinkScores = map[string]int64{}
				}
				f.devices[i].LinkScores[f.devices[j].ID] = score
			}
		}
	}
}

// link is the score of the vendor's device i, which is of this entry, towards device j. The entry begins at device first.
func (d *ProfileDevices) link(i, j, first int) int64 {
	inside := j >= first && j < first+d.Count
	switch {
	case d.Links == nil:
		return 0
	case d.Links.Matrix == nil && inside:
		return d.Links.Score
	case d.Links.Matrix == nil:
		return 0
	}
	row := d.Links.Matrix[i-first]
	switch {
	case len(row) > d.Count:
		return row[j]
	case inside:
		return row[j-first]
	}
	return 0
}

// describe writes the devices on a node. What the profile leaves open is as the vendor reads it of such a node.
func (f *fleet) describe(node *corev1.Node) error {
	err := f.backend.Describe(node, f.devices)
	if err == nil || !f.settle(f.backend.Inventory(node)) {
		return err
	}
	return f.backend.Describe(node, f.devices)
}

// settle takes over what the profile leaves open, and says whether that changes anything.
func (f *fleet) settle(read device.Inventory) (changed bool) {
	if len(read.Devices) != len(f.devices) {
		return false
	}
	for i := range f.devices {
		d, r := &f.devices[i], &read.Devices[i]
		if f.entry[i].NUMA == nil && d.NUMA != r.NUMA {
			d.NUMA, changed = r.NUMA, true
		}
		if f.entry[i].Custom == nil && len(d.CustomInfo) == 0 && len(r.CustomInfo) > 0 {
			d.CustomInfo, changed = r.CustomInfo, true
		}
	}
	return changed
}
