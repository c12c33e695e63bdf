package answer

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"

	corev1 "k8s.io/api/core/v1"

	"github.com/accelfit/accelfit/device"
	"github.com/accelfit/accelfit/examples/whatif/internal/nondevice"
	"github.com/accelfit/accelfit/usage"
)

// Table is the answer of "whatif table": what the nodes have and what is taken of it.
type Table struct {
	Nodes     []NodeRow  `json:"nodes"`     // with devices, or with a description that cannot be read
	NoDevices []string   `json:"noDevices"` // nodes without any device description
	Quotas    []QuotaRow `json:"quotas"`
	Remarks
}

// NodeRow is one node.
type NodeRow struct {
	Name       string      `json:"name"`
	Ready      bool        `json:"ready"`
	Cordoned   bool        `json:"cordoned"`             // spec.unschedulable
	Unreadable []string    `json:"unreadable,omitempty"` // vendors whose description cannot be read
	CPU        Part        `json:"cpu"`
	Memory     Part        `json:"memory"`
	Pods       Part        `json:"pods"`
	Devices    []DeviceRow `json:"devices"`
}

// Part is how much of a node's resource is requested: written for people, as quantities have no common unit.
type Part struct {
	Used string `json:"used"`
	All  string `json:"all"`
}

// Share is how much of a device's amount is taken.
type Share struct {
	Used int64 `json:"used"`
	All  int64 `json:"all"`
}

// DeviceRow is one device.
type DeviceRow struct {
	ID       string      `json:"id"`
	Index    int         `json:"index"`
	Vendor   string      `json:"vendor"`
	Type     string      `json:"type"`
	Mode     string      `json:"mode,omitempty"`
	State    string      `json:"state"` // ok, unhealthy, cordoned, or blocked: its bookkeeping cannot be trusted
	NUMA     int         `json:"numa"`
	Slots    Share       `json:"slots"`
	Memory   Share       `json:"memoryMiB"`
	Cores    Share       `json:"cores"`
	CoreUnit string      `json:"coreUnit"`      // of Cores; %: percent of a card
	MIG      *MIGStrip   `json:"mig,omitempty"` // devices in mode mig
	Pods     []DevicePod `json:"pods"`
}

// MIGStrip is the instances on a device in mode mig.
type MIGStrip struct {
	Slices    int           `json:"slices"` // of the device
	Instances []MIGInstance `json:"instances"`
}

// MIGInstance is an instance and the slices it occupies.
type MIGInstance struct {
	Profile string `json:"profile"`
	Start   uint32 `json:"start"`
	Size    uint32 `json:"size"`
}

// DevicePod is what one pod holds of a device.
type DevicePod struct {
	Pod    string `json:"pod"`
	Slots  int64  `json:"slots"`
	Memory int64  `json:"memoryMiB"`
	Cores  int64  `json:"cores"`
}

// QuotaRow is what a namespace may still take of a vendor's devices; nil: any amount.
type QuotaRow struct {
	Namespace  string `json:"namespace"`
	Vendor     string `json:"vendor"`
	MemoryLeft *int64 `json:"memoryLeftMiB,omitempty"`
	CoresLeft  *int64 `json:"coresLeft,omitempty"`
	CoreUnit   string `json:"coreUnit"` // of CoresLeft; %: percent of a card
}

// Table lists the devices of the named nodes, or of all.
func (w *World) Table(names ...string) (*Table, error) {
	if err := w.needNodes(); err != nil {
		return nil, err
	}
	for _, name := range names {
		if err := w.knownNode(name); err != nil {
			return nil, err
		}
	}
	out := &Table{Nodes: []NodeRow{}, NoDevices: []string{}, Quotas: w.quotaRows(), Remarks: w.remarks(nil)}
	for name, u := range w.snapshot.Nodes() {
		if len(names) > 0 && !slices.Contains(names, name) {
			continue
		}
		row := w.nodeRow(name, u)
		if len(row.Devices) == 0 && len(row.Unreadable) == 0 {
			out.NoDevices = append(out.NoDevices, name)
			continue
		}
		out.Nodes = append(out.Nodes, row)
	}
	return out, nil
}

func (w *World) knownNode(name string) error {
	if _, ok := w.snapshot.Node(name); ok {
		return nil
	}
	if w.input.Unreadable("node", name) {
		return fmt.Errorf("node %s: cannot be read: %s", name, w.whyUnreadable("node "+name))
	}
	return fmt.Errorf("node %s: %w", name, ErrUnknown)
}

