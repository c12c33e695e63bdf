// Package anonymize makes of a cluster one that can be shown to others: all names replaced, everything left out that no answer
// depends on.
package anonymize

import (
	"encoding/json"
	"strings"

	corev1 "k8s.io/api/core/v1"

	"github.com/accelfit/accelfit/device"
	"github.com/accelfit/accelfit/examples/whatif/internal/input"
	"github.com/accelfit/accelfit/vendors"
)

// Dump is a cluster that can be shown.
type Dump struct {
	Objects []any  // nodes, pods and quotas, in the order they were read, as JSON values
	Names   []Name // what is in whose place: not to be shown
	LeftOut int    // objects that could not be read
}

// anonymizer replaces names.
type anonymizer struct {
	*names
	set    *vendors.Set
	forms  map[string]form
	ranges map[string]bool // label keys that some pod compares as numbers
	tidy   *strings.Replacer
}

// Cluster anonymizes a cluster. The same seed gives the same names; 0 numbers them without gaps.
func Cluster(set *vendors.Set, c *input.Cluster, seed uint64) (*Dump, error) {
	a := &anonymizer{names: newNames(seed), set: set, forms: forms(set), ranges: map[string]bool{}}
	a.gather(c)
	a.derive(c.Nodes)
	a.tidy = a.leftovers()
	out := &Dump{Names: a.list(), LeftOut: c.BrokenObjects()}
	var objects []any
	for _, n := range c.Nodes {
		objects = append(objects, a.node(n))
	}
	for _, q := range c.Quotas {
		objects = append(objects, a.quota(q))
	}
	for _, p := range c.Pods {
		objects = append(objects, a.pod(p))
	}
	for _, o := range objects {
		text, err := json.Marshal(o)
		if err != nil {
			return nil, err
		}
		var value any
		if err := json.Unmarshal(text, &value); err != nil {
			return nil, err
		}
		out.Objects = append(out.Objects, pruned(value))
	}
	return out, nil
}

// derive gives all names new ones, and the devices whose ids follow from the names of their nodes the ids that follow from the new names.
func (a *anonymizer) derive(nodes []*corev1.Node) {
	type derived struct{ old, node, suffix string }
	var all []derived
	for _, n := range nodes {
		info := a.set.Inventory(n)
		for _, b := range a.set.Backends() {
			x, ok := b.(device.Identifier)
			if !ok {
				continue
			}
			from, to := info.Range(b.Vendor())
			for i := from; i < to; i++ {
				id := info.Device(i).ID
				if suffix, follows := strings.CutPrefix(id, n.Name); follows && id == x.DeviceID(n.Name, info.Device(i).Index) {
					all = append(all, derived{id, n.Name, suffix})
				}
			}
		}
	}
	for _, d := range all {
		delete(a.found[dev], d.old)
	}
	a.number()
	for _, d := range all {
		a.give(dev, d.old, a.of(node, d.node)+d.suffix)
	}
}

// pruned drops what an object says by saying nothing, and what kubectl adds to every one.
func pruned(v any) any {
	switch x := v.(type) {
	case map[string]any:
		for key, inner := range x {
			if inner == nil || key == "daemonEndpoints" || key == "nodeInfo" {
				delete(x, key)
				continue
			}
			x[key] = pruned(inner)
			if m, isMap := x[key].(map[string]any); isMap && len(m) == 0 && key == "resources" {
				delete(x, key)
			}
		}
	case []any:
		for i := range x {
			x[i] = pruned(x[i])
		}
	}
	return v
}
