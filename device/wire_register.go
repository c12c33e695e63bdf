package device

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
)

// wireDevice is one object of the JSON registration (spec core §1.1, §2.1).
type wireDevice struct {
	ID          string                     `json:"id,omitempty"`
	Index       uint32                     `json:"index,omitempty"`
	Count       int32                      `json:"count,omitempty"`
	Memory      int32                      `json:"devmem,omitempty"`
	Cores       int32                      `json:"devcore,omitempty"`
	Type        string                     `json:"type,omitempty"`
	NUMA        int                        `json:"numa,omitempty"`
	Mode        string                     `json:"mode,omitempty"`
	Health      bool                       `json:"health,omitempty"`
	MIGProfiles []wireProfile              `json:"migProfiles,omitempty"`
	CustomInfo  map[string]json.RawMessage `json:"custominfo,omitempty"`
}

type wireProfile struct {
	Name       string      `json:"name"`
	Memory     int32       `json:"memoryMB"`
	Cores      int32       `json:"core"`
	Slices     uint32      `json:"sliceCount"`
	Placements []Placement `json:"placements"`
}

var errNullEntry = errors.New("is null")

// BadEntries says what becomes of a registration some of whose entries cannot be used.
type BadEntries bool

// The ways.
const (
	RefuseAll BadEntries = false // one bad entry makes the whole text unreadable
	SkipBad   BadEntries = true  // bad entries are dropped, and so are those without an id
)

// DecodeRegistration reads a registration annotation in JSON form (spec core §2.1): an array of device objects whose keys
// match whatever their letter case. null and [] are no devices. A text that is no array is a [*DecodeError]. An entry is bad
// when it cannot be read, is null, has a negative amount or an id that no allocation could name. Of several entries with one
// id the first stands. The others, and bad entries that are skipped, are returned as dropped. MIG placements that occupy no
// slice, or end behind slice 2³²-1, are left out of their profile; a device with more than 128 profiles, or a profile with
// more than 128 placements, is bad.
func DecodeRegistration(text string, bad BadEntries) (devices []DeviceInfo, dropped []error, err error) {
	entries, err := decodeArray(text)
	if err != nil {
		return nil, nil, err
	}
	return collect(bad, len(entries), func(i int) (DeviceInfo, error) {
		var w wireDevice
		if err := decodeEntry(entries[i], &w); err != nil {
			return DeviceInfo{}, deviceError(i, "", err)
		}
		return w.device(i)
	})
}

// collect gathers n entries. Of several with one id the first stands (deviation D21).
func collect(bad BadEntries, n int, decode func(i int) (DeviceInfo, error)) (devices []DeviceInfo, dropped []error, err error) {
	seen := make(map[string]bool, n)
	for i := range n {
		d, err := decode(i)
		if err == nil && bad == SkipBad && d.ID == "" {
			err = deviceError(i, "id", errNoID)
		}
		switch {
		case err == nil && seen[d.ID]:
			dropped = append(dropped, deviceError(i, "id", fmt.Errorf("%q is registered before", d.ID)))
		case err == nil:
			seen[d.ID] = true
			devices = append(devices, d)
		case bad == SkipBad:
			dropped = append(dropped, err)
		default:
			return nil, nil, err
		}
	}
	return devices, dropped, nil
}

// decodeArray splits a JSON array into its elements without looking into them.
func decodeArray(text string) ([]json.RawMessage, error) {
	var entries []json.RawMessage
	if err := json.Unmarshal([]byte(text), &entries); err != nil {
		return nil, &DecodeError{Err: plainJSON(err)}
	}
	return entries, nil
}

func decodeEntry(entry json.RawMessage, into any) error {
	if bytes.Equal(bytes.TrimSpace(entry), []byte("null")) {
		return errNullEntry
	}
	return json.Unmarshal(entry, into)
}

// deviceError names the entry and, where err is about one field, the field.
func deviceError(i int, field string, err error) error {
	return itemError("device "+strconv.Itoa(i), field, err)
}

func itemError(item, field string, err error) error {
	if t := (*json.UnmarshalTypeError)(nil); errors.As(err, &t) && field == "" {
		field = t.Field
	}
	return &DecodeError{Item: item, Field: field, Err: plainJSON(err)}
}

// plainJSON says what is wrong with a JSON value without naming Go types.
func plainJSON(err error) error {
	if t := (*json.UnmarshalTypeError)(nil); errors.As(err, &t) {
		return fmt.Errorf("%s is not %s", t.Value, jsonKind(t))
	}
	return err
}

