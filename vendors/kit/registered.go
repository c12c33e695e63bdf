package kit

import (
	"fmt"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"

	"github.com/accelfit/accelfit/device"
)

// Registered is what a model reads of nodes and writes on them where the node agent registers the devices in an annotation and
// answers a handshake. A model embeds it, and writes those of its methods anew that are otherwise with its vendor.
type Registered struct {
	vendor device.Vendor
	names  device.Names
	form   Form
}

// Form is what a registration looks like, and what is made of it. The zero value is the usual one: JSON with custom information, of
// which bad entries are dropped and reported.
type Form struct {
	// Decode and Encode are a pair of registration codecs; nil: [device.DecodeRegistration] and [device.EncodeFullRegistration].
	Decode func(text string, bad device.BadEntries) ([]device.DeviceInfo, []error, error)
	Encode func([]device.DeviceInfo) (string, error)

	// AllOrNothing makes a registration with a bad entry unreadable.
	AllOrNothing bool

	// PlainTypes makes entries bad, and drops them, whose type has a separator of the allocation text in it (as deviation M3
	// has it for ids).
	PlainTypes bool

	// Complete sets what the model knows of a device that the registration does not tell, or tells otherwise; nil: nothing.
	Complete func(*device.DeviceInfo)
}

// NewRegistered makes it for the annotations and the count resource of names.
func NewRegistered(v device.Vendor, names device.Names, form Form) Registered {
	if form.Decode == nil {
		form.Decode, form.Encode = device.DecodeRegistration, device.EncodeFullRegistration
	}
	return Registered{v, names, form}
}

// Inventory implements [device.Backend]: the registration annotation.
func (r *Registered) Inventory(node *corev1.Node) device.Inventory {
	inv := Registration(node, r.vendor, r.names.Register, device.BadEntries(!r.form.AllOrNothing), r.form.Decode)
	if r.form.PlainTypes {
		plainTypes(&inv, node, r.names.Register)
	}
	for i := range inv.Devices {
		if r.form.Complete != nil {
			r.form.Complete(&inv.Devices[i])
		}
	}
	return inv
}

// Describe implements [device.Backend]: the registration, and as many devices offered as there are slots. What the registration
// cannot express is an error.
func (r *Registered) Describe(node *corev1.Node, devices []device.DeviceInfo) error {
	if err := Describe(node, r.names, devices, r.form.Encode); err != nil {
		return err
	}
	return ReadsBack(r, node, devices)
}

// Health implements [device.Backend]: the handshake. A node whose handshake has expired stays down until its agent answers.
func (r *Registered) Health(in device.HealthInput) device.HealthAnswer { return Handshake(in, r.names) }

func plainTypes(inv *device.Inventory, node *corev1.Node, key string) {
	inv.Devices = slices.DeleteFunc(inv.Devices, func(d device.DeviceInfo) bool {
		if !strings.ContainsAny(d.Type, ",:;") {
			return false
		}
		inv.Problems = append(inv.Problems, device.Problem{Object: "node " + node.Name, Err: &device.DecodeError{
			Key: key, Item: "device " + d.ID, Field: "type",
			Err: fmt.Errorf("%q has a separator of the allocation text in it", d.Type),
		}})
		return true
	})
}
