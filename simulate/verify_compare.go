package simulate

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strconv"

	"github.com/accelfit/accelfit/device"
)

// comparison compares the devices of one vendor with what was promised.
type comparison struct {
	vendor   device.Vendor
	open     []*ProfileDevices // of each promised device: its entry
	problems []device.Problem
	out      []Drift
	pair     []int // of each promised device: the one on the node; -1: none
}

func (c *comparison) run(want []device.DeviceInfo, inv device.Inventory) []Drift {
	switch {
	case errors.Is(inv.Err, device.ErrNoDescription):
		c.add(Drift{Severity: DriftError, Field: DriftUnregistered, Want: number(len(want))})
		return c.out
	case inv.Err != nil:
		c.add(Drift{Severity: severity(int64(len(want)), 0), Field: DriftUnreadable, Want: number(len(want)), Have: inv.Err.Error()})
		return c.out
	}
	for _, p := range c.problems {
		c.add(Drift{Severity: DriftError, Field: DriftUnreadable, Have: p.Err.Error()})
	}
	have := inv.Devices
	extra := c.match(want, have)
	scored := slices.ContainsFunc(have, func(d device.DeviceInfo) bool { return len(d.LinkScores) > 0 })
	if !scored && slices.ContainsFunc(want, func(d device.DeviceInfo) bool { return len(d.LinkScores) > 0 }) {
		c.add(Drift{Severity: DriftWarning, Field: DriftLink, Want: "scores"})
	}
	for i := range want {
		if c.pair[i] < 0 {
			c.add(Drift{Severity: DriftError, Field: DriftMissing, Index: i, Want: want[i].Type})
			continue
		}
		c.device(i, &want[i], &have[c.pair[i]])
		if scored && c.open[i].Links != nil {
			c.links(i, want, have)
		}
	}
	for _, k := range extra {
		c.add(Drift{Severity: DriftWarning, Field: DriftExtra, Device: have[k].ID, Index: have[k].Index, Have: have[k].Type})
	}
	return c.out
}

func (c *comparison) add(d Drift) {
	d.Vendor = c.vendor
	c.out = append(c.out, d)
}

// matchKey is what devices are paired by.
type matchKey struct {
	index int
	model string
}

// match pairs promised devices with those of the node and returns the devices of the node that are left over. Cost: linear.
func (c *comparison) match(want, have []device.DeviceInfo) (extra []int) {
	c.pair = make([]int, len(want))
	for i := range c.pair {
		c.pair[i] = -1
	}
	taken := make([]bool, len(have))
	for _, key := range []func(*device.DeviceInfo) matchKey{
		func(d *device.DeviceInfo) matchKey { return matchKey{d.Index, d.Type} },
		func(d *device.DeviceInfo) matchKey { return matchKey{model: d.Type} },
		func(d *device.DeviceInfo) matchKey { return matchKey{index: d.Index} },
		func(*device.DeviceInfo) matchKey { return matchKey{} },
	} {
		waiting := map[matchKey][]int{}
		for k := range have {
			if !taken[k] {
				waiting[key(&have[k])] = append(waiting[key(&have[k])], k)
			}
		}
		for i := range want {
			if queue := waiting[key(&want[i])]; c.pair[i] < 0 && len(queue) > 0 {
				c.pair[i], taken[queue[0]] = queue[0], true
				waiting[key(&want[i])] = queue[1:]
			}
		}
	}
	for k := range have {
		if !taken[k] {
			extra = append(extra, k)
		}
	}
	return extra
}

