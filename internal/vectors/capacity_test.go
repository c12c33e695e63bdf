package vectors

import (
	"slices"
	"strconv"

	corev1 "k8s.io/api/core/v1"

	"github.com/accelfit/accelfit/device"
	"github.com/accelfit/accelfit/vendors/cambricon"
	"github.com/accelfit/accelfit/vendors/mthreads"
)

// divided is a vendor whose cards are counted from the node's capacity of memory and cores, with the ids of the deviations in
// how accelfit counts them.
type divided struct {
	vendor        device.Vendor
	word          string // in ids
	memory, cores string // resources
	perCard, unit int64

	tooLarge, remainder, memoryless string // ids
}

// capacityDeviations are the deviations of a vendor in how cards are counted.
func capacityDeviations(vendor device.Vendor) []Deviation {
	var out []Deviation
	for _, v := range []divided{
		{
			cambricon.Vendor, "cambricon-mlu", "cambricon.com/mlu.smlu.vmemory", "cambricon.com/mlu.smlu.vcore", 100, 256,
			"cD5", "cD6", "cD7",
		},
		{mthreads.Vendor, "mthreads", "mthreads.com/sgpu-memory", "mthreads.com/sgpu-core", 16, 512, "mD7", "mD6", "mD7"},
	} {
		if v.vendor != vendor {
			continue
		}
		for _, id := range slices.Compact([]string{v.remainder, v.tooLarge, v.memoryless}) {
			out = append(out, Deviation{id, func(s *Situation, d *Difference) bool { return v.claims(id, s, d) }})
		}
	}
	return out
}

// claims says whether a difference is that the reference counts the cards as deviation id says it does: it registers them so,
// and with them we decide as recorded.
func (v *divided) claims(id string, s *Situation, d *Difference) bool {
	node := v.source(s, d)
	if d.Node == "" || node == nil || v.defect(node) != id {
		return false
	}
	switch d.Kind {
	case "registered":
		return d.Vendor == v.vendor && node == s.run.nodes[d.Node] && d.Want == jsonText(v.read(node))
	case "fit", "reason", "score", "alloc", "annotations":
		return s.decidesWith(d, narrow{s.Set.Backend(v.vendor)}, s.run.usageWith(d.Node, v.recorded(s, d.Node)))
	case "end":
		return d.Want == jsonText(ends(s.run.usageWith(d.Node, v.recorded(s, d.Node))))
	}
	return false
}

// source is the node as it was when the reference last counted its cards.
func (v *divided) source(s *Situation, d *Difference) *corev1.Node {
	var found *corev1.Node
	look := func(node *corev1.Node) {
		switch n, ok := device.Capacity(node, v.cores); {
		case node.Name != d.Node || !ok || n == 0:
		case n < 0:
			found = nil
		default:
			found = node
		}
	}
	for i := range s.Sequence.Nodes {
		look(&s.Sequence.Nodes[i])
	}
	for i := 0; i <= d.Step && i < len(s.Sequence.Steps); i++ {
		if step := &s.Sequence.Steps[i]; step.Op == "node" {
			look(step.Node)
		}
	}
	return found
}

// defect is the deviation that a node's capacity shows; empty: none.
func (v *divided) defect(node *corev1.Node) string {
	cores, _ := device.Capacity(node, v.cores)
	units, _ := device.Capacity(node, v.memory)
	most := device.Product(device.Product(max(0, units), v.unit), min(v.perCard, cores)) / cores // of a card
	switch {
	case most == 0:
		return v.memoryless
	case most > device.MaxAmount:
		return v.tooLarge
	case cores%v.perCard != 0:
		return v.remainder
	}
	return ""
}

// read counts cards as the reference does.
func (v *divided) read(node *corev1.Node) []RegisteredDevice {
	cores, _ := device.Capacity(node, v.cores)
	units, _ := device.Capacity(node, v.memory)
	var out []RegisteredDevice
	for i := int64(0); i*v.perCard < cores && i < device.MaxDevices; i++ {
		out = append(out, RegisteredDevice{
			ID: node.Name + "-" + v.word + "-" + strconv.FormatInt(i, 10), Index: uint64(i), Count: 100,
			Mem: int64(int32(units * v.unit * v.perCard / cores)), Core: v.perCard, Type: string(v.vendor), Health: true,
		})
	}
	return out
}

// narrow is a model that takes percentages of memory in 32 bits, as the reference does.
type narrow struct{ device.Backend }

// Plan puts its own percentages before the amounts of the model.
func (n narrow) Plan(pod *device.PodContext, ask device.ContainerRequest) device.Plan {
	p := n.Backend.Plan(pod, ask)
	amounts := p.Amounts
	p.Amounts = func(c *device.Candidate) (memory, cores int64) {
		switch {
		case ask.Memory == 0 && ask.MemoryPercent != device.PercentUnset:
			return int64(int32(c.Info().Memory*ask.MemoryPercent)) / 100, p.Cores
		case amounts != nil:
			return amounts(c)
		}
		return ask.MemoryOn(c.Info().Memory), p.Cores
	}
	return p
}

// recorded is a node with the cards that the reference has.
func (v *divided) recorded(s *Situation, node string) *device.NodeInfo {
	cards := device.Inventory{Vendor: v.vendor}
	for _, r := range s.run.recorded[node][string(v.vendor)] {
		cards.Devices = append(cards.Devices, device.DeviceInfo{
			ID: r.ID, Index: int(r.Index), Type: r.Type, Slots: r.Count, Memory: r.Mem, Cores: r.Core, Healthy: r.Health,
		})
	}
	inventories := []device.Inventory{cards}
	info := s.run.infos[node]
	for _, other := range info.Described() {
		if other != v.vendor {
			inventories = append(inventories, info.Inventory(other))
		}
	}
	return device.NewNodeInfo(node, inventories...)
}
