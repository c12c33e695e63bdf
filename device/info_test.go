package device_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"

	"github.com/accelfit/accelfit/device"
)

var errBroken = errors.New("broken")

func mixedNode() *device.NodeInfo {
	return device.NewNodeInfo("n1",
		device.Inventory{Vendor: "NVIDIA", Devices: []device.DeviceInfo{
			{ID: "g1", Type: "NVIDIA A100", Vendor: "claimed", LinkScores: map[string]int64{"g0": 7, "gone": 9}},
			{ID: "g0", Type: "NVIDIA L4", Healthy: true},
		}},
		device.Inventory{Vendor: "MLU", Devices: []device.DeviceInfo{{ID: "m0"}}, Problems: []device.Problem{{Object: "node n1", Err: errBroken}}},
		device.Inventory{Vendor: "DCU", Err: errBroken, Devices: []device.DeviceInfo{{ID: "d0"}}},
		device.Inventory{Vendor: "XPU", Err: fmt.Errorf("x: %w", device.ErrNoDescription)},
		device.Inventory{Vendor: "NVIDIA", Devices: []device.DeviceInfo{{ID: "second inventory"}}},
	)
}

// TestNodeInfoOrder: D4, vendors ascending by word, devices in the order of their registration; of two inventories of one
// vendor the first counts.
func TestNodeInfoOrder(t *testing.T) {
	n := mixedNode()
	var got []string
	for i := range n.Len() {
		got = append(got, fmt.Sprintf("%s %s", n.Device(i).Vendor, n.Device(i).ID))
	}
	if diff := cmp.Diff([]string{"MLU m0", "NVIDIA g1", "NVIDIA g0"}, got); diff != "" {
		t.Errorf("devices:\n%s", diff)
	}
	if diff := cmp.Diff([]device.Vendor{"MLU", "NVIDIA"}, n.Vendors()); diff != "" {
		t.Errorf("vendors:\n%s", diff)
	}
	if diff := cmp.Diff([]device.Vendor{"DCU", "MLU", "NVIDIA"}, n.Described()); diff != "" {
		t.Errorf("vendors with a description:\n%s", diff)
	}
	if from, to := n.Range("NVIDIA"); from != 1 || to != 3 {
		t.Errorf("NVIDIA is [%d, %d)", from, to)
	}
	if from, to := n.Range("none"); from != to {
		t.Errorf("no vendor is [%d, %d)", from, to)
	}
	if n.Name() != "n1" {
		t.Errorf("name %q", n.Name())
	}
}

func TestNodeInfoLookups(t *testing.T) {
	n := mixedNode()
	for _, test := range []struct {
		vendor device.Vendor
		id     string
		want   int
	}{{"MLU", "m0", 0}, {"NVIDIA", "g0", 2}, {"MLU", "g0", -1}, {"NVIDIA", "second inventory", -1}, {"none", "g0", -1}} {
		if got := n.Find(test.vendor, test.id); got != test.want {
			t.Errorf("%s %s is at %d, want %d", test.vendor, test.id, got, test.want)
		}
	}
	if a, b := n.Link(1, 2), n.Link(2, 1); a != 7 || b != 0 {
		t.Errorf("links %d and %d, want 7 and 0: they have a direction", a, b)
	}
	if !n.TypeContains(1, "nvidia a") || n.TypeContains(2, "a100") {
		t.Error("fragments of types")
	}
}

// TestNodeInfoUnreadable: no description and a broken one are different things, and devices that come with an error are
// not there.
func TestNodeInfoUnreadable(t *testing.T) {
	n := mixedNode()
	for _, test := range []struct {
		vendor    device.Vendor
		is        error
		malformed bool
	}{
		{"NVIDIA", nil, false}, {"MLU", nil, false}, {"DCU", errBroken, true},
		{"XPU", device.ErrNoDescription, false}, {"none", device.ErrNoDescription, false},
	} {
		if err := n.Unreadable(test.vendor); !errors.Is(err, test.is) {
			t.Errorf("%s: %v, want %v", test.vendor, err, test.is)
		}
		if got := n.Malformed(test.vendor); got != test.malformed {
			t.Errorf("%s malformed: %t", test.vendor, got)
		}
	}
	if !n.Malformed("") {
		t.Error("no vendor of the node is malformed")
	}
	if n.Find("DCU", "d0") >= 0 {
		t.Error("a device of an unreadable description is on the node")
	}
	want := []string{"node n1: broken", "node n1: broken"} // of DCU and of MLU
	var got []string
	for _, p := range n.Problems() {
		got = append(got, p.Error())
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("problems:\n%s", diff)
	}
}

