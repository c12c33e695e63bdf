package simulate_test

import (
	"encoding/json"
	"math"
	"reflect"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/accelfit/accelfit/device"
	"github.com/accelfit/accelfit/internal/testkit"
	"github.com/accelfit/accelfit/simulate"
	"github.com/accelfit/accelfit/vendors"
)

// hostile are profiles that no text makes, each with one thing that is out of order.
func hostile() map[string]simulate.Profile {
	number := func(n int64) *int64 { return &n }
	text := func(s string) *string { return &s }
	out := map[string]simulate.Profile{"nothing": {}, "no name": {Devices: []simulate.ProfileDevices{{Model: "NVIDIA L4"}}}}
	for name, change := range map[string]func(d *simulate.ProfileDevices){
		"negative count":        func(d *simulate.ProfileDevices) { d.Count = math.MinInt },
		"huge count":            func(d *simulate.ProfileDevices) { d.Count = math.MaxInt32 },
		"negative memory":       func(d *simulate.ProfileDevices) { d.MemoryMiB = number(-1) },
		"huge memory":           func(d *simulate.ProfileDevices) { d.MemoryMiB = number(math.MaxInt64) },
		"most memory":           func(d *simulate.ProfileDevices) { d.MemoryMiB = number(math.MaxInt32) },
		"huge slots":            func(d *simulate.ProfileDevices) { d.Slots = number(1 << 31) },
		"no slots":              func(d *simulate.ProfileDevices) { d.Slots = number(0) },
		"no mode that is known": func(d *simulate.ProfileDevices) { d.Mode = text("x\ny,:;") },
		"NUMA nodes":            func(d *simulate.ProfileDevices) { d.NUMA = simulate.PerDevice[int]{math.MaxInt} },
		"too many NUMA nodes":   func(d *simulate.ProfileDevices) { d.NUMA = make(simulate.PerDevice[int], 7) },
		"no NUMA nodes":         func(d *simulate.ProfileDevices) { d.NUMA = simulate.PerDevice[int]{} },
		"links without rows":    func(d *simulate.ProfileDevices) { d.Links = &simulate.ProfileLinks{Matrix: [][]int64{}} },
		"ragged links":          func(d *simulate.ProfileDevices) { d.Links = &simulate.ProfileLinks{Matrix: [][]int64{{1}, nil}} },
		"huge links":            func(d *simulate.ProfileDevices) { d.Links = &simulate.ProfileLinks{Score: math.MinInt64} },
		"broken custom":         func(d *simulate.ProfileDevices) { d.Custom = custom("{") },
		"null custom":           func(d *simulate.ProfileDevices) { d.Custom = custom("null") },
		"no custom text":        func(d *simulate.ProfileDevices) { d.Custom = custom("") },
		"MIG without places": func(d *simulate.ProfileDevices) {
			d.Mode, d.MIGProfiles = text(device.ModeMIG), []simulate.ProfileMIG{{Name: "a"}, {Name: "a"}}
		},
		"MIG without end": func(d *simulate.ProfileDevices) {
			d.Mode, d.MIGProfiles = text(device.ModeMIG), []simulate.ProfileMIG{{
				Name: "a", MemoryMiB: -1, Cores: math.MinInt64, Slices: math.MaxUint32,
				Placements: []device.Placement{{Start: math.MaxUint32, Size: math.MaxUint32}},
			}}
		},
		"MIG in another mode": func(d *simulate.ProfileDevices) { d.MIGProfiles = []simulate.ProfileMIG{{Name: "a", MemoryMiB: 1}} },
		"no such vendor":      func(d *simulate.ProfileDevices) { d.Vendor = "x,\x00" },
	} {
		d := simulate.ProfileDevices{Vendor: "NVIDIA", Model: "NVIDIA L4", Count: 2}
		change(&d)
		out[name] = simulate.Profile{Name: name, Devices: []simulate.ProfileDevices{d}}
	}
	return out
}

func custom(text string) simulate.PerDevice[map[string]json.RawMessage] {
	return simulate.PerDevice[map[string]json.RawMessage]{{"k": json.RawMessage(text)}}
}

// TestProfilesThatNoTextMakes: whatever a program puts into a profile, Apply says what is wrong and leaves the node alone, or
// writes what the vendor's reader finds and Verify finds nothing about; nothing panics, and the profile is left as it was.
func TestProfilesThatNoTextMakes(t *testing.T) {
	set := vendors.Default()
	for name, p := range hostile() {
		before := simulate.Profile{Name: p.Name, Devices: append([]simulate.ProfileDevices{}, p.Devices...)}
		node := bareNode("n")
		err := p.Apply(set, node)
		t.Logf("%s: %v", name, err)
		switch {
		case err != nil && !reflect.DeepEqual(node, bareNode("n")):
			t.Errorf("%s: the node is changed", name)
		case err == nil:
			if drifts, err := p.Verify(set, node); err != nil || len(drifts) > 0 {
				t.Errorf("%s: %v %v", name, drifts, err)
			}
			u := device.NewNodeUsage(set.Inventory(node))
			_ = testkit.Table(u)
		}
		_, _, _ = simulate.Upcoming(set, &p, bareNode("n"))
		_, _ = p.Verify(set, testkit.Node("n", cards(3, 100)...))
		_, _ = p.YAML()
		e := simulate.Estimate(set, simulate.Template{Node: bareNode("t"), Profile: &p}, podsOf(3, "gpu=1 mem=100"), simulate.Limits{})
		if (err != nil) != (len(e.Problems) > 0) {
			t.Errorf("%s: %v, and an estimate has the problems %v", name, err, e.Problems)
		}
		if diff := cmp.Diff(before.Devices, p.Devices); len(p.Devices) > 0 && diff != "" {
			t.Errorf("%s: the profile is changed: %s", name, diff)
		}
	}
}
