package device

import (
	"cmp"
	"encoding/json"
	"errors"
	"maps"
	"slices"
	"strings"
)

// Vendor is a vendor word: the short name a device model is known under everywhere, for example NVIDIA or Ascend910B3.
type Vendor string

// DeviceInfo is one physical device as its node describes it.
type DeviceInfo struct {
	ID     string // unique on the node among the devices of one vendor; never rewritten
	Vendor Vendor // the backend that read it
	Index  int    // position of the device on its node, as the node agent counts
	Mode   string // sharing mode: hami-core, mig, mps or empty

	Type   string // model name, for example "NVIDIA-NVIDIA L4"
	Slots  int64  // tasks that may share the device; 0: none
	Memory int64  // MiB that can be given out (already scaled by the node side); 0: none
	Cores  int64  // compute that can be given out, in the vendor's unit: percent of a card for most (above 100 with core scaling), see Names.CoreUnit; 0: none
	NUMA   int    // NUMA node, also 0 when unknown

	// ScoredAs is the vendor word of the requests that count in the score of this device; empty: the word that equals Type
	// (spec core §9).
	ScoredAs Vendor

	Healthy  bool // usable for new work, by the node agent's word
	Cordoned bool // takes no new work by the operator's word (node annotation [AnnotationCordon])

	// MIGProfiles are the instance profiles of a device in mode mig.
	MIGProfiles []MIGProfile

	// LinkScores says how well this device is linked towards others of its node, by id; a missing id counts 0.
	LinkScores map[string]int64

	// CustomInfo is free-form vendor data of the registration, each value as the JSON text it came in.
	CustomInfo map[string]json.RawMessage
}

// Word is the vendor word of the requests that count in the score of the device.
func (d *DeviceInfo) Word() Vendor {
	if d.ScoredAs != "" {
		return d.ScoredAs
	}
	return Vendor(d.Type)
}

// DeepCopy returns a copy that shares nothing with d.
func (d DeviceInfo) DeepCopy() DeviceInfo {
	d.MIGProfiles = slices.Clone(d.MIGProfiles)
	for i := range d.MIGProfiles {
		d.MIGProfiles[i].Placements = slices.Clone(d.MIGProfiles[i].Placements)
	}
	d.LinkScores = maps.Clone(d.LinkScores)
	d.CustomInfo = maps.Clone(d.CustomInfo)
	for k, v := range d.CustomInfo {
		d.CustomInfo[k] = slices.Clone(v)
	}
	return d
}

// NodeInfo is what a node has: its devices, grouped by vendor, and what could not be read of it. It is immutable.
type NodeInfo struct {
	name     string
	devices  []DeviceInfo // ascending vendor word, then registration order
	lower    []string     // the devices' types in lower case
	spans    []span
	links    []int64           // len(devices)² scores, row towards column; nil: see Link
	byID     map[deviceKey]int // nil on small nodes
	problems []Problem
	words    bool // the type of some device is a vendor word of the node
}

// Nodes above these sizes do not exist; hostile descriptions of them must not cost more than linear time and memory.
const (
	maxLinkMatrix  = 256 // devices up to which link scores are kept as a matrix
	maxLinearIndex = 32  // devices up to which ids are searched
)

type deviceKey struct {
	vendor Vendor
	id     string
}

type span struct {
	vendor   Vendor
	from, to int
	extra    any
	err      error     // why the vendor's description could not be read, or nil
	problems []Problem // entries that were dropped
}

// Inventory is what one backend read of one node.
type Inventory struct {
	Vendor  Vendor
	Devices []DeviceInfo

	// Extra is what the vendor reads of the node besides its devices, for its own rules; it must never change. nil: nothing.
	Extra any

	Err      error     // ErrNoDescription, or why a description cannot be used; the vendor then has no devices on the node
	Problems []Problem // entries that were dropped, while the rest stands
}

// NewNodeInfo puts inventories together. Vendors are ordered by vendor word, devices keep the order of their inventory;
// every device's Vendor is set to that of its inventory. The devices are copied, so the inventories stay the caller's.
// Of several inventories of one vendor the first counts; of one with an Err no device does. Cost: linear in the devices;
// quadratic where up to 256 devices have link scores.
func NewNodeInfo(name string, inventories ...Inventory) *NodeInfo {
	sorted := slices.Clone(inventories)
	slices.SortStableFunc(sorted, func(a, b Inventory) int { return cmp.Compare(a.Vendor, b.Vendor) })
	sorted = slices.CompactFunc(sorted, func(a, b Inventory) bool { return a.Vendor == b.Vendor })

	n := &NodeInfo{name: name}
	for _, inv := range sorted {
		if errors.Is(inv.Err, ErrNoDescription) {
			continue
		}
		from := len(n.devices)
		if inv.Err == nil {
			n.add(inv)
		} else {
			n.problems = append(n.problems, Problem{Object: "node " + name, Err: inv.Err})
		}
		n.problems = append(n.problems, inv.Problems...)
		n.spans = append(n.spans, span{
			vendor: inv.Vendor, from: from, to: len(n.devices), extra: inv.Extra,
			err: inv.Err, problems: slices.Clone(inv.Problems),
		})
	}
	n.words = slices.ContainsFunc(n.devices, func(d DeviceInfo) bool {
		return slices.ContainsFunc(n.spans, func(s span) bool { return s.vendor == d.Word() })
	})
	n.index()
	n.linkUp()
	return n
}

func (n *NodeInfo) add(inv Inventory) {
	for _, d := range inv.Devices {
		d = d.DeepCopy()
		d.Vendor = inv.Vendor
		n.devices = append(n.devices, d)
		n.lower = append(n.lower, strings.ToLower(d.Type))
	}
}

