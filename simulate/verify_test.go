package simulate_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"

	"github.com/accelfit/accelfit/device"
	"github.com/accelfit/accelfit/internal/testkit"
	"github.com/accelfit/accelfit/simulate"
	"github.com/accelfit/accelfit/vendors"
)

// promised is a node with three cards, and the profile of it.
func promised(t *testing.T) (*corev1.Node, simulate.Profile, []device.DeviceInfo) {
	t.Helper()
	devices := []device.DeviceInfo{testkit.Card("g0", 10000), testkit.Card("g1", 10000), testkit.MIGCard("g2")}
	for i := range devices {
		d := &devices[i]
		d.Index, d.NUMA = i, 1
		d.CustomInfo = map[string]json.RawMessage{"a": json.RawMessage("1")}
		d.LinkScores = map[string]int64{}
		for k := range devices {
			if i != k {
				d.LinkScores[fmt.Sprintf("g%d", k)] = 100
			}
		}
	}
	node := bareNode("n", "pool=a")
	if err := vendors.Default().Backend("NVIDIA").Describe(node, devices); err != nil {
		t.Fatal(err)
	}
	p, _ := simulate.ProfileFromNode(vendors.Default(), node)
	p.Annotations, p.Labels = map[string]string{"fact": "x"}, map[string]string{"pool": "a"}
	node.Annotations["fact"] = "x"
	return node, p, devices
}

// driftCase is one difference alone.
type driftCase struct {
	name   string
	change func(d []device.DeviceInfo) []device.DeviceInfo // of the devices that the node registers; nil: none
	node   func(n *corev1.Node)                            // of the node; nil: none
	want   []string
}

// driftsOfAmounts are differences of single devices in amounts; what is lower is an error.
func driftsOfAmounts() []driftCase {
	return []driftCase{
		{name: "less memory", change: each(0, func(d *device.DeviceInfo) { d.Memory = 9999 }),
			want: []string{"error: NVIDIA device g0 (index 0): memory: want 10000, have 9999"}},
		{name: "more memory", change: each(0, func(d *device.DeviceInfo) { d.Memory = 10001 }),
			want: []string{"warning: NVIDIA device g0 (index 0): memory: want 10000, have 10001"}},
		{name: "fewer cores", change: each(0, func(d *device.DeviceInfo) { d.Cores = 50 }),
			want: []string{"error: NVIDIA device g0 (index 0): cores: want 100, have 50"}},
		{name: "more cores", change: each(0, func(d *device.DeviceInfo) { d.Cores = 200 }),
			want: []string{"warning: NVIDIA device g0 (index 0): cores: want 100, have 200"}},
		{name: "fewer slots", change: each(0, func(d *device.DeviceInfo) { d.Slots = 1 }),
			want: []string{"error: NVIDIA device g0 (index 0): slots: want 10, have 1"}},
		{name: "more slots", change: each(0, func(d *device.DeviceInfo) { d.Slots = 11 }),
			want: []string{"warning: NVIDIA device g0 (index 0): slots: want 10, have 11"}},
		{name: "weaker link", change: each(0, func(d *device.DeviceInfo) { d.LinkScores["g1"] = 20 }),
			want: []string{"error: NVIDIA device g0 (index 0): link score g1: want 100, have 20"}},
		{name: "stronger link", change: each(0, func(d *device.DeviceInfo) { d.LinkScores["g1"] = 200 }),
			want: []string{"warning: NVIDIA device g0 (index 0): link score g1: want 100, have 200"}},
		{name: "no scores", change: func(d []device.DeviceInfo) []device.DeviceInfo {
			for i := range d {
				d[i].LinkScores = nil
			}
			return d
		}, want: []string{"warning: NVIDIA: link score: want scores, have none"}},
	}
}