// TestNodeInfoOfInventories: a node made of the inventories of another one is the same node.
func TestNodeInfoOfInventories(t *testing.T) {
	n := mixedNode()
	again := device.NewNodeInfo("n1", n.Inventory("NVIDIA"), n.Inventory("MLU"), n.Inventory("DCU"), n.Inventory("XPU"))
	for _, v := range []device.Vendor{"NVIDIA", "MLU", "DCU", "XPU"} {
		errorsBy := cmp.Comparer(func(a, b error) bool { return errors.Is(a, b) || errors.Is(b, a) })
		if diff := cmp.Diff(n.Inventory(v), again.Inventory(v), errorsBy); diff != "" {
			t.Errorf("%s:\n%s", v, diff)
		}
	}
	if len(again.Problems()) != len(n.Problems()) {
		t.Errorf("problems %v, want %v", again.Problems(), n.Problems())
	}
}

// TestNodeInfoOfAnySize: what is looked up differently on large nodes is found all the same.
func TestNodeInfoOfAnySize(t *testing.T) {
	for _, size := range []int{1, 31, 32, 255, 256, 1000} {
		inv := device.Inventory{Vendor: "NVIDIA"}
		for i := range size {
			inv.Devices = append(inv.Devices, device.DeviceInfo{ID: fmt.Sprint(i), LinkScores: map[string]int64{"0": int64(i) + 1}})
		}
		inv.Devices = append(inv.Devices, device.DeviceInfo{ID: "0"}) // again: the first is found
		n := device.NewNodeInfo("n1", device.Inventory{Vendor: "MLU", Devices: []device.DeviceInfo{{ID: "m0"}}}, inv)
		if got := n.Find("NVIDIA", "0"); got != 1 {
			t.Errorf("%d devices: of two with one id the one at %d is found", size, got)
		}
		last := size
		if got := n.Find("NVIDIA", fmt.Sprint(size-1)); got != last {
			t.Errorf("%d devices: the last is at %d, want %d", size, got, last)
		}
		if got := n.Find("MLU", "0"); got != -1 {
			t.Errorf("%d devices: device of another vendor found at %d", size, got)
		}
		if got, back := n.Link(last, 1), n.Link(0, last); got != int64(size) || back != 0 {
			t.Errorf("%d devices: links %d and %d, want %d and 0", size, got, back, size)
		}
	}
}

func TestNewNodeUsage(t *testing.T) {
	n := device.NewNodeUsage(mixedNode())
	if diff := cmp.Diff([]device.DeviceUsage{{}, {}, {Healthy: true}}, n.Devices()); diff != "" {
		t.Errorf("usage of a node nobody uses:\n%s", diff)
	}
}

func TestPlacements(t *testing.T) {
	at := func(start, size uint32) device.Placement { return device.Placement{Start: start, Size: size} }
	for _, test := range []struct {
		p, q device.Placement
		want bool
	}{
		{at(0, 2), at(1, 1), true},
		{at(0, 2), at(2, 1), false},
		{at(4, 4), at(0, 8), true},
		{at(1<<32-1, 2), at(0, 1), false}, // the end does not wrap around
		{at(1<<32-1, 2), at(1<<32-1, 1), true},
	} {
		if test.p.Overlaps(test.q) != test.want || test.q.Overlaps(test.p) != test.want {
			t.Errorf("%v overlaps %v: want %t", test.p, test.q, test.want)
		}
		if free := (device.MIGState{{Placement: test.p}}).Free(test.q); free == test.want {
			t.Errorf("%v free beside %v: want %t", test.q, test.p, !test.want)
		}
	}
	if !(device.MIGState)(nil).Free(at(0, 8)) {
		t.Error("an idle card is not free")
	}
}