func jsonKind(t *json.UnmarshalTypeError) string {
	switch t.Type.Kind().String() {
	case "slice":
		return "a list"
	case "struct", "map":
		return "an object"
	case "bool":
		return "true or false"
	case "string":
		return "a text"
	case "uint32", "uint64", "uint":
		return "a whole number from 0 in range"
	}
	return "a whole number in range"
}

func (w *wireDevice) device(i int) (DeviceInfo, error) {
	d := DeviceInfo{
		ID: w.ID, Index: int(w.Index), Type: w.Type, Mode: w.Mode, NUMA: w.NUMA, Healthy: w.Health,
		Slots: int64(w.Count), Memory: int64(w.Memory), Cores: int64(w.Cores), CustomInfo: w.CustomInfo,
	}
	if d.Index < 0 { // where int has 32 bits
		return DeviceInfo{}, deviceError(i, "index", fmt.Errorf("%d is out of range", w.Index))
	}
	if err := checkDevice(i, d); err != nil {
		return DeviceInfo{}, err
	}
	if len(w.MIGProfiles) > maxProfiles {
		return DeviceInfo{}, deviceError(i, "migProfiles", errTooMany)
	}
	for _, p := range w.MIGProfiles {
		if p.Memory < 0 || p.Cores < 0 {
			return DeviceInfo{}, deviceError(i, "migProfiles."+p.Name, errNegative)
		}
		if len(p.Placements) > maxPlacements {
			return DeviceInfo{}, deviceError(i, "migProfiles."+p.Name+".placements", errTooMany)
		}
		d.MIGProfiles = append(d.MIGProfiles, p.profile())
	}
	return d, nil
}

func (p *wireProfile) profile() MIGProfile {
	out := MIGProfile{Name: p.Name, Memory: int64(p.Memory), Cores: int64(p.Cores), Slices: p.Slices}
	for _, at := range p.Placements {
		if at.Size > 0 && at.End() <= math.MaxUint32 {
			out.Placements = append(out.Placements, at)
		}
	}
	return out
}

// No card comes near these numbers (8 slices, some 20 profiles); they keep the search for a placement cheap.
const (
	maxProfiles   = 128 // of a device
	maxPlacements = 128 // of a profile
)

var (
	errNoID     = errors.New("is missing")
	errNegative = errors.New("must not be negative")
	errTooMany  = fmt.Errorf("more than %d profiles or placements", maxProfiles)
)

// checkDevice refuses what the rest of the library could not work with.
func checkDevice(i int, d DeviceInfo) error {
	if strings.ContainsAny(d.ID, ",:;") {
		return deviceError(i, "id", fmt.Errorf("%q has a separator of the allocation text in it", d.ID))
	}
	for _, f := range []struct {
		name  string
		value int64
	}{{"count", d.Slots}, {"devmem", d.Memory}, {"devcore", d.Cores}} {
		if f.value < 0 {
			return deviceError(i, f.name, fmt.Errorf("%w: %d", errNegative, f.value))
		}
	}
	return nil
}

// EncodeRegistration writes devices as a node agent does: zero values are omitted, and so are the vendor, link scores,
// cordon and custom information (spec core §2.1). Amounts outside 32 bits are an error.
func EncodeRegistration(devices []DeviceInfo) (string, error) {
	return encodeRegistration(devices, false)
}

// EncodeFullRegistration is EncodeRegistration for agents that write custom information too.
func EncodeFullRegistration(devices []DeviceInfo) (string, error) {
	return encodeRegistration(devices, true)
}

func encodeRegistration(devices []DeviceInfo, full bool) (string, error) {
	out := make([]wireDevice, len(devices))
	for i := range devices {
		w, err := wireOf(i, &devices[i])
		if err != nil {
			return "", err
		}
		if full {
			w.CustomInfo = devices[i].CustomInfo
		}
		out[i] = w
	}
	text, err := json.Marshal(out)
	return string(text), err
}

func wireOf(i int, d *DeviceInfo) (wireDevice, error) {
	w := wireDevice{
		ID: d.ID, Index: uint32(d.Index), Type: d.Type, Mode: d.Mode, NUMA: d.NUMA, Health: d.Healthy,
		Count: int32(d.Slots), Memory: int32(d.Memory), Cores: int32(d.Cores),
	}
	if d.Index < 0 || int(w.Index) != d.Index || int64(w.Count) != d.Slots || int64(w.Memory) != d.Memory || int64(w.Cores) != d.Cores {
		return w, deviceError(i, "", errors.New("an amount is out of the range of 32 bits"))
	}
	for _, p := range d.MIGProfiles {
		wp := wireProfile{p.Name, int32(p.Memory), int32(p.Cores), p.Slices, p.Placements}
		if int64(wp.Memory) != p.Memory || int64(wp.Cores) != p.Cores {
			return w, deviceError(i, "migProfiles."+p.Name, errors.New("an amount is out of the range of 32 bits"))
		}
		w.MIGProfiles = append(w.MIGProfiles, wp)
	}
	return w, nil
}

