package answer

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	corev1 "k8s.io/api/core/v1"

	"github.com/accelfit/accelfit/device"
	"github.com/accelfit/accelfit/examples/whatif/internal/input"
	"github.com/accelfit/accelfit/vendors"
)

// Changes are what is to be different from the cluster that was read, and what fits have to honour beside the pods. Devices
// are named NODE/ID; the beginning of an id will do where no other device of the node begins so. The zero value changes
// nothing.
//
// What fails or is cordoned is a node or device that exists: new nodes of a group are as the group's sample was read, also
// with [GroupSpec].KeepHealth and KeepCordon, which keep what is read.
type Changes struct {
	FailDevices   []string // are unhealthy
	CordonDevices []string // take no new work
	CordonNodes   []string // are unschedulable

	// Reserve is device memory that no pod is to have: MiB of every device, also of new nodes, or NODE/ID=MiB of one, which
	// goes before.
	Reserve []string

	// OnlyDevices are the only ones to place pods on, but for new nodes, which have others; none: all.
	OnlyDevices []string

	ExactModel bool // pods' lists of models name whole models; also on new nodes
}

// Any says whether there are changes.
func (c *Changes) Any() bool {
	return len(c.FailDevices)+len(c.CordonDevices)+len(c.CordonNodes)+len(c.Reserve)+len(c.OnlyDevices) > 0 || c.ExactModel
}

// deviceOn names a device.
type deviceOn struct {
	node string
	deviceKey
}

// NewWorldWith is NewWorld after changes. The error names what does not exist or cannot be read.
func NewWorldWith(set *vendors.Set, c *input.Cluster, o Options, changes Changes) (*World, error) {
	changed, err := cordonNodes(c, changes.CordonNodes)
	if err != nil {
		return nil, err
	}
	w := NewWorld(set, changed, o)
	w.nodes = c.Nodes
	failed, err := w.pick("--fail-device", changes.FailDevices)
	if err != nil {
		return nil, err
	}
	cordoned, err := w.pick("--cordon-device", changes.CordonDevices)
	if err != nil {
		return nil, err
	}
	w.changed = changedNodes(changes.CordonNodes, failed, cordoned)
	w.edit(failed, func(d *device.DeviceInfo) { d.Healthy = false })
	w.edit(cordoned, func(d *device.DeviceInfo) { d.Cordoned = true })
	return w, w.restrict(&changes, cordoned)
}

// cordonNodes returns the cluster with nodes cordoned. The objects that were read are not changed.
func cordonNodes(c *input.Cluster, names []string) (*input.Cluster, error) {
	if len(names) == 0 {
		return c, nil
	}
	out := *c
	out.Nodes = slices.Clone(c.Nodes)
	for _, name := range names {
		i := slices.IndexFunc(out.Nodes, func(n *corev1.Node) bool { return n.Name == name })
		switch {
		case i < 0 && c.Unreadable("node", name):
			return nil, fmt.Errorf("--cordon-node %s: the node cannot be read", name)
		case i < 0:
			return nil, fmt.Errorf("--cordon-node %s: %w", name, ErrUnknown)
		}
		out.Nodes[i] = out.Nodes[i].DeepCopy()
		out.Nodes[i].Spec.Unschedulable = true
	}
	return &out, nil
}

// changedNodes are the nodes that are not as they were read.
func changedNodes(nodes []string, devices ...[]deviceOn) map[string]bool {
	out := map[string]bool{}
	for _, n := range nodes {
		out[n] = true
	}
	for _, on := range slices.Concat(devices...) {
		out[on.node] = true
	}
	return out
}

// pick finds devices by their names.
func (w *World) pick(flag string, names []string) ([]deviceOn, error) {
	var out []deviceOn
	for _, name := range names {
		found, err := w.find(name)
		if err != nil {
			return nil, fmt.Errorf("%s %s: %w", flag, name, err)
		}
		out = append(out, found)
	}
	return out, nil
}

var errName = errors.New("want NODE/ID")