// driftsOfOtherKinds are all other differences but those of MIG profiles.
func driftsOfOtherKinds() []driftCase {
	return []driftCase{
		{name: "nothing"},
		{name: "missing", change: func(d []device.DeviceInfo) []device.DeviceInfo { return slices.Delete(d, 1, 2) },
			want: []string{"error: NVIDIA index 1: missing device NVIDIA-NVIDIA L4"}},
		{name: "extra", change: func(d []device.DeviceInfo) []device.DeviceInfo {
			more := testkit.Card("g9", 10000)
			more.Index = 3
			return append(d, more)
		}, want: []string{"warning: NVIDIA device g9 (index 3): extra device NVIDIA-NVIDIA L4"}},
		{name: "model", change: each(1, func(d *device.DeviceInfo) { d.Type = "NVIDIA A10" }),
			want: []string{"warning: NVIDIA device g1 (index 1): model: want NVIDIA-NVIDIA L4, have NVIDIA A10"}},
		{name: "mode", change: each(0, func(d *device.DeviceInfo) { d.Mode = "mps" }),
			want: []string{"warning: NVIDIA device g0 (index 0): mode: want hami-core, have mps"}},
		{name: "NUMA", change: each(0, func(d *device.DeviceInfo) { d.NUMA = 0 }),
			want: []string{"warning: NVIDIA device g0 (index 0): NUMA node: want 1, have 0"}},
		{name: "custom", change: each(0, func(d *device.DeviceInfo) { d.CustomInfo = nil }),
			want: []string{"warning: NVIDIA device g0 (index 0): custom info a: want 1, have none"}},
		{name: "health", change: each(0, func(d *device.DeviceInfo) { d.Healthy = false }),
			want: []string{"error: NVIDIA device g0 (index 0): health: want healthy, have unhealthy"}},
		{name: "cordon", node: func(n *corev1.Node) { n.Annotations[device.AnnotationCordon] = "g1" },
			want: []string{"error: NVIDIA device g1 (index 1): cordon: want none, have cordoned"}},
		{name: "annotation", node: func(n *corev1.Node) { n.Annotations["fact"] = "y" },
			want: []string{"warning: annotation fact: want x, have y"}},
		{name: "label", node: func(n *corev1.Node) { delete(n.Labels, "pool") },
			want: []string{"warning: label pool: want a, have none"}},
		{name: "unregistered", node: func(n *corev1.Node) { delete(n.Annotations, "hami.io/node-nvidia-register") },
			want: []string{"error: NVIDIA: not registered: want 3 devices, have none"}},
		{name: "unreadable", node: func(n *corev1.Node) { n.Annotations["hami.io/node-nvidia-register"] = "{" },
			want: []string{"error: NVIDIA: unreadable: want 3 devices, have hami.io/node-nvidia-register: unexpected end of JSON input"}},
		{name: "another vendor", node: func(n *corev1.Node) {
			n.Annotations["hami.io/node-dcu-register"] = "d,30,65536,100,DCU-K100_AI,0,true,0,hami-core:"
		}, want: []string{"warning: DCU device d (index 0): extra device DCU-K100_AI"}},
	}
}

// TestDrift: every kind of difference, alone, with its severity.
func TestDrift(t *testing.T) {
	set := vendors.Default()
	for _, test := range append(driftsOfAmounts(), driftsOfOtherKinds()...) {
		t.Run(test.name, func(t *testing.T) {
			node, p, devices := promised(t)
			if test.change != nil {
				if err := set.Backend("NVIDIA").Describe(node, test.change(devices)); err != nil {
					t.Fatal(err)
				}
			}
			if test.node != nil {
				test.node(node)
			}
			before := node.DeepCopy()
			drifts, err := p.Verify(set, node)
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, d := range drifts {
				got = append(got, d.String())
			}
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Error(diff)
			}
			if diff := cmp.Diff(before, node); diff != "" {
				t.Errorf("the node was changed: %s", diff)
			}
		})
	}
}

