package simulate

import (
	"reflect"
	"strings"

	"k8s.io/apimachinery/pkg/api/equality"

	"github.com/accelfit/accelfit/device"
	"github.com/accelfit/accelfit/usage"
	"github.com/accelfit/accelfit/vendors"
)

// mould makes the new nodes of a template: the first as the template says, the others as copies with the first one's name
// replaced wherever it occurs. The second is made both ways; a template whose nodes differ in more than that makes every node
// itself.
type mould struct {
	template *Template
	sample   *prototype
	first    *node
	problems []device.Problem // of the template
	copies   way
}

// way says how further nodes are made.
type way uint8

const (
	untried way = iota
	copied
	each // by the template
)

func newMould(set *vendors.Set, t *Template, name string) *mould {
	m := &mould{template: t, sample: t.prototype(set)}
	m.first, m.problems = m.sample.node(name)
	return m
}

// info is the description of any new node, which all others are equal to but for names and ids.
func (m *mould) info() *device.NodeInfo { return m.first.usage.Info() }

// node makes the new node of a name.
func (m *mould) node(name string) *node {
	if name == m.first.object.Name {
		return m.first
	}
	if m.copies == untried {
		made, _ := m.sample.node(name)
		m.copies = each
		if equalNodes(made, m.copy(name)) {
			m.copies = copied
		}
		return made
	}
	if m.copies == each {
		made, _ := m.sample.node(name)
		return made
	}
	return m.copy(name)
}

// copy is the first node under another name.
func (m *mould) copy(name string) *node {
	first := m.first.object.Name
	rename := func(s string) string { return strings.ReplaceAll(s, first, name) }
	n := &node{object: m.first.object.DeepCopy()}
	n.object.Name = name
	for _, texts := range []map[string]string{n.object.Annotations, n.object.Labels} {
		for key, text := range texts {
			if strings.Contains(text, first) {
				texts[key] = rename(text)
			}
		}
	}
	old := m.info()
	info := old.Renamed(name, func(i int) string { return rename(old.Device(i).ID) })
	n.usage = device.NewNodeUsage(info).Update(func(devices []device.DeviceUsage) { copy(devices, m.first.usage.Devices()) })
	for i := range m.first.holdings {
		n.holdings = append(n.holdings, renamed(&m.first.holdings[i], name, rename))
	}
	return n
}

// renamed is what a pod of the template holds, on another node.
func renamed(h *usage.Holding, node string, rename func(string) string) usage.Holding {
	c := h.DeepCopy()
	c.Name, c.Node = rename(h.Name), node
	for i := range c.Allocation.Devices {
		c.Allocation.Devices[i].ID = rename(c.Allocation.Devices[i].ID)
	}
	for i := range c.Reservations {
		c.Reservations[i].GPUUUID = rename(c.Reservations[i].GPUUUID)
	}
	for i := range c.Blocked {
		c.Blocked[i].ID = rename(c.Blocked[i].ID)
	}
	return c
}

// equalNodes says whether two nodes are the same, names and ids included.
func equalNodes(a, b *node) bool {
	x, y := a.usage.Info(), b.usage.Info()
	if x.Name() != y.Name() || !reflect.DeepEqual(x.Described(), y.Described()) {
		return false
	}
	for _, v := range x.Described() {
		if !reflect.DeepEqual(x.Inventory(v), y.Inventory(v)) {
			return false
		}
	}
	return reflect.DeepEqual(a.usage.Devices(), b.usage.Devices()) && len(a.holdings) == len(b.holdings) &&
		(len(a.holdings) == 0 || reflect.DeepEqual(a.holdings, b.holdings)) && equality.Semantic.DeepEqual(a.object, b.object)
}
