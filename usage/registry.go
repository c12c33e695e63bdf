package usage

import (
	"errors"
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/accelfit/accelfit/device"
	"github.com/accelfit/accelfit/internal/ordered"
	"github.com/accelfit/accelfit/vendors"
)

// Registry is the inventory that a live scheduler keeps of its nodes, with what the vendors' health rules remember. The
// zero value is empty. A Registry is an immutable value: every change returns a new one; any number of goroutines may read
// any of them.
type Registry struct{ nodes ordered.Map[*registered] }

type registered struct {
	info   *device.NodeInfo
	health map[device.Vendor]device.HealthMemory
}

// Node returns what is known of a node; ok is false for one that was never observed. A node may be known to have no devices,
// or none that can be read.
func (r Registry) Node(name string) (info *device.NodeInfo, ok bool) {
	n, ok := r.nodes.Get(name)
	if !ok {
		return nil, false
	}
	return n.info, true
}

// Observe brings the inventory of a node up to date at a time (spec core §3): vendors whose health rule has lost trust are
// dropped, readable descriptions replace what was known, and where a description is missing or cannot be read, what was
// known stays. announce holds the handshake annotations to write on the node.
func (r Registry) Observe(set *vendors.Set, node *corev1.Node, now time.Time) (next Registry, announce map[string]string, problems []device.Problem) {
	old, known := r.nodes.Get(node.Name)
	if !known {
		old = &registered{info: device.NewNodeInfo(node.Name)}
	}
	fresh := &registered{health: map[device.Vendor]device.HealthMemory{}}
	var inventories []device.Inventory
	for _, b := range set.Backends() {
		v := b.Vendor()
		answer := b.Health(device.HealthInput{Node: node, Now: now, Known: old.health[v]})
		if !answer.Healthy {
			continue // nothing of the vendor is kept, nor remembered
		}
		fresh.health[v] = answer.Remember
		if key := b.Names().Handshake; key != "" && answer.Announce != "" {
			if announce == nil {
				announce = map[string]string{}
			}
			announce[key] = answer.Announce
		}
		inv := b.Inventory(node)
		if inv.Err != nil {
			if !errors.Is(inv.Err, device.ErrNoDescription) {
				problems = append(problems, device.Problem{Object: "node " + node.Name, Err: inv.Err})
			}
			inv = orKnown(inv, old.info)
		}
		inventories = append(inventories, inv)
	}
	fresh.info = device.NewNodeInfo(node.Name, inventories...)
	problems = append(problems, slices.DeleteFunc(fresh.info.Problems(), func(p device.Problem) bool {
		return slices.ContainsFunc(problems, func(q device.Problem) bool { return q.Error() == p.Error() })
	})...)
	r.nodes = r.nodes.Set(node.Name, fresh)
	return r, announce, problems
}

// orKnown returns what was known of the vendor, if anything, else the inventory that could not be read.
func orKnown(inv device.Inventory, known *device.NodeInfo) device.Inventory {
	if before := known.Inventory(inv.Vendor); len(before.Devices) > 0 {
		return before
	}
	return inv
}

// Forget drops a node that is gone.
func (r Registry) Forget(node string) Registry {
	r.nodes = r.nodes.Delete(node)
	return r
}
