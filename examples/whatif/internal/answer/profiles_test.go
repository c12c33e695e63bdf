package answer

import (
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"

	"github.com/accelfit/accelfit/examples/whatif/internal/input"
	"github.com/accelfit/accelfit/simulate"
	"github.com/accelfit/accelfit/vendors"
)

// growingWorld is the cluster of growing.yaml with its profiles, after changes.
func growingWorld(t testing.TB, changes Changes) (*World, *input.Cluster) {
	t.Helper()
	c, err := input.Read([]string{"../../testdata/growing.yaml"}, nil)
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile("../../testdata/profiles.yaml")
	if err != nil {
		t.Fatal(err)
	}
	var o Options
	if err := o.Profiles.Add(vendors.Default(), "profiles.yaml", text); err != nil {
		t.Fatal(err)
	}
	w, err := NewWorldWith(vendors.Default(), c, o, changes)
	if err != nil {
		t.Fatal(err)
	}
	return w, c
}

// TestChangesDoNotReachNewNodes: a group's template is the sample as it was read, whatever fails or is cordoned there, also
// where the group keeps the sample's state.
func TestChangesDoNotReachNewNodes(t *testing.T) {
	plain, _ := growingWorld(t, Changes{})
	changed, _ := growingWorld(t, Changes{
		FailDevices: []string{"l4-1/GPU-10", "l4-3/NVIDIA-0"}, CordonDevices: []string{"l4-1/GPU-11", "mixed-1/DCU-0"}, CordonNodes: []string{"l4-1", "g5-1"},
	})
	want, _, err := plain.GroupsByLabel()
	if err != nil {
		t.Fatal(err)
	}
	got, _, _ := changed.GroupsByLabel()
	if len(want) != len(got) {
		t.Fatalf("%d groups, want %d", len(got), len(want))
	}
	for i := range want {
		for _, s := range []*GroupSpec{&want[i], &got[i]} {
			s.KeepHealth, s.KeepCordon, s.KeepUsage = true, true, true
		}
		a, partlyA, _ := plain.group(&want[i])
		b, partlyB, _ := changed.group(&got[i])
		if d := cmp.Diff(a, b); d != "" || partlyA != partlyB {
			t.Errorf("%s: %s", want[i].Name, d)
		}
	}
}

// TestProfilesLeaveInputUnchanged: nodes that count as their profile says are copies.
func TestProfilesLeaveInputUnchanged(t *testing.T) {
	w, c := growingWorld(t, Changes{CordonDevices: []string{"l4-3/NVIDIA-0"}})
	_, want := growingWorld(t, Changes{})
	ask(w)
	if _, err := w.Verify(); err != nil {
		t.Error(err)
	}
	if d := cmp.Diff(want.Nodes, c.Nodes); d != "" {
		t.Error(d)
	}
}

// TestSample: a node that has registered devices goes before one that has not, then one that is not cordoned, then by name.
func TestSample(t *testing.T) {
	w, c := growingWorld(t, Changes{})
	sample := func(names string) string {
		nodes := slices.DeleteFunc(slices.Clone(c.Nodes), func(n *corev1.Node) bool {
			return !slices.Contains(strings.Fields(names), n.Name)
		})
		if s := w.sample(nodes); s != nil {
			return s.Name
		}
		return ""
	}
	c.Nodes[0] = c.Nodes[0].DeepCopy()
	c.Nodes[0].Spec.Unschedulable = true // l4-1
	for _, x := range []struct{ want, of string }{
		{"l4-2", "l4-1 l4-2 l4-3"}, {"l4-1", "l4-1 l4-3 l4-4"}, {"l4-3", "l4-3 l4-4"}, {"", "l4-4"}, {"cpu-1", "g5-1 cpu-1"},
	} {
		if got := sample(x.of); got != x.want {
			t.Errorf("of %s: %q, want %q", x.of, got, x.want)
		}
	}
}

// TestEveryBuiltInProfileCanBeGiven: whatever the tool knows of instance types may be written to a file, changed, and given.
func TestEveryBuiltInProfileCanBeGiven(t *testing.T) {
	var p Profiles
	for _, x := range simulate.InstanceTypeProfiles() {
		text, err := x.YAML()
		if err != nil {
			t.Fatal(err)
		}
		if err := p.Add(vendors.Default(), x.Name+".yaml", text); err != nil {
			t.Error(err)
		}
	}
}