func each(i int, change func(*device.DeviceInfo)) func([]device.DeviceInfo) []device.DeviceInfo {
	return func(d []device.DeviceInfo) []device.DeviceInfo {
		change(&d[i])
		return d
	}
}

// TestDriftOfMIGProfiles.
func TestDriftOfMIGProfiles(t *testing.T) {
	set := vendors.Default()
	for _, test := range []struct {
		name   string
		change func(m []device.MIGProfile) []device.MIGProfile
		want   map[string]simulate.Severity
	}{
		{"one less", func(m []device.MIGProfile) []device.MIGProfile { return m[:3] }, map[string]simulate.Severity{"7g.40gb": simulate.DriftError}},
		{"one more", func(m []device.MIGProfile) []device.MIGProfile {
			return append(m, device.MIGProfile{Name: "4g.20gb", Memory: 19968, Cores: 58, Slices: 4})
		}, map[string]simulate.Severity{"4g.20gb": simulate.DriftWarning}},
		{"less memory", func(m []device.MIGProfile) []device.MIGProfile { m[0].Memory--; return m }, map[string]simulate.Severity{"1g.5gb": simulate.DriftError}},
		{"more cores", func(m []device.MIGProfile) []device.MIGProfile { m[0].Cores++; return m }, map[string]simulate.Severity{"1g.5gb": simulate.DriftWarning}},
		{"fewer cores", func(m []device.MIGProfile) []device.MIGProfile { m[0].Cores--; return m }, map[string]simulate.Severity{"1g.5gb": simulate.DriftError}},
		{"more memory", func(m []device.MIGProfile) []device.MIGProfile { m[0].Memory++; return m }, map[string]simulate.Severity{"1g.5gb": simulate.DriftWarning}},
		{"a place less", func(m []device.MIGProfile) []device.MIGProfile { m[1].Placements = m[1].Placements[:2]; return m }, map[string]simulate.Severity{"2g.10gb": simulate.DriftError}},
	} {
		t.Run(test.name, func(t *testing.T) {
			node, p, devices := promised(t)
			devices[2].MIGProfiles = test.change(devices[2].MIGProfiles)
			if err := set.Backend("NVIDIA").Describe(node, devices); err != nil {
				t.Fatal(err)
			}
			drifts, err := p.Verify(set, node)
			if err != nil {
				t.Fatal(err)
			}
			got := map[string]simulate.Severity{}
			for _, d := range drifts {
				if d.Field != simulate.DriftMIG || d.Device != "g2" || d.Index != 2 {
					t.Errorf("%+v", d)
				}
				got[d.Part] = d.Severity
			}
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// TestDriftPairsByIndexAndModel: a node that registers in another order, or without indexes, does not drift.
func TestDriftPairsByIndexAndModel(t *testing.T) {
	set := vendors.Default()
	node, p, devices := promised(t)
	slices.Reverse(devices)
	if err := set.Backend("NVIDIA").Describe(node, devices); err != nil {
		t.Fatal(err)
	}
	if drifts, err := p.Verify(set, node); err != nil || len(drifts) > 0 {
		t.Errorf("%v %v", drifts, err)
	}
	slices.Reverse(devices)
	for i := range devices {
		devices[i].Index = 0
	}
	if err := set.Backend("NVIDIA").Describe(node, devices); err != nil {
		t.Fatal(err)
	}
	if drifts, err := p.Verify(set, node); err != nil || len(drifts) > 0 {
		t.Errorf("%v %v", drifts, err)
	}
}

// TestOpenFieldsDoNotDrift: what a profile leaves out is not promised.
func TestOpenFieldsDoNotDrift(t *testing.T) {
	set := vendors.Default()
	node, p, _ := promised(t)
	for i := range p.Devices {
		p.Devices[i].NUMA, p.Devices[i].Links, p.Devices[i].Custom = nil, nil, nil
	}
	if drifts, err := p.Verify(set, node); err != nil || len(drifts) > 0 {
		t.Errorf("%v %v", drifts, err)
	}
}
