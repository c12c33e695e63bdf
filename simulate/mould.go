package simulate

import (
	"strings"

	corev1 "k8s.io/api/core/v1"

	"github.com/accelfit/accelfit/device"
	"github.com/accelfit/accelfit/vendors"
)

// mould makes the new nodes of a template: the first as the template says, the others as copies with the first one's name
// replaced wherever it occurs, unless names go into the ids of devices in another way than that.
type mould struct {
	template *Template
	sample   *prototype
	first    *node
	problems []device.Problem // of the template
}

// cast is a new node without usage.
type cast struct {
	object *corev1.Node
	info   *device.NodeInfo
	usage  *device.NodeUsage // with what the template puts on it; nil: that of the first
}

func newMould(set *vendors.Set, t *Template, name string) *mould {
	m := &mould{template: t, sample: t.prototype(set)}
	m.first, m.problems = m.sample.node(name)
	return m
}

// info is the description of any new node, which all others are equal to but for names and ids.
func (m *mould) info() *device.NodeInfo { return m.first.usage.Info() }

// node makes the new node of a name.
func (m *mould) node(name string) cast {
	if m.copies(name) {
		return m.copy(name)
	}
	made, _ := m.sample.node(name)
	return cast{made.object, made.usage.Info(), made.usage}
}

// copies says whether the ids of the first node's devices are its name and something else, or do not depend on it, so that
// replacing the name makes those of another.
func (m *mould) copies(name string) bool {
	first, info := m.first.object.Name, m.info()
	if !plain(first) || !plain(name) {
		return false
	}
	for i := range info.Len() {
		d := info.Device(i)
		if names, ok := m.sample.set.Backend(d.Vendor).(device.Identifier); ok {
			if names.DeviceID(name, d.Index) != strings.ReplaceAll(d.ID, first, name) {
				return false
			}
		} else if !m.template.Options.KeepIDs && !strings.HasPrefix(d.ID, first+"/") {
			return false
		}
	}
	return true
}

// plain says whether a name reads the same in every text, quoted or not.
func plain(name string) bool {
	return !strings.ContainsFunc(name, func(r rune) bool {
		return (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') && (r < '0' || r > '9') && r != '-' && r != '.' && r != '_'
	})
}

// copy is the first node under another name.
func (m *mould) copy(name string) cast {
	first := m.first.object.Name
	rename := func(s string) string { return strings.ReplaceAll(s, first, name) }
	object := m.first.object.DeepCopy()
	object.Name = name
	for _, texts := range []map[string]string{object.Annotations, object.Labels} {
		for key, text := range texts {
			if strings.Contains(text, first) {
				texts[key] = rename(text)
			}
		}
	}
	old := m.info()
	return cast{object: object, info: old.Renamed(name, func(i int) string { return rename(old.Device(i).ID) })}
}
