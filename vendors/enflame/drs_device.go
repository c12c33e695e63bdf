package enflame

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"

	corev1 "k8s.io/api/core/v1"

	"github.com/accelfit/accelfit/device"
	"github.com/accelfit/accelfit/vendors/kit"
)

// capacity is the annotation AnnotationCapacity.
type capacity struct {
	Devices  []card            `json:"devices"`
	Profiles map[string]string `json:"profiles"` // name → id
}

// card is one of its devices.
type card struct {
	Index    string          `json:"index"`
	Minor    string          `json:"minor"`
	Capacity json.RawMessage `json:"capacity"` // slices: a number, or a text
}

// minorKey is the entry of a device's custom information that holds its minor number, where that is not its index.
const minorKey = "minor"

var (
	errNoProfiles = errors.New("no valid drs profiles found")
	errCapacity   = errors.New("is no number of slices above 0 in range")
)

// Inventory implements [device.Backend]: the cards and profiles of the capacity annotation (spec enflame §II.4). The profiles are the
// Extra of the inventory. Cards that cannot be used are dropped and reported (deviation eD3); none at all is an empty inventory
// (deviation D24).
func (b *DRS) Inventory(node *corev1.Node) device.Inventory {
	inv := device.Inventory{Vendor: Vendor}
	text, ok := node.Annotations[AnnotationCapacity]
	if !ok {
		inv.Err = fmt.Errorf("%w: annotation not found %s", device.ErrNoDescription, AnnotationCapacity)
		return inv
	}
	var read capacity
	if err := json.Unmarshal([]byte(text), &read); err != nil {
		inv.Err = jsonError(err)
		return inv
	}
	c, outOfRange := newCut(read.Profiles)
	if c.slices <= 0 {
		inv.Err = &device.DecodeError{Key: AnnotationCapacity, Field: "profiles", Err: errNoProfiles}
		return inv
	}
	inv.Extra = c
	for _, err := range outOfRange {
		report(&inv, node, &device.DecodeError{Field: "profiles", Err: err})
	}
	seen := map[int]bool{}
	for i := range read.Devices {
		d, err := read.Devices[i].device(node.Name, i, c)
		if err == nil && seen[d.Index] {
			err = &device.DecodeError{Field: "index", Err: fmt.Errorf("%d is there before", d.Index)}
		}
		if err != nil {
			err.Item = "device " + strconv.Itoa(i)
			report(&inv, node, err)
			continue
		}
		seen[d.Index] = true
		inv.Devices = append(inv.Devices, d)
	}
	return inv
}

func jsonError(err error) error {
	if t := (*json.UnmarshalTypeError)(nil); errors.As(err, &t) {
		return &device.DecodeError{Key: AnnotationCapacity, Field: t.Field, Err: errors.New("has the wrong type: " + t.Value)}
	}
	return &device.DecodeError{Key: AnnotationCapacity, Err: err}
}

func report(inv *device.Inventory, node *corev1.Node, err *device.DecodeError) {
	err.Key = AnnotationCapacity
	inv.Problems = append(inv.Problems, device.Problem{Object: "node " + node.Name, Err: err})
}

// device is the card, listed at a position.
func (w *card) device(node string, position int, c *cut) (device.DeviceInfo, *device.DecodeError) {
	index, err := strconv.Atoi(w.Index)
	if err != nil {
		index = position
	}
	if index < 0 || index > device.MaxAmount {
		return device.DeviceInfo{}, &device.DecodeError{Field: "index", Err: fmt.Errorf("%d is out of range", index)}
	}
	slots, ok := w.slices()
	if !ok {
		return device.DeviceInfo{}, &device.DecodeError{Field: "capacity", Err: errCapacity}
	}
	return device.DeviceInfo{
		ID: cardID(node, index), Index: index, Type: string(Vendor),
		Slots: slots, Memory: c.gb * 1024, Cores: whole, Healthy: true, CustomInfo: w.custom(index),
	}, nil
}

