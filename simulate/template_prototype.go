package simulate

import (
	"reflect"

	corev1 "k8s.io/api/core/v1"

	"github.com/accelfit/accelfit/device"
	"github.com/accelfit/accelfit/usage"
	"github.com/accelfit/accelfit/vendors"
)

// prototype is a template with what is the same for all its new nodes worked out. It is immutable.
type prototype struct {
	template *Template
	set      *vendors.Set
	sample   *device.NodeInfo
	profile  *Profile // says which devices new nodes have; nil: the sample does
	problems []device.Problem
	notes    []Note // what is taken for granted of new nodes
}

// prototype works a template out.
func (t *Template) prototype(set *vendors.Set) *prototype {
	p := &prototype{template: t, set: set, sample: set.Inventory(t.sample())}
	object := "node " + t.sample().Name
	if t.Profile != nil {
		err := t.Profile.Apply(set, describedPart(t.sample()))
		if err == nil {
			p.profile, p.notes = t.Profile, []Note{{object, AssumedFromProfile, t.Profile.Name}}
			return p
		}
		p.problems = append(p.problems, device.Problem{Object: object, Err: err})
	}
	p.problems = append(p.problems, p.sample.Problems()...)
	if t.Options.NoInstanceTypes || len(p.sample.Described()) > 0 {
		return p
	}
	machine := instanceType(t.sample().Labels)
	if builtIn, known := InstanceTypeProfile(machine); known && builtIn.Apply(set, describedPart(t.sample())) == nil {
		p.profile, p.notes = &builtIn, []Note{{object, AssumedFromInstanceType, machine}}
	}
	return p
}

// body is a new node without anything on it.
type body struct {
	object   *corev1.Node // registers the devices of info
	info     *device.NodeInfo
	ids      map[usage.DeviceRef]string // of the sample's devices on the new node
	problems []device.Problem
}

// body makes a new node.
func (p *prototype) body(name string) body {
	made := body{object: p.template.object(p.set, name), ids: map[usage.DeviceRef]string{}}
	defer keepUnlimited(made.object, p.template.sample())
	if p.profile != nil {
		if err := p.profile.Apply(p.set, made.object); err != nil {
			made.problems = append(made.problems, device.Problem{Object: "node " + name, Err: err})
		}
		made.info = p.set.Inventory(made.object)
		made.takeOver(p.sample)
		return made
	}
	var inventories []device.Inventory
	for _, v := range p.sample.Described() {
		inventories = append(inventories, p.redescribe(&made, p.sample.Inventory(v)))
	}
	made.info = device.NewNodeInfo(name, inventories...)
	return made
}

// keepUnlimited leaves a node without allocatable amounts if it is made of one without: such nodes are written by hand, and say
// nothing of CPU, memory and pods. The devices are in the capacity.
func keepUnlimited(node, of *corev1.Node) {
	if of.Status.Allocatable == nil {
		node.Status.Allocatable = nil
	}
}

// takeOver makes the sample's devices those of the new node with the same index.
func (made *body) takeOver(sample *device.NodeInfo) {
	for _, v := range made.info.Vendors() {
		at := map[int]string{}
		for _, d := range made.info.Inventory(v).Devices {
			at[d.Index] = d.ID
		}
		for _, d := range sample.Inventory(v).Devices {
			if id, ok := at[d.Index]; ok {
				made.ids[usage.DeviceRef{Vendor: v, ID: d.ID}] = id
			}
		}
	}
}

// redescribe makes what the sample says of a vendor's devices what a new node says, less what is state of the sample.
func (p *prototype) redescribe(made *body, inv device.Inventory) device.Inventory {
	b := p.set.Backend(inv.Vendor)
	inv.Problems = nil // they are the sample's
	if inv.Err != nil {
		return inv
	}
	if prefixed := p.refresh(b, made, inv.Devices); !prefixed && reflect.DeepEqual(b.Inventory(made.object).Devices, inv.Devices) {
		return inv
	}
	c := describedPart(made.object)
	if err := b.Describe(c, inv.Devices); err != nil {
		made.problems = append(made.problems, device.Problem{Object: "node " + p.template.sample().Name, Err: in(string(inv.Vendor), err)})
		return inv
	}
	takeDescription(made.object, c)
	inv.Extra = b.Inventory(made.object).Extra
	return inv
}

// refresh resets what is state of the sample's devices, as the options say; true: some have ids that their
// description on the sample does not tell of.
func (p *prototype) refresh(b device.Backend, made *body, devices []device.DeviceInfo) (prefixed bool) {
	o, renamed := &p.template.Options, map[string]string{}
	for i := range devices {
		d := &devices[i]
		d.Healthy = d.Healthy || !o.KeepHealth
		d.Cordoned = d.Cordoned && o.KeepCordon
		id := d.ID
		if names, ok := b.(device.Identifier); ok {
			d.ID = names.DeviceID(made.object.Name, d.Index)
		} else if !o.KeepIDs {
			d.ID, prefixed = made.object.Name+"/"+id, true
		}
		renamed[id] = d.ID
		made.ids[usage.DeviceRef{Vendor: b.Vendor(), ID: id}] = d.ID
	}
	for i := range devices {
		devices[i].LinkScores = relinked(devices[i].LinkScores, renamed)
	}
	return prefixed
}

// relinked renames the devices that link scores are towards, and drops those that are not there.
func relinked(scores map[string]int64, renamed map[string]string) map[string]int64 {
	if len(scores) == 0 {
		return nil
	}
	out := make(map[string]int64, len(scores))
	for id, score := range scores {
		if now, ok := renamed[id]; ok {
			out[now] = score
		}
	}
	return out
}

// renamed is the id on a new node of a device of the sample; of any vendor if v is empty. Devices that the sample does not have
// are none of the new node either.
func (p *prototype) renamed(made *body, v device.Vendor, id string) string {
	for _, word := range p.sample.Vendors() {
		if now, ok := made.ids[usage.DeviceRef{Vendor: word, ID: id}]; ok && (v == "" || v == word) {
			return now
		}
	}
	if p.template.Options.KeepIDs {
		return id
	}
	return made.object.Name + "/" + id
}
