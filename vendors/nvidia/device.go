package nvidia

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"

	"github.com/accelfit/accelfit/device"
	"github.com/accelfit/accelfit/vendors/kit"
)

// Inventory implements [device.Backend]: the registration annotation, the scores of device pairs and the operator's
// cordon list (spec nvidia §2, §9, core §13.3). Pair scores that cannot be read make the whole description unreadable. An
// empty list is an empty inventory (deviation D24).
func (b *Backend) Inventory(node *corev1.Node) device.Inventory {
	inv := kit.Registration(node, Vendor, AnnotationRegister, device.RefuseAll, device.DecodeRegistration)
	devices := inv.Devices
	inv.Devices = nil
	for _, err := range reservable(devices) {
		inv.Problems = append(inv.Problems, device.Problem{Object: "node " + node.Name, Err: device.In(AnnotationRegister, err)})
	}
	if inv.Err != nil {
		return inv
	}
	if inv.Err = cmp.Or(checkPlacements(devices), link(devices, node.Annotations)); inv.Err != nil {
		return inv
	}
	cordon(devices, node.Annotations[device.AnnotationCordon])
	inv.Devices = devices
	return inv
}

// reservable takes from the devices the MIG profiles that no reservation can name: those without a name, and all of a card
// without an id.
func reservable(devices []device.DeviceInfo) (dropped []error) {
	for i := range devices {
		d := &devices[i]
		all := len(d.MIGProfiles)
		d.MIGProfiles = slices.DeleteFunc(d.MIGProfiles, func(p device.MIGProfile) bool { return p.Name == "" || d.ID == "" })
		if len(d.MIGProfiles) < all {
			dropped = append(dropped, &device.DecodeError{
				Item: fmt.Sprintf("device %q", d.ID), Field: "migProfiles", Err: errNameless,
			})
		}
	}
	return dropped
}

var errNameless = errors.New("no reservation can name a card without id or a profile without name")

// maxPlacements is how many places for instances a card may have in all. Real cards have some dozens; what it takes to fill a
// card grows with the third power.
const maxPlacements = 256

func checkPlacements(devices []device.DeviceInfo) error {
	for i := range devices {
		n := 0
		for _, p := range devices[i].MIGProfiles {
			n += len(p.Placements)
		}
		if n > maxPlacements {
			return &device.DecodeError{
				Key: AnnotationRegister, Item: "device " + devices[i].ID, Field: "migProfiles",
				Err: fmt.Errorf("%d placements, more than %d", n, maxPlacements),
			}
		}
	}
	return nil
}

func link(devices []device.DeviceInfo, annotations map[string]string) error {
	text, ok := annotations[AnnotationLinkScores]
	if !ok {
		return nil
	}
	scores, err := device.DecodeLinkScores(text)
	if err != nil {
		return device.In(AnnotationLinkScores, err)
	}
	for i := range devices {
		devices[i].LinkScores = scores[devices[i].ID]
	}
	return nil
}

func cordon(devices []device.DeviceInfo, list string) {
	if list == "" {
		return
	}
	var ids []string
	for id := range strings.SplitSeq(list, ",") {
		ids = append(ids, strings.TrimSpace(id))
	}
	slices.Sort(ids)
	for i := range devices {
		_, found := slices.BinarySearch(ids, devices[i].ID)
		devices[i].Cordoned = found && devices[i].ID != ""
	}
}

// Health implements [device.Backend]: the handshake, and on top of it the number of cards that kubelet offers: its change
// asks for a new inventory, its fall to 0 means that the cards are gone (spec nvidia §9).
func (b *Backend) Health(in device.HealthInput) device.HealthAnswer {
	q := in.Node.Status.Allocatable[corev1.ResourceName(b.config.ResourceCountName)]
	offered := q.Value()
	registration := in.Node.Annotations[AnnotationRegister]
	answer := device.Handshake(in.Node.Annotations[AnnotationHandshake], offered, in.Now)
	answer.Remember = in.Known
	switch {
	case offered == 0 && in.Known.Allocatable > 0:
		answer.Healthy = false
		answer.Remember = device.HealthMemory{Registration: registration}
	case offered > 0 && in.Known.Allocatable != offered:
		answer.Healthy, answer.Renew = true, true
		answer.Remember = device.HealthMemory{Allocatable: offered, Registration: registration}
	case offered > 0 && in.Known.Registration != registration:
		answer.Renew = true
		answer.Remember.Registration = registration
	}
	return answer
}

// Describe implements [device.Backend]: the registration, the scores of device pairs, the cordon list, and as many cards
// offered as there are slots.
func (b *Backend) Describe(node *corev1.Node, devices []device.DeviceInfo) error {
	links, err := device.EncodeLinkScores(devices)
	if err != nil {
		return err
	}
	if err := kit.Describe(node, b.Names(), devices, device.EncodeFullRegistration); err != nil {
		return err
	}
	delete(node.Annotations, AnnotationLinkScores)
	if links != "[]" {
		device.Annotate(node, AnnotationLinkScores, links)
	}
	delete(node.Annotations, device.AnnotationCordon)
	if ids := cordoned(devices); len(ids) > 0 {
		device.Annotate(node, device.AnnotationCordon, strings.Join(ids, ","))
	}
	return kit.ReadsBack(b, node, devices)
}

func cordoned(devices []device.DeviceInfo) (ids []string) {
	for i := range devices {
		if devices[i].Cordoned {
			ids = append(ids, devices[i].ID)
		}
	}
	return ids
}
