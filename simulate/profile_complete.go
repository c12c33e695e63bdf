package simulate

import (
	"errors"
	"fmt"
	"slices"

	"github.com/accelfit/accelfit/device"
	"github.com/accelfit/accelfit/vendors"
)

// maxLinked is how many devices of a vendor may have link scores in a profile: their number grows with the square.
const maxLinked = 256

var (
	errMissing   = errors.New("is missing")
	errAmbiguous = errors.New("is missing, and the built-in models that it could be have different ones")
)

// fieldError is what is wrong with a field of a profile, named from the profile down.
type fieldError struct {
	field string
	err   error
}

// Error names the field and the cause.
func (e *fieldError) Error() string { return e.field + ": " + e.err.Error() }

// Unwrap returns the cause.
func (e *fieldError) Unwrap() error { return e.err }

func wrong(field, format string, args ...any) error {
	return &fieldError{field, fmt.Errorf(format, args...)}
}

// in puts the field of an error below another.
func in(field string, err error) error {
	if f := (*fieldError)(nil); errors.As(err, &f) {
		return &fieldError{field + "." + f.field, f.err}
	}
	return &fieldError{field, err}
}

// complete returns the entries with everything filled in that was left out, or a [*fieldError].
func (p *Profile) complete() ([]ProfileDevices, error) {
	models := vendors.Models()
	out := slices.Clone(p.Devices)
	total := map[device.Vendor]int{}
	for i := range out {
		if err := out[i].complete(models); err != nil {
			return nil, in(entryName(i), err)
		}
		if total[out[i].Vendor] += out[i].Count; total[out[i].Vendor] > device.MaxDevices {
			return nil, wrong(entryName(i)+".count", "more than %d devices of the vendor", device.MaxDevices)
		}
	}
	for i := range out {
		if err := out[i].checkLinks(total[out[i].Vendor]); err != nil {
			return nil, in(entryName(i), err)
		}
	}
	return out, nil
}

func entryName(i int) string { return fmt.Sprintf("devices[%d]", i) }

// complete fills what an entry leaves out from the built-in models, and checks it.
func (d *ProfileDevices) complete(models []device.Model) error {
	if d.Count == 0 {
		d.Count = 1
	}
	if d.Count < 0 || d.Count > device.MaxDevices {
		return wrong("count", "%d is out of range, want 1 to %d", d.Count, device.MaxDevices)
	}
	if err := d.identify(models); err != nil {
		return err
	}
	like := d.models(models)
	if d.Mode == nil {
		mode := ""
		if len(like) > 0 {
			mode = like[0].Mode
		}
		d.Mode = &mode
	}
	if d.MIGProfiles == nil && *d.Mode == device.ModeMIG {
		d.MIGProfiles = d.builtInMIG(like)
	}
	if n := d.instances(); d.Slots == nil && n > 0 {
		d.Slots = &n
	}
	for _, a := range d.amounts() {
		if err := a.fill(like); err != nil {
			return err
		}
	}
	return d.checkLengths()
}

// identify fills in vendor and model, as far as they follow from each other.
func (d *ProfileDevices) identify(models []device.Model) error {
	for i := range models {
		m := &models[i]
		switch {
		case d.Vendor == "" && d.Model == m.Name:
			d.Vendor = m.Vendor
		case d.Vendor == m.Vendor && d.Model == "":
			if slices.ContainsFunc(models, func(o device.Model) bool { return o.Vendor == m.Vendor && o.Name != m.Name }) {
				return &fieldError{"model", fmt.Errorf("%w: the vendor has several", errMissing)}
			}
			d.Model = m.Name
		}
	}
	switch {
	case d.Vendor == "" && d.Model == "":
		return &fieldError{"vendor", errMissing}
	case d.Vendor == "":
		return &fieldError{"vendor", fmt.Errorf("%w, and %q is no built-in model", errMissing, d.Model)}
	case d.Model == "":
		return &fieldError{"model", errMissing}
	}
	return nil
}