func TestQuirks(t *testing.T) {
	some := device.SidecarIsInit | device.QuotaByRequest
	if !some.Has(device.QuotaByRequest) || some.Has(device.LastNUMARun) || some.Has(device.AllQuirks) || !device.AllQuirks.Has(some) {
		t.Errorf("%b", some)
	}
}

// TestQuirkNames: every quirk is found by its name.
func TestQuirkNames(t *testing.T) {
	var all device.Quirks
	for name := range strings.SplitSeq(device.AllQuirks.String(), "|") {
		q, err := device.ParseQuirk(name)
		if err != nil || q.String() != name || all.Has(q) {
			t.Errorf("%s: %s, %v", name, q, err)
		}
		all |= q
	}
	if every, err := device.ParseQuirk("AllQuirks"); err != nil || all != device.AllQuirks || every != all {
		t.Errorf("%s, %v", all, err)
	}
	if q, _ := device.ParseQuirk("EnflameByPercent"); q != device.EnflameByPercent {
		t.Errorf("%s", q)
	}
	if _, err := device.ParseQuirk("LastNumaRun"); err == nil || !strings.Contains(err.Error(), "LastNUMARun") {
		t.Errorf("%v", err)
	}
}

func TestWholeNumber(t *testing.T) {
	list := func(value string) corev1.ResourceList { return corev1.ResourceList{"n": resource.MustParse(value)} }
	for _, test := range []struct {
		why, limit, request string
		n                   int64
		found, invalid      bool
	}{
		{"neither: not asked for", "", "", 0, false, false},
		{"the limit counts", "2", "3", 2, true, false},
		{"the request counts where there is no limit", "", "3", 3, true, false},
		{"suffixes are fine", "1k", "", 1000, true, false},
		{"0 is a number", "0", "5", 0, true, false},
		{"fractions are not whole", "1500m", "", 0, true, true},
		{"negative", "-1", "", 0, true, true},
		{"above the most", "2147483648", "", 0, true, true},
		{"the most", "2147483647", "", device.MaxAmount, true, false},
	} {
		c := corev1.Container{Name: "main"}
		if test.limit != "" {
			c.Resources.Limits = list(test.limit)
		}
		if test.request != "" {
			c.Resources.Requests = list(test.request)
		}
		n, found, err := device.WholeNumber(&c, "n", device.MaxAmount)
		var r *device.RequestError
		if found != test.found || errors.As(err, &r) != test.invalid || !test.invalid && n != test.n {
			t.Errorf("%s: %d, %t, %v", test.why, n, found, err)
		}
		if test.invalid && (r.Container != "main" || r.Key != "n" || r.Value == "") {
			t.Errorf("%s: %+v names too little", test.why, r)
		}
	}
	if _, found := device.Quantity(&corev1.Container{}, ""); found {
		t.Error("an empty name found something")
	}
}

// TestIsModel: whole names, whatever the letter case, less the vendor's word in front.
func TestIsModel(t *testing.T) {
	n := device.NewNodeInfo("n", device.Inventory{Vendor: "NVIDIA", Devices: []device.DeviceInfo{
		{ID: "a", Type: "NVIDIA-NVIDIA L40"}, {ID: "b", Type: "NVIDIA"}, {ID: "c"}, {ID: "d", Type: "NVIDIA-"},
	}})
	for i, names := range [][]string{
		{"l40", "nvidia l40", "nvidia-nvidia l40", "nvidia-l40"}, {"nvidia", "nvidia-nvidia"}, {"", ""}, {"nvidia-"},
	} {
		for _, name := range names {
			if !n.IsModel(i, name) {
				t.Errorf("%q is not %q", n.Device(i).Type, name)
			}
		}
	}
	for _, name := range []string{"", "l4", "l40s", "40", "nvidia", "nvidia-", "L40", " l40"} {
		if n.IsModel(0, name) {
			t.Errorf("%q is %q", n.Device(0).Type, name)
		}
	}
	use, no := device.ParseTypes("L4, A100", ""), device.ParseTypes("", "nvidia L40")
	if use.AllowsModel(n, 0) || !use.AllowsType(n, 0) || no.AllowsModel(n, 0) || !no.AllowsModel(n, 1) {
		t.Error("lists of models are not matched as a whole")
	}
}
