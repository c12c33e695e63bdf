package simulate_test

import (
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/accelfit/accelfit/device"
	"github.com/accelfit/accelfit/internal/testkit"
	"github.com/accelfit/accelfit/simulate"
	"github.com/accelfit/accelfit/vendors"
)

func bareNode(name string, labels ...string) *corev1.Node {
	n := &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: name, Labels: map[string]string{}}}
	for _, l := range labels {
		key, value, _ := strings.Cut(l, "=")
		n.Labels[key] = value
	}
	return n
}

func apply(t testing.TB, set *vendors.Set, p *simulate.Profile, name string) *corev1.Node {
	t.Helper()
	n := bareNode(name)
	if err := p.Apply(set, n); err != nil {
		t.Fatalf("%s: %v", p.Name, err)
	}
	return n
}

// TestEveryModelHasAProfile: of any built-in model of any backend a profile can be made and applied, the vendor's own reader
// finds the devices that it says, healthy, and different on any two nodes; the profile of that node is the same again, also through YAML.
func TestEveryModelHasAProfile(t *testing.T) {
	set := vendors.Default()
	for _, b := range set.Backends() {
		for _, m := range testkit.ModelsOf(b.Vendor()) {
			for _, count := range []int{1, 2, 8} {
				memory, cores := m.Memory, m.Cores
				p := simulate.Profile{Name: "p", Devices: []simulate.ProfileDevices{
					{Vendor: b.Vendor(), Model: m.Name, Count: count, MemoryMiB: &memory, Cores: &cores},
				}}
				first, second := apply(t, set, &p, "n1"), apply(t, set, &p, "n2")
				inv := b.Inventory(first)
				if len(inv.Devices) != count || inv.Err != nil || len(inv.Problems) > 0 {
					t.Fatalf("%s: %d devices of %d, %v %v", m.Name, len(inv.Devices), count, inv.Err, inv.Problems)
				}
				others := set.Inventory(second)
				for i, d := range inv.Devices {
					if d.Type != m.Name || d.Memory != m.Memory || d.Cores != m.Cores || d.Slots != m.Slots || d.Mode != m.Mode || d.Index != i || !d.Healthy {
						t.Errorf("%s: device %+v", m.Name, d)
					}
					if others.Find(b.Vendor(), d.ID) >= 0 {
						t.Errorf("%s: id %s is on two nodes", m.Name, d.ID)
					}
				}
				mustCirculate(t, set, first)
			}
		}
	}
}

// mustCirculate takes the profile of a node, which must tell of the same devices, and survive YAML.
func mustCirculate(t *testing.T, set *vendors.Set, node *corev1.Node) {
	t.Helper()
	p, dropped := simulate.ProfileFromNode(set, node)
	text, err := p.YAML()
	if err != nil {
		t.Fatal(err)
	}
	back, err := simulate.ParseProfiles(text)
	if err != nil || len(back) != 1 {
		t.Fatalf("%v\n%s", err, text)
	}
	if diff := cmp.Diff(p, back[0]); diff != "" {
		t.Fatalf("through YAML: %s\n%s", diff, text)
	}
	other := apply(t, set, &back[0], node.Name)
	if want, got := freshDevices(set, node), freshDevices(set, other); want != got {
		t.Errorf("want\n%sgot\n%s%s", want, got, text)
	}
	for _, d := range dropped {
		if strings.Contains(d, "cannot be described") {
			t.Error(d)
		}
	}
	if drifts, err := back[0].Verify(set, other); err != nil || len(drifts) > 0 {
		t.Errorf("a node just written drifts: %v %v", drifts, err)
	}
}

// freshDevices renders all devices of a node less what is state: ids are those of their indexes, and these their places.
func freshDevices(set *vendors.Set, node *corev1.Node) string {
	info := set.Inventory(node)
	var all []device.DeviceInfo
	for _, v := range info.Vendors() {
		devices := info.Inventory(v).Devices
		place := map[string]string{}
		for i := range devices {
			place[devices[i].ID] = fmt.Sprint(i)
		}
		for i := range devices {
			d := &devices[i]
			links := map[string]int64{}
			for id, score := range d.LinkScores {
				if to, ok := place[id]; ok && id != d.ID {
					links[to] = score
				}
			}
			d.ID, d.Index, d.Healthy, d.Cordoned, d.LinkScores = fmt.Sprint(i), i, true, false, links
		}
		all = append(all, devices...)
	}
	return testkit.DevicesText(all)
}

