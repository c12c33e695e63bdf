package device

import (
	"encoding/json"
	"fmt"
	"strconv"
)

// MIGReservation is one instance reserved for a container, as the pod annotation [AnnotationMIGReservation] carries it.
// The node agent adds the last three fields when it has created the instance: all of them, or none.
type MIGReservation struct {
	ContainerIndex    int       `json:"containerIndex"` // init containers first
	DeviceIndex       int       `json:"deviceIndex"`    // position in the container's entry of the allocation
	GPUUUID           string    `json:"gpuUUID"`
	Profile           string    `json:"profile"`
	Placement         Placement `json:"placement"`
	MIGUUID           string    `json:"migUUID,omitempty"`
	GPUInstanceID     *uint32   `json:"gpuInstanceID,omitempty"`
	ComputeInstanceID *uint32   `json:"computeInstanceID,omitempty"`
}

// Instance is what the reservation occupies.
func (r *MIGReservation) Instance() MIGInstance { return MIGInstance{r.Profile, r.Placement} }

// DecodeMIGReservations reads a reservation annotation (spec nvidia §7). Empty text, null and [] are no reservations. One
// invalid entry makes the whole text a [*DecodeError].
func DecodeMIGReservations(text string) ([]MIGReservation, error) {
	if text == "" {
		return nil, nil
	}
	entries, err := decodeArray(text)
	if err != nil {
		return nil, err
	}
	out := make([]MIGReservation, len(entries))
	seen := make(map[[2]int]bool, len(entries))
	for i, entry := range entries {
		r := &out[i]
		if err := decodeEntry(entry, r); err != nil {
			return nil, itemError("reservation "+strconv.Itoa(i), "", err)
		}
		if err := r.check(i, seen); err != nil {
			return nil, &DecodeError{Err: err}
		}
	}
	return out, nil
}

func (r *MIGReservation) check(i int, seen map[[2]int]bool) error {
	if r.ContainerIndex < 0 || r.DeviceIndex < 0 || r.GPUUUID == "" || r.Profile == "" || r.Placement.Size == 0 {
		return fmt.Errorf("MIG allocation %d is incomplete", i)
	}
	some := r.MIGUUID != "" || r.GPUInstanceID != nil || r.ComputeInstanceID != nil
	all := r.MIGUUID != "" && r.GPUInstanceID != nil && r.ComputeInstanceID != nil
	if some && !all {
		return fmt.Errorf("MIG allocation %d has partial runtime identity", i)
	}
	at := [2]int{r.ContainerIndex, r.DeviceIndex}
	if seen[at] {
		return fmt.Errorf("duplicate MIG allocation for container %d device %d", at[0], at[1])
	}
	seen[at] = true
	return nil
}

// EncodeMIGReservations writes reservations as the text of the annotation. What DecodeMIGReservations would refuse is an
// error.
func EncodeMIGReservations(rs []MIGReservation) (string, error) {
	if rs == nil {
		rs = []MIGReservation{}
	}
	seen := make(map[[2]int]bool, len(rs))
	for i := range rs {
		if err := rs[i].check(i, seen); err != nil {
			return "", &DecodeError{Err: err}
		}
	}
	text, err := json.Marshal(rs)
	return string(text), err
}

// Reservations returns the reservations that an allocation stands for, in container, then device order. DeviceIndex counts
// all devices of the vendor in the container, also those without an instance.
func (a *Allocation) Reservations(v Vendor) []MIGReservation {
	var out []MIGReservation
	index := 0
	devices := a.Of(v)
	for i := range devices {
		d := &devices[i]
		if i > 0 && devices[i-1].Container != d.Container {
			index = 0
		}
		if !d.MIG.IsZero() {
			out = append(out, MIGReservation{
				ContainerIndex: d.Container, DeviceIndex: index, GPUUUID: d.ID, Profile: d.MIG.Profile, Placement: d.MIG.Placement,
			})
		}
		index++
	}
	return out
}