func (n *NodeInfo) index() {
	if len(n.devices) <= maxLinearIndex {
		return
	}
	n.byID = make(map[deviceKey]int, len(n.devices))
	for i := len(n.devices) - 1; i >= 0; i-- {
		n.byID[deviceKey{n.devices[i].Vendor, n.devices[i].ID}] = i
	}
}

func (n *NodeInfo) linkUp() {
	if len(n.devices) > maxLinkMatrix || !slices.ContainsFunc(n.devices, func(d DeviceInfo) bool { return len(d.LinkScores) > 0 }) {
		return
	}
	n.links = make([]int64, len(n.devices)*len(n.devices))
	for i := range n.devices {
		if len(n.devices[i].LinkScores) == 0 {
			continue
		}
		row := n.links[i*len(n.devices) : (i+1)*len(n.devices)]
		for j := range row {
			row[j] = n.devices[i].LinkScores[n.devices[j].ID]
		}
	}
}

// Name is the node's name.
func (n *NodeInfo) Name() string { return n.name }

// Len is the number of devices of all vendors.
func (n *NodeInfo) Len() int { return len(n.devices) }

// Device returns device i, 0 ≤ i < Len. The pointer is into n: read it, never write through it.
func (n *NodeInfo) Device(i int) *DeviceInfo { return &n.devices[i] }

// Link says how well device i is linked towards device j; 0 when nothing is known. Not symmetric in general.
func (n *NodeInfo) Link(i, j int) int64 {
	if n.links == nil {
		return n.devices[i].LinkScores[n.devices[j].ID]
	}
	return n.links[i*len(n.devices)+j]
}

// Range returns the half-open range of a vendor's devices; empty when it has none here.
func (n *NodeInfo) Range(v Vendor) (from, to int) { return rangeOf(n.spans, v) }

func rangeOf(spans []span, v Vendor) (from, to int) {
	for i := range spans {
		if spans[i].vendor == v {
			return spans[i].from, spans[i].to
		}
	}
	return 0, 0
}

// Find returns the position of a vendor's device by id, or -1.
func (n *NodeInfo) Find(v Vendor, id string) int {
	if n.byID != nil {
		if i, ok := n.byID[deviceKey{v, id}]; ok {
			return i
		}
		return -1
	}
	from, to := n.Range(v)
	for i := from; i < to; i++ {
		if n.devices[i].ID == id {
			return i
		}
	}
	return -1
}

// Unreadable returns why vendor v has no devices here: [ErrNoDescription], or what is wrong with the description; nil when
// there is a readable description.
func (n *NodeInfo) Unreadable(v Vendor) error {
	for i := range n.spans {
		if n.spans[i].vendor == v {
			return n.spans[i].err
		}
	}
	return ErrNoDescription
}

// Malformed says whether some vendor's description (of vendor v, if v is not empty) is there but cannot be read.
func (n *NodeInfo) Malformed(v Vendor) bool {
	return slices.ContainsFunc(n.spans, func(s span) bool {
		return (v == "" || s.vendor == v) && s.err != nil
	})
}

// TypeContains says whether the type of device i contains a fragment, which must be in lower case; letter case of the type
// does not matter.
func (n *NodeInfo) TypeContains(i int, fragment string) bool {
	return strings.Contains(n.lower[i], fragment)
}

// IsModel says whether the type of device i is a model of the given name, which must be in lower case; letter case of the type
// does not matter. Words of the vendor in front of either name do not count: l4 and nvidia l4 both are NVIDIA-NVIDIA L4, which
// is not a model l40. Cost: no allocation.
func (n *NodeInfo) IsModel(i int, name string) bool {
	v := n.devices[i].Vendor
	return withoutWord(n.lower[i], v) == withoutWord(name, v)
}

// withoutWord cuts the vendor's word, and the separator behind it, off the front of a model's name, as often as it is there.
func withoutWord(model string, v Vendor) string {
	word := string(v)
	for len(word) > 0 && len(model) > len(word)+1 && strings.EqualFold(model[:len(word)], word) && strings.Contains("- ", model[len(word):len(word)+1]) {
		model = model[len(word)+1:]
	}
	return model
}

// Vendors lists the vendors that have devices here, ascending.
func (n *NodeInfo) Vendors() []Vendor {
	var out []Vendor
	for _, s := range n.spans {
		if s.to > s.from {
			out = append(out, s.vendor)
		}
	}
	return out
}

// Described lists the vendors that the node has a description of, readable or not, ascending.
func (n *NodeInfo) Described() []Vendor {
	out := make([]Vendor, len(n.spans))
	for i := range n.spans {
		out[i] = n.spans[i].vendor
	}
	return out
}

// Problems lists what could not be read of the node's description, the node as object. The slice is the caller's.
func (n *NodeInfo) Problems() []Problem { return slices.Clone(n.problems) }

// Extra returns what a vendor read of the node besides its devices ([Inventory.Extra]); nil where it read nothing.
func (n *NodeInfo) Extra(v Vendor) any {
	for i := range n.spans {
		if n.spans[i].vendor == v {
			return n.spans[i].extra
		}
	}
	return nil
}

// Inventory returns a copy of what was read for one vendor, so that a caller can keep, change or replace it. Extra is shared.
func (n *NodeInfo) Inventory(v Vendor) Inventory {
	inv := Inventory{Vendor: v, Err: n.Unreadable(v), Extra: n.Extra(v)}
	for _, s := range n.spans {
		if s.vendor == v {
			inv.Problems = slices.Clone(s.problems)
		}
	}
	from, to := n.Range(v)
	for i := from; i < to; i++ {
		inv.Devices = append(inv.Devices, n.devices[i].DeepCopy())
	}
	return inv
}
