package simulate

import (
	"fmt"
	"math/rand/v2"
	"reflect"
	"testing"

	"k8s.io/apimachinery/pkg/api/equality"

	"github.com/accelfit/accelfit/internal/testkit"
	"github.com/accelfit/accelfit/vendors"
)

// TestCopiesAreAsMade: new nodes that are copied from the first are those that the template makes, for templates of every
// vendor, with any options, names and pods; where they are not copied they are made.
func TestCopiesAreAsMade(t *testing.T) {
	r := rand.New(rand.NewPCG(testkit.Seed(t), 51))
	set := vendors.Default()
	copied, made := 0, 0
	for range 300 {
		m := makerOf(r, testkit.OneOf(r, set.Backends()...))
		node := m.node(t, 1+r.IntN(4))
		node.Name = testkit.OneOf(r, "n", "n.example.com", "new-00000", "", "-new-00000", `q"uote`, "ü", "a,b", "x-new-00001")
		node.Labels = map[string]string{"kubernetes.io/hostname": node.Name, "other": "x"}
		template := Template{Node: node, Options: TemplateOptions{
			KeepHealth: r.IntN(2) == 0, KeepCordon: r.IntN(2) == 0, KeepIDs: r.IntN(3) == 0, KeepUsage: r.IntN(4) == 0,
		}}
		for i := range r.IntN(3) {
			template.Pods = append(template.Pods, m.pod(fmt.Sprintf("daemon%d", i)))
		}
		first := newMould(set, &template, newName(node.Name, r.IntN(2)))
		for _, number := range []int{0, 1, 7, 99_999, 100_000, 1_234_567} {
			name := newName(node.Name, number)
			got := first.node(name)
			want, _ := first.sample.node(name)
			u := got.usage
			if u == nil {
				copied++
				u = first.first.usage.On(got.info)
			} else {
				made++
			}
			x, y := got.info, want.usage.Info()
			same := x.Name() == y.Name() && reflect.DeepEqual(x.Described(), y.Described()) && reflect.DeepEqual(u.Devices(), want.usage.Devices())
			for _, v := range x.Described() {
				same = same && reflect.DeepEqual(x.Inventory(v), y.Inventory(v))
			}
			if !same || !equality.Semantic.DeepEqual(got.object, want.object) {
				t.Fatalf("node %s of a template with %+v:\n%+v\n%s\nwant\n%+v\n%s", name, template.Options, got.object, testkit.Table(u), want.object, testkit.Table(want.usage))
			}
		}
	}
	if copied == 0 || made == 0 {
		t.Errorf("%d nodes are copied, %d made", copied, made)
	}
	t.Logf("%d nodes are copied, %d made", copied, made)
}