// models are the built-in models that the entry can be: those of its name with the amounts given; without any such name all of
// the vendor, whose memory does not count.
func (d *ProfileDevices) models(all []device.Model) []device.Model {
	var named, others []device.Model
	for _, m := range all {
		if m.Vendor != d.Vendor {
			continue
		}
		if m.Name == d.Model {
			named = append(named, m)
		}
		m.Memory, m.MIGProfiles = unknown, nil
		others = append(others, m)
	}
	if len(named) == 0 {
		return others
	}
	like := slices.Clone(named)
	like = slices.DeleteFunc(like, func(m device.Model) bool {
		return d.MemoryMiB != nil && m.Memory != *d.MemoryMiB || d.Cores != nil && m.Cores != *d.Cores
	})
	if len(like) == 0 {
		return named
	}
	return like
}

// unknown is an amount that no model tells.
const unknown = -1

func (d *ProfileDevices) builtInMIG(like []device.Model) []ProfileMIG {
	for i := range like {
		if len(like[i].MIGProfiles) > 0 {
			return migOf(like[i].MIGProfiles)
		}
	}
	return nil
}

// instances is the most instances of one profile that a device in mode mig holds; 0 in other modes.
func (d *ProfileDevices) instances() int64 {
	most := 0
	for i := range d.MIGProfiles {
		most = max(most, len(d.MIGProfiles[i].Placements))
	}
	if *d.Mode != device.ModeMIG {
		return 0
	}
	return int64(most)
}

// amount is one of the amounts of an entry.
type amount struct {
	field string
	value **int64
	of    func(*device.Model) int64
}

func (d *ProfileDevices) amounts() []amount {
	return []amount{
		{"slots", &d.Slots, func(m *device.Model) int64 { return m.Slots }},
		{"memoryMiB", &d.MemoryMiB, func(m *device.Model) int64 { return m.Memory }},
		{"cores", &d.Cores, func(m *device.Model) int64 { return m.Cores }},
	}
}

// fill takes an amount that is left out from models, if they agree, and checks it.
func (a *amount) fill(like []device.Model) error {
	if *a.value == nil {
		if len(like) == 0 || a.of(&like[0]) == unknown {
			return &fieldError{a.field, errMissing}
		}
		n := a.of(&like[0])
		for i := range like {
			if a.of(&like[i]) != n {
				return &fieldError{a.field, errAmbiguous}
			}
		}
		*a.value = &n
	}
	if n := **a.value; n < 0 || n > device.MaxAmount {
		return wrong(a.field, "%d is out of range, want 0 to %d", n, device.MaxAmount)
	}
	return nil
}

func (d *ProfileDevices) checkLengths() error {
	if n := len(d.NUMA); n > 1 && n != d.Count {
		return wrong("numa", "%d values for %d devices", n, d.Count)
	}
	if n := len(d.Custom); n > 1 && n != d.Count {
		return wrong("custom", "%d values for %d devices", n, d.Count)
	}
	return nil
}

// checkLinks compares the form of the links with the number of the vendor's devices.
func (d *ProfileDevices) checkLinks(ofVendor int) error {
	switch {
	case d.Links == nil:
		return nil
	case ofVendor > maxLinked:
		return wrong("links", "%d devices of the vendor, of more than %d no links can be given", ofVendor, maxLinked)
	case d.Links.Matrix == nil:
		return nil
	case len(d.Links.Matrix) != d.Count:
		return wrong("links", "%d rows for %d devices", len(d.Links.Matrix), d.Count)
	}
	for i, row := range d.Links.Matrix {
		if len(row) != d.Count && len(row) != ofVendor {
			return wrong(fmt.Sprintf("links[%d]", i), "%d columns, want %d, or %d for all devices of the vendor", len(row), d.Count, ofVendor)
		}
	}
	return nil
}
