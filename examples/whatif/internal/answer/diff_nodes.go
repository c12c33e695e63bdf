package answer

import (
	"cmp"
	"fmt"
	"strings"
)

// diffNodes lists the nodes that differ, with their devices.
func diffNodes(a, b *World) []NodeDiff {
	before, after := a.rowsByName(), b.rowsByName()
	out := []NodeDiff{}
	for _, name := range union(before, after) {
		old, now := before[name], after[name]
		d := NodeDiff{Node: name, How: Changed, Changes: []Change{}, Devices: diffDevices(old, now)}
		switch {
		case old == nil:
			d.How = Came
		case now == nil:
			d.How = Went
		default:
			d.Changes = changed(a.nodeFacts(old), b.nodeFacts(now))
			for _, c := range diffTexts(a.snapshot.Object(name).Labels, b.snapshot.Object(name).Labels) {
				d.Changes = append(d.Changes, Change{"label " + c.What, c.A, c.B})
			}
		}
		if d.How != Changed || len(d.Changes)+len(d.Devices) > 0 {
			out = append(out, d)
		}
	}
	return out
}

func (w *World) rowsByName() map[string]*NodeRow {
	out := map[string]*NodeRow{}
	for name, u := range w.snapshot.Nodes() {
		row := w.nodeRow(name, u)
		out[name] = &row
	}
	return out
}

// fact is something about a node or device that can differ.
type fact struct{ what, is string }

// changed lists the facts that differ; both lists have the same ones.
func changed(before, after []fact) []Change {
	out := []Change{}
	for i, f := range before {
		if now := after[i].is; f.is != now {
			out = append(out, Change{f.what, f.is, now})
		}
	}
	return out
}

// nodeFacts are what verdicts depend on besides devices.
func (w *World) nodeFacts(n *NodeRow) []fact {
	object := w.snapshot.Object(n.Name)
	var taints []string
	for _, t := range object.Spec.Taints {
		taints = append(taints, t.ToString())
	}
	return []fact{
		{"ready", yesNo(n.Ready)}, {"cordoned", yesNo(n.Cordoned)}, {"devices that cannot be read", strings.Join(n.Unreadable, ", ")},
		{"cpu", n.CPU.All}, {"memory", n.Memory.All}, {"pods", n.Pods.All},
		{"cpu in use", n.CPU.Used}, {"memory in use", n.Memory.Used}, {"pods on it", n.Pods.Used},
		{"taints", strings.Join(taints, ", ")},
	}
}

func yesNo(b bool) string {
	if b {
		return "yes"
	}
	return "no"
}

// diffDevices lists the devices that differ; nil: there is no such node.
func diffDevices(before, after *NodeRow) []DeviceDiff {
	rows := func(n *NodeRow) map[string]*DeviceRow {
		out := map[string]*DeviceRow{}
		for i := 0; n != nil && i < len(n.Devices); i++ {
			d := &n.Devices[i]
			out[fmt.Sprintf("%s %09d %s", d.Vendor, d.Index, d.ID)] = d
		}
		return out
	}
	out := []DeviceDiff{}
	old, now := rows(before), rows(after)
	for _, key := range union(old, now) {
		was, is := old[key], now[key]
		of := cmp.Or(was, is)
		d := DeviceDiff{Device: of.ID, Vendor: of.Vendor, How: Changed, Changes: []Change{}}
		switch {
		case was == nil:
			d.How, d.Changes = Came, []Change{{"device", "", is.spec()}}
		case is == nil:
			d.How, d.Changes = Went, []Change{{"device", was.spec(), ""}}
		default:
			d.Changes = changed(deviceFacts(was), deviceFacts(is))
		}
		if d.How != Changed || len(d.Changes) > 0 {
			out = append(out, d)
		}
	}
	return out
}

func deviceFacts(d *DeviceRow) []fact {
	var instances, pods []string
	if d.MIG != nil {
		for _, m := range d.MIG.Instances {
			instances = append(instances, fmt.Sprintf("%s at %d", m.Profile, m.Start))
		}
	}
	for _, p := range d.Pods {
		pods = append(pods, fmt.Sprintf("%s (%d MiB, %d %s)", p.Pod, p.Memory, p.Cores, coresOf(d.CoreUnit)))
	}
	return []fact{
		{"model", d.Type}, {"mode", d.Mode}, {"state", d.State}, {"NUMA node", fmt.Sprint(d.NUMA)},
		{"slots", fmt.Sprint(d.Slots.All)}, {"memory MiB", fmt.Sprint(d.Memory.All)}, {"cores", fmt.Sprint(d.Cores.All)},
		{"slots in use", fmt.Sprint(d.Slots.Used)}, {"memory in use", fmt.Sprintf("%d MiB", d.Memory.Used)},
		{"cores in use", fmt.Sprintf("%d %s", d.Cores.Used, coresOf(d.CoreUnit))},
		{"instances", strings.Join(instances, ", ")}, {"held by", strings.Join(pods, ", ")},
	}
}

// spec is what a device that is there on one side only is.
func (d *DeviceRow) spec() string {
	return fmt.Sprintf("%s, %d MiB, %s", d.Type, d.Memory.All, d.State)
}