// DecodeLegacyRegistration reads a registration annotation in the older text form (spec core §2.2): entries of 7 or 9
// comma-separated fields, joined by colons. Entries are bad, and become of it what bad says, as in [DecodeRegistration]. An
// entry of 7 fields has index 0.
func DecodeLegacyRegistration(text string, bad BadEntries) (devices []DeviceInfo, dropped []error, err error) {
	return decodeLegacy(text, bad, func(int) int { return 0 })
}

// DecodeNumberedRegistration is DecodeLegacyRegistration for agents whose entries are in the order of their devices: an entry of 7
// fields has its place in the list as index.
func DecodeNumberedRegistration(text string, bad BadEntries) (devices []DeviceInfo, dropped []error, err error) {
	return decodeLegacy(text, bad, func(i int) int { return i })
}

func decodeLegacy(text string, bad BadEntries, index func(i int) int) (devices []DeviceInfo, dropped []error, err error) {
	if !strings.Contains(text, ":") {
		return nil, nil, &DecodeError{Err: errors.New("node annotation missing device separator")}
	}
	pieces := slices.DeleteFunc(strings.Split(text, ":"), func(piece string) bool { return piece == "" })
	return collect(bad, len(pieces), func(i int) (DeviceInfo, error) {
		d, field, err := legacyDevice(pieces[i], index(i))
		if err != nil {
			return DeviceInfo{}, deviceError(i, field, err)
		}
		return d, checkDevice(i, d)
	})
}

func legacyDevice(piece string, index int) (d DeviceInfo, field string, err error) {
	if !strings.Contains(piece, ",") {
		return d, "", fmt.Errorf("malformed node annotation segment: %q", piece)
	}
	f := strings.Split(piece, ",")
	if len(f) != 7 && len(f) != 9 {
		return d, "", fmt.Errorf("unexpected field count %d in node annotation", len(f))
	}
	d = DeviceInfo{ID: f[0], Index: index, Type: f[4], Mode: "hami-core"}
	p := fieldParser{}
	d.Slots = p.int32("count", f[1])
	d.Memory = p.int32("memory", f[2])
	d.Cores = p.int32("core", f[3])
	d.Healthy = p.bool("health", f[6])
	d.NUMA = p.int("numa", f[5])
	if len(f) == 9 {
		d.Index = p.int("index", f[7])
		d.Mode = f[8]
		if p.err == nil && d.Index < 0 {
			return d, "index", fmt.Errorf("index field must not be negative: %d", d.Index)
		}
	}
	return d, p.field, p.err
}

// fieldParser keeps the first error of several fields.
type fieldParser struct {
	field string
	err   error
}

func (p *fieldParser) int32(field, text string) int64 {
	n, err := strconv.ParseInt(text, 10, 32)
	p.note(field, text, err)
	return n
}

func (p *fieldParser) int(field, text string) int {
	n, err := strconv.Atoi(text)
	p.note(field, text, err)
	return n
}

func (p *fieldParser) bool(field, text string) bool {
	b, err := strconv.ParseBool(text)
	p.note(field, text, err)
	return b
}

func (p *fieldParser) note(field, text string, err error) {
	if err == nil || p.err != nil {
		return
	}
	p.field = field
	if n := (*strconv.NumError)(nil); errors.As(err, &n) {
		err = n.Err
	}
	p.err = fmt.Errorf("invalid %s field: %q: %w", field, text, err)
}

// EncodeLegacyRegistration writes devices in the older text form, always with 9 fields (spec core §2.2). An id, type or
// mode that contains a separator is an error.
func EncodeLegacyRegistration(devices []DeviceInfo) (string, error) {
	var b strings.Builder
	for i := range devices {
		d := &devices[i]
		if strings.ContainsAny(d.ID+d.Type+d.Mode, ",:") {
			return "", deviceError(i, "", errors.New("id, type and mode must not contain a comma or colon"))
		}
		fmt.Fprintf(&b, "%s,%d,%d,%d,%s,%d,%t,%d,%s:", d.ID, d.Slots, d.Memory, d.Cores, d.Type, d.NUMA, d.Healthy, d.Index, d.Mode)
	}
	return b.String(), nil
}
