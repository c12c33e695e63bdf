package simulate

import (
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"slices"

	corev1 "k8s.io/api/core/v1"

	"github.com/accelfit/accelfit/device"
	"github.com/accelfit/accelfit/vendors"
)

// ProfileOfModels is the profile of a node with so many devices of each of some built-in models ([vendors.Models]). The error
// names a model that is not built in, that several vendors have, or of which several variants are built in.
func ProfileOfModels(name string, count int, models ...string) (Profile, error) {
	p := Profile{Name: name}
	for _, m := range models {
		p.Devices = append(p.Devices, ProfileDevices{Model: m, Count: count})
	}
	var err error
	if p.Devices, err = p.complete(); err != nil {
		return Profile{}, p.wrap(err)
	}
	return p, nil
}

// ProfileFromNode is the profile of a node as it would be fresh: what is state of this node is left out, and dropped says so, a
// line for each thing: device ids, bad health, cordons, locks and handshakes, gaps in the numbering of the devices, and
// whatever of a vendor's description cannot be read or expressed in a profile. Devices that are missing on the node are missing
// in the profile. What pods hold is not on a node. The profile has the node's name, and matches nothing until the caller says
// what. The node is not changed; the profile shares nothing with it.
func ProfileFromNode(set *vendors.Set, node *corev1.Node) (p Profile, dropped []string) {
	p.Name = node.Name
	info := set.Inventory(node)
	for _, problem := range info.Problems() {
		dropped = append(dropped, problem.Error())
	}
	for _, v := range info.Vendors() {
		inv := info.Inventory(v)
		dropped = append(dropped, stateOf(inv.Devices, set.Backend(v))...)
		p.Devices = append(p.Devices, entriesOf(inv.Devices)...)
	}
	for _, b := range set.Backends() {
		n := b.Names()
		for _, key := range n.NodeKeys {
			if text, ok := node.Annotations[key]; ok {
				p.note(key, text)
			}
		}
		for _, key := range []string{n.Handshake, n.Lock} {
			if line := "annotation " + key; node.Annotations[key] != "" && key != "" && !slices.Contains(dropped, line) {
				dropped = append(dropped, line)
			}
		}
	}
	return p, append(dropped, p.inexpressible(set, node, info)...)
}

func (p *Profile) note(key, text string) {
	if p.Annotations == nil {
		p.Annotations = map[string]string{}
	}
	p.Annotations[key] = text
}

// stateOf says what of a vendor's devices is state.
func stateOf(devices []device.DeviceInfo, b device.Backend) (dropped []string) {
	if _, named := b.(device.Identifier); !named {
		dropped = append(dropped, fmt.Sprintf("%s: ids of %d devices", b.Vendor(), len(devices)))
	}
	numbered := true
	for i := range devices {
		d := &devices[i]
		numbered = numbered && d.Index == i
		if !d.Healthy {
			dropped = append(dropped, fmt.Sprintf("%s: device %s: unhealthy", b.Vendor(), d.ID))
		}
		if d.Cordoned {
			dropped = append(dropped, fmt.Sprintf("%s: device %s: cordoned", b.Vendor(), d.ID))
		}
	}
	if !numbered {
		dropped = append(dropped, fmt.Sprintf("%s: indexes, which are not 0 to %d in this order: a device may be missing", b.Vendor(), len(devices)-1))
	}
	return dropped
}

// entriesOf groups devices of one vendor, in their order.
func entriesOf(devices []device.DeviceInfo) (out []ProfileDevices) {
	linked := slices.ContainsFunc(devices, func(d device.DeviceInfo) bool { return len(d.LinkScores) > 0 })
	for from := 0; from < len(devices); {
		to := from + 1
		for to < len(devices) && alike(&devices[from], &devices[to]) {
			to++
		}
		e := entryOf(devices[from:to])
		if linked && len(devices) <= maxLinked {
			e.Links = linksOf(devices, from, to)
		}
		out = append(out, e)
		from = to
	}
	return out
}

// alike says whether two devices can be in one entry.
func alike(a, b *device.DeviceInfo) bool {
	return a.Type == b.Type && a.Slots == b.Slots && a.Memory == b.Memory && a.Cores == b.Cores && a.Mode == b.Mode &&
		reflect.DeepEqual(a.MIGProfiles, b.MIGProfiles)
}

func entryOf(devices []device.DeviceInfo) ProfileDevices {
	d := devices[0].DeepCopy()
	e := ProfileDevices{
		Vendor: d.Vendor, Model: d.Type, Count: len(devices),
		Slots: &d.Slots, MemoryMiB: &d.Memory, Cores: &d.Cores, Mode: &d.Mode,
	}
	if len(d.MIGProfiles) > 0 || d.Mode == device.ModeMIG {
		e.MIGProfiles = migOf(d.MIGProfiles)
	}
	for i := range devices {
		e.NUMA = append(e.NUMA, devices[i].NUMA)
		e.Custom = append(e.Custom, devices[i].DeepCopy().CustomInfo)
	}
	if slices.Max(e.NUMA) == slices.Min(e.NUMA) {
		e.NUMA = e.NUMA[:1]
	}
	same := func(m map[string]json.RawMessage) bool { return reflect.DeepEqual(m, e.Custom[0]) }
	switch {
	case !slices.ContainsFunc(e.Custom, func(m map[string]json.RawMessage) bool { return len(m) > 0 }):
		e.Custom = nil
	case !slices.ContainsFunc(e.Custom, func(m map[string]json.RawMessage) bool { return !same(m) }):
		e.Custom = e.Custom[:1]
	}
	return e
}

// migOf is the profiles of a device; empty, not nil, where it has none.
func migOf(profiles []device.MIGProfile) []ProfileMIG {
	out := []ProfileMIG{}
	for _, m := range profiles {
		out = append(out, ProfileMIG{m.Name, m.Memory, m.Cores, m.Slices, slices.Clone(m.Placements)})
	}
	return out
}

// linksOf are the link scores of the devices from..to-1 towards all devices of the vendor, or among themselves if there are no
// others.
func linksOf(devices []device.DeviceInfo, from, to int) *ProfileLinks {
	out := &ProfileLinks{}
	scores := map[int64]bool{}
	for i := from; i < to; i++ {
		row := make([]int64, len(devices))
		for j := range devices {
			if i != j {
				row[j] = devices[i].LinkScores[devices[j].ID]
				scores[row[j]] = true
			}
		}
		out.Matrix = append(out.Matrix, row)
	}
	if to-from == len(devices) && len(scores) == 1 {
		return &ProfileLinks{Score: slices.Collect(maps.Keys(scores))[0]}
	}
	return out
}

// inexpressible compares what a fresh node of the profile tells with the sample.
func (p *Profile) inexpressible(set *vendors.Set, sample *corev1.Node, read *device.NodeInfo) (dropped []string) {
	node := describedPart(sample)
	if err := p.Apply(set, node); err != nil {
		return []string{"cannot be described: " + err.Error()}
	}
	fresh := set.Inventory(node)
	for _, v := range read.Vendors() {
		if !reflect.DeepEqual(fresh.Extra(v), read.Extra(v)) {
			dropped = append(dropped, fmt.Sprintf("%s: what the node tells besides its devices", v))
		}
	}
	return dropped
}