// device compares everything of a device but its links.
func (c *comparison) device(i int, want, have *device.DeviceInfo) {
	at := Drift{Severity: DriftWarning, Device: have.ID, Index: i}
	if want.Type != have.Type {
		c.differ(at, DriftModel, want.Type, have.Type)
	}
	c.amount(at, DriftMemory, want.Memory, have.Memory)
	c.amount(at, DriftCores, want.Cores, have.Cores)
	c.amount(at, DriftSlots, want.Slots, have.Slots)
	if want.Mode != have.Mode {
		c.differ(at, DriftMode, want.Mode, have.Mode)
	}
	if c.open[i].NUMA != nil && want.NUMA != have.NUMA {
		c.differ(at, DriftNUMA, strconv.Itoa(want.NUMA), strconv.Itoa(have.NUMA))
	}
	c.profiles(at, want.MIGProfiles, have.MIGProfiles)
	if c.open[i].Custom != nil {
		c.custom(at, want.CustomInfo, have.CustomInfo)
	}
	at.Severity = DriftError
	if !have.Healthy {
		c.differ(at, DriftHealth, "healthy", "unhealthy")
	}
	if have.Cordoned {
		c.differ(at, DriftCordon, "", "cordoned")
	}
}

func (c *comparison) differ(at Drift, field DriftField, want, have string) {
	at.Field, at.Want, at.Have = field, want, have
	c.add(at)
}

// amount compares two amounts of a field.
func (c *comparison) amount(at Drift, field DriftField, want, have int64) {
	if want == have {
		return
	}
	at.Severity = severity(want, have)
	c.differ(at, field, strconv.FormatInt(want, 10), strconv.FormatInt(have, 10))
}

// severity is that of an amount which differs.
func severity(want, have int64) Severity {
	if have < want {
		return DriftError
	}
	return DriftWarning
}

// profiles compares MIG profiles by their names.
func (c *comparison) profiles(at Drift, want, have []device.MIGProfile) {
	left := slices.Clone(have)
	for i := range want {
		at.Part = want[i].Name
		k := slices.IndexFunc(left, func(m device.MIGProfile) bool { return m.Name == want[i].Name })
		if k < 0 {
			at.Severity = DriftError
			c.differ(at, DriftMIG, migText(&want[i]), "")
			continue
		}
		if !reflect.DeepEqual(want[i], left[k]) {
			at.Severity = DriftWarning
			if less(&left[k], &want[i]) {
				at.Severity = DriftError
			}
			c.differ(at, DriftMIG, migText(&want[i]), migText(&left[k]))
		}
		left = slices.Delete(left, k, k+1)
	}
	at.Severity = DriftWarning
	for i := range left {
		at.Part = left[i].Name
		c.differ(at, DriftMIG, "", migText(&left[i]))
	}
}

// less says whether a profile has less of something than another.
func less(a, b *device.MIGProfile) bool {
	return a.Memory < b.Memory || a.Cores < b.Cores ||
		slices.ContainsFunc(b.Placements, func(p device.Placement) bool { return !slices.Contains(a.Placements, p) })
}

func migText(m *device.MIGProfile) string {
	return fmt.Sprintf("%d MiB, %d cores, %d slices, places %v", m.Memory, m.Cores, m.Slices, m.Placements)
}

// custom compares custom information key by key.
func (c *comparison) custom(at Drift, want, have map[string]json.RawMessage) {
	all := maps.Clone(want)
	if all == nil {
		all = map[string]json.RawMessage{}
	}
	maps.Copy(all, have)
	for _, key := range sortedKeys(all) {
		if !sameJSON(want[key], have[key]) {
			at.Part = key
			c.differ(at, DriftCustom, string(want[key]), string(have[key]))
		}
	}
}

func sameJSON(a, b json.RawMessage) bool {
	var x, y any
	return string(a) == string(b) ||
		json.Unmarshal(a, &x) == nil && json.Unmarshal(b, &y) == nil && reflect.DeepEqual(x, y)
}

// links compares the scores of device i towards the others that are on the node.
func (c *comparison) links(i int, want, have []device.DeviceInfo) {
	for j := range want {
		if i == j || c.pair[j] < 0 {
			continue
		}
		to := have[c.pair[j]].ID
		promised, scored := want[i].LinkScores[want[j].ID], have[c.pair[i]].LinkScores[to]
		c.amount(Drift{Device: have[c.pair[i]].ID, Index: i, Part: to}, DriftLink, promised, scored)
	}
}

func sortedKeys[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }

func number(devices int) string {
	if devices == 1 {
		return "1 device"
	}
	return fmt.Sprintf("%d devices", devices)
}