func (w *World) nodeRow(name string, u *device.NodeUsage) NodeRow {
	object, taken := w.snapshot.Object(name), w.taken[name]
	part := func(r corev1.ResourceName) Part {
		return Part{nondevice.Amount(r, taken.Resources[r]), nondevice.Amount(r, object.Status.Allocatable[r])}
	}
	row := NodeRow{
		Name: name, Ready: nondevice.Ready(object), Cordoned: object.Spec.Unschedulable,
		CPU: part(corev1.ResourceCPU), Memory: part(corev1.ResourceMemory),
		Pods:    Part{fmt.Sprint(taken.Pods), fmt.Sprint(object.Status.Allocatable.Pods().Value())},
		Devices: w.deviceRows(u, holders(w.snapshot.Holdings(name))),
	}
	for _, v := range u.Info().Described() {
		if err := u.Info().Unreadable(v); err != nil && !errors.Is(err, device.ErrNoDescription) {
			row.Unreadable = append(row.Unreadable, string(v))
		}
	}
	return row
}

// deviceRows are the devices of a node; on tells who holds them.
func (w *World) deviceRows(u *device.NodeUsage, on map[deviceKey][]DevicePod) []DeviceRow {
	out := make([]DeviceRow, 0, u.Info().Len())
	for i := range u.Info().Len() {
		d := u.Info().Device(i)
		out = append(out, deviceRow(d, u.Device(i), on, w.coreUnit(d.Vendor)))
	}
	return out
}

// coreUnit is what a vendor counts cores in.
func (w *World) coreUnit(v device.Vendor) string {
	return cmp.Or(w.set.Backend(v).Names().CoreUnit, "%")
}

type deviceKey struct {
	vendor device.Vendor
	id     string
}

func holders(holdings []usage.Holding) map[deviceKey][]DevicePod {
	out := map[deviceKey][]DevicePod{}
	for _, h := range holdings {
		for _, hold := range h.Allocation.Collapse() {
			k := deviceKey{hold.Vendor, hold.ID}
			out[k] = append(out[k], DevicePod{h.Namespace + "/" + h.Name, hold.Slots, hold.Memory, hold.Cores})
		}
	}
	return out
}

func deviceRow(d *device.DeviceInfo, u *device.DeviceUsage, on map[deviceKey][]DevicePod, coreUnit string) DeviceRow {
	row := DeviceRow{
		ID: d.ID, Index: d.Index, Vendor: string(d.Vendor), Type: d.Type, Mode: d.Mode, State: state(d, u), NUMA: d.NUMA,
		Slots: Share{u.Slots, d.Slots}, Memory: Share{u.Memory, d.Memory}, Cores: Share{u.Cores, d.Cores}, CoreUnit: coreUnit,
		Pods: on[deviceKey{d.Vendor, d.ID}],
	}
	if row.Pods == nil {
		row.Pods = []DevicePod{}
	}
	if d.Mode == modeMIG {
		row.MIG = strip(d, u)
	}
	return row
}

const modeMIG = "mig"

func state(d *device.DeviceInfo, u *device.DeviceUsage) string {
	switch {
	case !d.Healthy:
		return "unhealthy"
	case d.Cordoned:
		return "cordoned"
	case !u.Healthy:
		return "blocked"
	}
	return "ok"
}

// maxSlices bounds the strip of a device whose registration names slices that no hardware has.
const maxSlices = 64

func strip(d *device.DeviceInfo, u *device.DeviceUsage) *MIGStrip {
	out := &MIGStrip{Instances: []MIGInstance{}}
	reach := func(p device.Placement) { out.Slices = max(out.Slices, int(min(p.End(), maxSlices))) }
	for _, p := range d.MIGProfiles {
		for _, at := range p.Placements {
			reach(at)
		}
	}
	for _, m := range u.MIG() {
		reach(m.Placement)
		out.Instances = append(out.Instances, MIGInstance{m.Profile, m.Placement.Start, m.Placement.Size})
	}
	slices.SortFunc(out.Instances, func(a, b MIGInstance) int { return cmp.Compare(a.Start, b.Start) })
	return out
}

func (w *World) quotaRows() []QuotaRow {
	namespaces := map[string]bool{}
	for _, q := range w.input.Quotas {
		namespaces[q.Namespace] = true
	}
	out := []QuotaRow{}
	for _, ns := range slices.Sorted(maps.Keys(namespaces)) {
		headroom := w.snapshot.Quotas().Headroom(ns)
		for _, v := range slices.Sorted(maps.Keys(headroom)) {
			h := headroom[v]
			row := QuotaRow{Namespace: ns, Vendor: string(v), CoreUnit: w.coreUnit(v)}
			if h.Memory.Set {
				row.MemoryLeft = &h.Memory.Left
			}
			if h.Cores.Set {
				row.CoresLeft = &h.Cores.Left
			}
			out = append(out, row)
		}
	}
	return out
}