func cardID(node string, index int) string { return kit.NumberedID(node, "enflame-drs", index) }

// DeviceID implements [device.Identifier].
func (b *DRS) DeviceID(node string, index int) string { return cardID(node, index) }

// custom keeps the minor number where it is not the index.
func (w *card) custom(index int) map[string]json.RawMessage {
	minor := strings.TrimSpace(w.Minor)
	if minor == "" || minor == strconv.Itoa(index) {
		return nil
	}
	return map[string]json.RawMessage{minorKey: kit.JSON(minor)}
}

// slices reads the capacity. Fractions of a number are cut; a text is at most [device.MaxAmount].
func (w *card) slices() (n int64, ok bool) {
	var text string
	var number float64
	switch {
	case len(w.Capacity) == 0 || string(w.Capacity) == "null":
		return 0, false
	case json.Unmarshal(w.Capacity, &text) == nil:
		n, err := strconv.ParseInt(text, 10, 64)
		return min(n, device.MaxAmount), err == nil && n > 0
	case json.Unmarshal(w.Capacity, &number) == nil:
		number = math.Trunc(number)
		return int64(number), number > 0 && number <= device.MaxAmount
	}
	return 0, false
}

// Describe implements [device.Backend]: the capacity annotation, and as many slices offered as the cards have. Profiles are no part
// of devices: those that the node has are kept, if they make the memory that the cards should have. Else the cards of [Models]
// have those of spec enflame §II.4, others one of a slice and one of the whole card. What is otherwise than Inventory makes it is an
// error.
func (b *DRS) Describe(node *corev1.Node, devices []device.DeviceInfo) error {
	out := capacity{Devices: make([]card, len(devices))}
	var most, memory int64
	for i := range devices {
		d := &devices[i]
		out.Devices[i].Index = strconv.Itoa(d.Index)
		out.Devices[i].Minor = minorOf(d)
		out.Devices[i].Capacity = json.RawMessage(strconv.FormatInt(d.Slots, 10))
		most, memory = max(most, d.Slots), max(memory, d.Memory)
	}
	if out.Profiles = profilesOn(node, memory); out.Profiles == nil {
		out.Profiles = profilesOf(most, memory/1024)
	}
	text, err := json.Marshal(out)
	if err != nil {
		return err
	}
	device.Annotate(node, AnnotationCapacity, string(text))
	device.Offer(node, b.count, kit.Slots(devices))
	return kit.ReadsBack(b, node, devices)
}

// minorOf is a device's minor number; its index where none is known.
func minorOf(d *device.DeviceInfo) string {
	var minor string
	if json.Unmarshal(d.CustomInfo[minorKey], &minor) != nil || minor == "" {
		return strconv.Itoa(d.Index)
	}
	return minor
}

// profilesOn are the profiles that a node has, from name to id; nil: none, or not those of cards with so many MiB.
func profilesOn(node *corev1.Node, memory int64) map[string]string {
	var has capacity
	if json.Unmarshal([]byte(node.Annotations[AnnotationCapacity]), &has) != nil {
		return nil
	}
	if c, _ := newCut(has.Profiles); c.slices == 0 || c.gb*1024 != memory {
		return nil
	}
	return has.Profiles
}

// profilesOf are profiles for a card, from name to id.
func profilesOf(slices, gb int64) map[string]string {
	if slices == drsSlices && gb == drsGB {
		return map[string]string{"1g.6gb": "0", "2g.12gb": "1", "3g.20gb": "2", "6g.40gb": "3"}
	}
	whole := fmt.Sprintf("%dg.%dgb", slices, gb)
	if slices <= 1 {
		return map[string]string{whole: "0"}
	}
	return map[string]string{fmt.Sprintf("1g.%dgb", max(1, gb/slices)): "0", whole: "1"}
}

// Health implements [device.Backend]: what the node says counts, and a node that says nothing has no cards (deviation eD9).
func (b *DRS) Health(device.HealthInput) device.HealthAnswer { return kit.Trusted() }