// TestProfileOfAnyNode: whatever a backend can describe, its profile tells, less what is state.
func TestProfileOfAnyNode(t *testing.T) {
	set, rnd := vendors.Default(), testkit.Rand(t)
	for _, b := range set.Backends() {
		described := 0
		for range 150 {
			m := testkit.OneOf(rnd, testkit.ModelsOf(b.Vendor())...)
			devices := testkit.UsualDevices(b, &m, 1+rnd.IntN(9))
			disturb(rnd, devices)
			node := bareNode("n")
			if b.Describe(node, devices) == nil {
				described++
				mustCirculate(t, set, node)
			}
		}
		if described == 0 {
			t.Errorf("%s: no node could be described", b.Vendor())
		}
	}
}

// disturb changes some of what devices are, and of their state.
func disturb(rnd *rand.Rand, devices []device.DeviceInfo) {
	how := rnd.IntN(3)
	for i := range devices {
		d := &devices[i]
		if how >= 1 {
			d.Healthy, d.NUMA = rnd.IntN(4) > 0, rnd.IntN(3)
		}
		if how == 2 {
			d.ID = fmt.Sprintf("x%d", i)
			d.Slots, d.Memory, d.Cores = rnd.Int64N(3), rnd.Int64N(3)*1024, rnd.Int64N(2)*100
			d.Mode = testkit.OneOf(rnd, "", "hami-core", device.ModeMIG)
			d.LinkScores = map[string]int64{fmt.Sprintf("x%d", rnd.IntN(len(devices))): rnd.Int64N(1000)}
		}
	}
}

// TestProfileOfSeveralVendors: a profile with devices of all vendors at once.
func TestProfileOfSeveralVendors(t *testing.T) {
	set := vendors.Default()
	p := simulate.Profile{Name: "all"}
	for _, b := range set.Backends() {
		m := testkit.ModelsOf(b.Vendor())[0]
		p.Devices = append(p.Devices, simulate.ProfileDevices{Vendor: b.Vendor(), Model: m.Name, Count: 2, MemoryMiB: &m.Memory, Cores: &m.Cores})
	}
	slices.Reverse(p.Devices)
	mustCirculate(t, set, apply(t, set, &p, "n"))
	if n := set.Inventory(apply(t, set, &p, "n")); n.Len() != 2*len(set.Backends()) {
		t.Errorf("%d devices", n.Len())
	}
}

// TestApplyIsDeterministicAndReplaces: what the node said of devices before is gone, anything else stays, and an error leaves
// the node as it was.
func TestApplyIsDeterministicAndReplaces(t *testing.T) {
	set := vendors.Default()
	two, _ := simulate.ProfileOfModels("two", 2, "NVIDIA L4")
	node := testkit.Node("n", cards(5, 10000)...)
	node.Annotations["note"] = "stays"
	other := apply(t, set, &simulate.Profile{Name: "dcu", Devices: []simulate.ProfileDevices{{Model: "DCU-K100_AI"}}}, "n")
	node.Annotations["hami.io/node-dcu-register"] = other.Annotations["hami.io/node-dcu-register"]
	before := node.DeepCopy()
	bad := simulate.Profile{Name: "bad", Devices: []simulate.ProfileDevices{{Model: "NVIDIA L4"}, {Vendor: "nobody", Model: "x"}}}
	if err := bad.Apply(set, node); err == nil || !reflect.DeepEqual(before, node) {
		t.Errorf("%v, %s", err, cmp.Diff(before, node))
	}
	if err := two.Apply(set, node); err != nil {
		t.Fatal(err)
	}
	if info := set.Inventory(node); info.Len() != 2 || len(info.Described()) != 1 || node.Annotations["note"] != "stays" {
		t.Errorf("%d devices of %v, %v", info.Len(), info.Described(), node.Annotations)
	}
	again := before.DeepCopy()
	if err := two.Apply(set, again); err != nil || !reflect.DeepEqual(node, again) {
		t.Errorf("%v %s", err, cmp.Diff(node, again))
	}
}

