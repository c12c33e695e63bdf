package devicetest

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/accelfit/accelfit/device"
	"github.com/accelfit/accelfit/vendors"
)

// Harness is a backend under test, and what it is tried with.
type Harness struct {
	Backend device.Backend

	// Nodes are nodes as the vendor's node agent leaves them, each with a name and with devices that Backend.Inventory reads.
	// They are read-only.
	Nodes []*corev1.Node

	// Pods are pods as users write them, best with every annotation that the model reads. They are read-only.
	Pods []*corev1.Pod

	Claims Claims

	// Tries is how many random situations a law is tried in; 0: 100, and 300 where something must be seen (a rule that refuses, a
	// claim, a waived law that is broken).
	Tries int

	// Limit is how long a backend may take over one hostile node and pod; 0: ten seconds.
	Limit time.Duration

	short bool // fewer situations and shorter texts
}

// Claims are what the author of a model says of it. The zero value claims nothing and waives no law.
type Claims struct {
	// Modes are the sharing modes ([device.DeviceInfo.Mode]) of devices that are given out.
	Modes []string

	// Policies are device policies that change some answer, such as mutex, numa or topology-aware.
	Policies []string

	// Codes are reasons that the model gives when it chooses devices as a set. One that is told alone may stand in place of
	// all that its rules found.
	Codes []device.Code

	// Unlimited are amounts of a device (device.Slots, device.MiB, device.Cores) that do not limit what is given of it, each
	// with the reason.
	Unlimited map[device.Unit]string

	// Waived are laws that do not hold, by name, each with the reason.
	Waived map[string]string
}

// Violation is a law that a backend breaks.
type Violation struct {
	Law  string
	Case *Case // the smallest situation found; nil: all situations taken together, or a hostile one that Err describes
	Err  error // what is wrong
}

// Error names the law, what is wrong and the situation.
func (v *Violation) Error() string {
	if v.Case == nil {
		return fmt.Sprintf("law %s: %v", v.Law, v.Err)
	}
	return fmt.Sprintf("law %s: %v\n%s", v.Law, v.Err, v.Case)
}

// Unwrap returns what is wrong.
func (v *Violation) Unwrap() error { return v.Err }

// Check checks all laws but the waived ones and joins what is wrong: a [*Violation] for each law that is broken, and errors
// about the harness itself. It is deterministic.
func Check(h Harness) error {
	errs := h.unknown()
	x, err := h.exam()
	if err != nil {
		return errors.Join(append(errs, err)...)
	}
	for _, l := range Laws() {
		errs = append(errs, l.check(x))
	}
	return errors.Join(errs...)
}

// unknown lists what the claims say about laws that there are not, and reasons that are missing.
func (h *Harness) unknown() (errs []error) {
	for name, why := range h.Claims.Waived {
		if !slices.ContainsFunc(Laws(), func(l Law) bool { return l.Name == name }) {
			errs = append(errs, fmt.Errorf("harness: waived law %q: there is no such law", name))
		}
		if why == "" {
			errs = append(errs, fmt.Errorf("harness: waived law %q: without a reason", name))
		}
	}
	for unit, why := range h.Claims.Unlimited {
		if _, known := amountNames[unit]; !known {
			errs = append(errs, fmt.Errorf("harness: unlimited %d: this is no amount of a device", unit))
		} else if why == "" {
			errs = append(errs, fmt.Errorf("harness: unlimited %s: without a reason", amountNames[unit]))
		}
	}
	slices.SortFunc(errs, func(a, b error) int { return cmp.Compare(a.Error(), b.Error()) })
	return errs
}

// exam is a harness in use.
type exam struct {
	*Harness
	set   *vendors.Set
	names device.Names
	bases []base
}

// base is a node of the harness.
type base struct {
	node    *corev1.Node
	devices []device.DeviceInfo
}

func (h *Harness) exam() (*exam, error) {
	if h.Backend == nil || len(h.Nodes) == 0 || len(h.Pods) == 0 || slices.Contains(h.Nodes, nil) || slices.Contains(h.Pods, nil) {
		return nil, errors.New("harness: a backend, a node and a pod are the least, and none of them may be nil")
	}
	set, err := vendors.New(h.Backend)
	if err != nil {
		return nil, err
	}
	x := &exam{Harness: h, set: set, names: h.Backend.Names()}
	for _, node := range h.Nodes {
		if node.Name == "" { // what pods hold is told by it
			return nil, errors.New("harness: a node without a name")
		}
		b, err := baseOf(h.Backend, node)
		if err != nil {
			return nil, fmt.Errorf("harness: node %s: %w", node.Name, err)
		}
		x.bases = append(x.bases, b)
	}
	return x, nil
}

// baseOf reads a node of the harness.
func baseOf(b device.Backend, node *corev1.Node) (base, error) {
	inv := b.Inventory(node.DeepCopy())
	switch {
	case inv.Err != nil:
		return base{}, fmt.Errorf("cannot be read: %w", inv.Err)
	case len(inv.Problems) > 0:
		return base{}, fmt.Errorf("cannot be read: %w", inv.Problems[0])
	case len(inv.Devices) == 0:
		return base{}, errors.New("has no device of the backend")
	}
	return base{node, inv.Devices}, nil
}

func (x *exam) waived(law string) bool {
	_, waived := x.Claims.Waived[law]
	return waived
}

// tries is how many situations a law is tried in.
func (x *exam) tries() int { return cmp.Or(x.Tries, 100) }

// searched is in how many situations something is looked for that must be seen.
func (x *exam) searched() int { return cmp.Or(x.Tries, 300) }

func (x *exam) limit() time.Duration { return cmp.Or(x.Limit, 10*time.Second) }

// amountNames are the amounts of a device.
var amountNames = map[device.Unit]string{device.Slots: "slots", device.MiB: "MiB", device.Cores: "cores"}