// find finds a device by NODE/ID.
func (w *World) find(name string) (deviceOn, error) {
	node, id, ok := strings.Cut(name, "/")
	if !ok || node == "" || id == "" {
		return deviceOn{}, errName
	}
	if err := w.knownNode(node); err != nil {
		return deviceOn{}, err
	}
	u, _ := w.snapshot.Node(node)
	var exact, begin []deviceOn
	for i := range u.Info().Len() {
		d := u.Info().Device(i)
		on := deviceOn{node, deviceKey{d.Vendor, d.ID}}
		if d.ID == id || d.ID == node+"/"+id { // as answers show the ids of devices that are not registered yet
			exact = append(exact, on)
		}
		if strings.HasPrefix(d.ID, id) || strings.HasPrefix(d.ID, node+"/"+id) {
			begin = append(begin, on)
		}
	}
	switch {
	case len(exact) == 1:
		return exact[0], nil
	case len(begin) == 1:
		return begin[0], nil
	case len(begin) > 1:
		return deviceOn{}, fmt.Errorf("%d devices of the node begin so", len(begin))
	}
	return deviceOn{}, fmt.Errorf("device %w", ErrUnknown)
}

func (w *World) edit(devices []deviceOn, change func(*device.DeviceInfo)) {
	for _, on := range devices {
		_ = w.snapshot.EditDevices(on.node, func(d *device.DeviceInfo) { // the node was found
			if (deviceKey{d.Vendor, d.ID}) == on.deviceKey {
				change(d)
			}
		})
	}
}

// restrict settles what fits have to honour. Of the devices that were cordoned, those of vendors that know no cordon are
// kept out that way.
func (w *World) restrict(c *Changes, cordoned []deviceOn) error {
	only, err := w.pick("--only-device", c.OnlyDevices)
	if err != nil {
		return err
	}
	reserved, err := w.reserve(c.Reserve)
	if err != nil {
		return err
	}
	w.fit = vendors.FitOptions{ExactModel: c.ExactModel, Key: "whatif"}
	w.fit.Reserved = reserved
	w.fitNew = w.fit
	kept := slices.DeleteFunc(cordoned, func(on deviceOn) bool { return knowsCordon(w.set.Backend(on.vendor)) })
	if len(only)+len(kept) > 0 {
		w.fit.Only = func(n *device.NodeInfo, d *device.DeviceInfo) bool {
			on := deviceOn{n.Name(), deviceKey{d.Vendor, d.ID}}
			return (len(only) == 0 || slices.Contains(only, on)) && !slices.Contains(kept, on)
		}
	}
	return nil
}

// knowsCordon says whether a vendor's rules look at the cordon of a device.
func knowsCordon(b device.Backend) bool {
	plan := b.Plan(&device.PodContext{}, device.ContainerRequest{Vendor: b.Vendor(), Nums: 1})
	return slices.ContainsFunc(plan.Rules.Rules(), func(r device.Rule) bool { return r.Check == device.NotCordoned })
}

// reserve reads amounts of memory; nil: there are none.
func (w *World) reserve(texts []string) (func(*device.NodeInfo, *device.DeviceInfo) int64, error) {
	var every int64
	one := map[deviceOn]int64{}
	for _, text := range texts {
		name, amount := "", text
		if i := strings.LastIndexByte(text, '='); i >= 0 {
			name, amount = text[:i], text[i+1:]
		}
		mib, err := strconv.ParseInt(amount, 10, 64)
		if err != nil || mib < 0 {
			return nil, fmt.Errorf("--reserve %s: want MiB, a whole number from 0, or NODE/ID=MiB", text)
		}
		if name == "" {
			every = mib
			continue
		}
		on, err := w.find(name)
		if err != nil {
			return nil, fmt.Errorf("--reserve %s: %w", text, err)
		}
		one[on] = mib
	}
	if len(texts) == 0 {
		return nil, nil
	}
	return func(n *device.NodeInfo, d *device.DeviceInfo) int64 {
		if mib, said := one[deviceOn{n.Name(), deviceKey{d.Vendor, d.ID}}]; said {
			return mib
		}
		return every
	}, nil
}
