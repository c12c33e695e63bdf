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

// Observe brings the inventory of a node up to date at a time (spec core §3). A vendor whose health rule has lost trust is
// dropped, and one that is not known is entered only when its health rule asks for a new inventory; that its description cannot
// be read is told all the same. What is known is replaced by every readable description (deviation D29); where a description is
// missing or cannot be read it stays for vendors that keep it ([device.Names].Keeps).
// announce holds the handshake annotations to write on the node; those with an empty value are to be removed from it.
func (r Registry) Observe(set *vendors.Set, node *corev1.Node, now time.Time) (next Registry, announce map[string]string, problems []device.Problem) {
	old, known := r.nodes.Get(node.Name)
	if !known {
		old = &registered{info: device.NewNodeInfo(node.Name)}
	}
	fresh := &registered{health: map[device.Vendor]device.HealthMemory{}}
	announce = map[string]string{}
	var inventories []device.Inventory
	for _, b := range set.Backends() {
		inv, keep, err := old.observe(b, node, now, fresh.health, announce)
		if err != nil {
			problems = append(problems, device.Problem{Object: "node " + node.Name, Err: err})
		}
		if keep {
			inventories = append(inventories, inv)
		}
	}
	fresh.info = device.NewNodeInfo(node.Name, inventories...)
	problems = append(problems, slices.DeleteFunc(fresh.info.Problems(), func(p device.Problem) bool {
		return slices.ContainsFunc(problems, func(q device.Problem) bool { return q.Error() == p.Error() })
	})...)
	r.nodes = r.nodes.Set(node.Name, fresh)
	return r, announce, problems
}

// observe is the table of spec core §3 for one vendor: the inventory to keep, if any, and what could not be read. It writes
// down what the health rule remembers and announces.
func (old *registered) observe(
	b device.Backend, node *corev1.Node, now time.Time, health map[device.Vendor]device.HealthMemory, announce map[string]string,
) (inv device.Inventory, keep bool, unreadable error) {
	v, names := b.Vendor(), b.Names()
	known := old.info.Inventory(v)
	cached := len(known.Devices) > 0
	answer := b.Health(device.HealthInput{Node: node, Now: now, Known: old.health[v]})
	switch {
	case !answer.Healthy && cached: // clean up: nothing of the vendor is kept, nor remembered
		if names.CleanUp != "" {
			announce[names.CleanUp] = ""
		}
		return faulty(b, node)
	case !answer.Healthy:
		health[v] = answer.Remember
		return faulty(b, node)
	}
	health[v] = answer.Remember
	if names.Handshake != "" && answer.Announce != "" {
		announce[names.Handshake] = answer.Announce
	}
	inv = b.Inventory(node)
	if inv.Err == nil {
		return inv, cached || answer.Renew, nil
	}
	if !errors.Is(inv.Err, device.ErrNoDescription) {
		unreadable = inv.Err
	}
	if cached && names.Keeps {
		inv = known
	}
	return inv, true, unreadable
}

// faulty is what is kept of a vendor that is not trusted: nothing, unless its description cannot be read, which is to be told.
func faulty(b device.Backend, node *corev1.Node) (inv device.Inventory, keep bool, unreadable error) {
	inv = b.Inventory(node)
	if inv.Err == nil || errors.Is(inv.Err, device.ErrNoDescription) {
		return device.Inventory{}, false, nil
	}
	return inv, true, inv.Err
}

// Forget drops a node that is gone.
func (r Registry) Forget(node string) Registry {
	r.nodes = r.nodes.Delete(node)
	return r
}