// TestAnnotationsOfRegistrationsAreRefused: they are written from the devices.
func TestAnnotationsOfRegistrationsAreRefused(t *testing.T) {
	p, _ := simulate.ProfileOfModels("p", 1, "NVIDIA L4")
	p.Annotations = map[string]string{"hami.io/node-nvidia-register": "[]"}
	if err := p.Apply(vendors.Default(), bareNode("n")); err == nil || !strings.Contains(err.Error(), "annotations.hami.io/node-nvidia-register") {
		t.Error(err)
	}
}

// TestVendorsFacts: what agents write besides devices comes with the profile and is read.
func TestVendorsFacts(t *testing.T) {
	set := vendors.Default()
	p, err := simulate.ProfileOfModels("p", 2, "Ascend910B3", "Metax-GPU")
	if err != nil {
		t.Fatal(err)
	}
	p.Annotations = map[string]string{"hami-vnpu-core": "true", "metax-tech.com/gpu.topology.losses": `{"1":0,"2":7}`}
	node := apply(t, set, &p, "n")
	q, _ := simulate.ProfileFromNode(set, node)
	if diff := cmp.Diff(p.Annotations, q.Annotations); diff != "" {
		t.Error(diff)
	}
	if err := q.Apply(set, node); err != nil || node.Annotations["hami-vnpu-core"] != "true" {
		t.Errorf("%v %v", err, node.Annotations)
	}
}

// TestProfileFromNodeSaysWhatItDrops.
func TestProfileFromNodeSaysWhatItDrops(t *testing.T) {
	devices := cards(3, 10000)
	devices[0].Healthy, devices[2].Index = false, 7
	node := testkit.Node("n", devices...)
	node.Annotations[device.AnnotationCordon] = "g1"
	node.Annotations[device.AnnotationLock] = "2026-01-01T00:00:00Z,ns,p"
	node.Annotations["hami.io/node-handshake"] = "Requesting_2026-01-01 00:00:00"
	node.Annotations["hami.io/node-dcu-register"] = "broken"
	p, dropped := simulate.ProfileFromNode(vendors.Default(), node)
	want := []string{
		"node n: hami.io/node-dcu-register: node annotation missing device separator",
		"NVIDIA: ids of 3 devices", "NVIDIA: device g0: unhealthy", "NVIDIA: device g1: cordoned",
		"NVIDIA: indexes, which are not 0 to 2 in this order: a device may be missing",
		"annotation hami.io/mutex.lock", "annotation hami.io/node-handshake",
	}
	slices.Sort(want)
	slices.Sort(dropped)
	if diff := cmp.Diff(want, dropped); diff != "" {
		t.Error(diff)
	}
	if len(p.Devices) != 1 || p.Devices[0].Count != 3 || p.Name != "n" {
		t.Errorf("%+v", p)
	}
}

// TestMatches: the name goes before the labels, these before the instance type.
func TestMatches(t *testing.T) {
	named := simulate.Profile{Name: "named", Match: simulate.ProfileMatch{NodeGroups: []string{"a"}}}
	labelled := simulate.Profile{Name: "labelled", Match: simulate.ProfileMatch{MatchLabels: map[string]string{"pool": "x"}}}
	closer := simulate.Profile{Name: "closer", Match: simulate.ProfileMatch{MatchLabels: map[string]string{"pool": "x", "zone": "z"}}}
	machine := simulate.Profile{Name: "machine", Match: simulate.ProfileMatch{InstanceTypes: []string{"m1"}}}
	all := []simulate.Profile{machine, labelled, closer, named, {Name: "none"}}
	for _, test := range []struct {
		group  string
		labels string
		want   string
	}{
		{"a", "pool=x zone=z node.kubernetes.io/instance-type=m1", "named"},
		{"b", "pool=x zone=z node.kubernetes.io/instance-type=m1", "closer"},
		{"b", "pool=x node.kubernetes.io/instance-type=m1", "labelled"},
		{"b", "node.kubernetes.io/instance-type=m1", "machine"},
		{"", "beta.kubernetes.io/instance-type=m1", "machine"},
		{"", "node.kubernetes.io/instance-type=m2 beta.kubernetes.io/instance-type=m1", ""},
		{"", "pool=y", ""},
		{"", "", ""},
	} {
		got := ""
		if p := simulate.ProfileFor(all, test.group, bareNode("n", strings.Fields(test.labels)...).Labels); p != nil {
			got = p.Name
		}
		if got != test.want {
			t.Errorf("group %q, labels %q: %q, want %q", test.group, test.labels, got, test.want)
		}
	}
}
