package vendors_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/accelfit/accelfit/device"
	"github.com/accelfit/accelfit/internal/testkit"
	"github.com/accelfit/accelfit/vendors"
)

// TestEveryModelCanBeDescribed: a node of eight equal devices of any model that a vendor's package knows can be described, and
// reads as such; every backend has a model.
func TestEveryModelCanBeDescribed(t *testing.T) {
	for _, b := range vendors.Default().Backends() {
		models := testkit.ModelsOf(b.Vendor())
		if len(models) == 0 {
			t.Errorf("%s: no model", b.Vendor())
		}
		for _, m := range models {
			devices := testkit.UsualDevices(b, &m, 8)
			node, err := testkit.Described(b, &m, 8)
			if err != nil {
				t.Errorf("%s: %s: %v", b.Vendor(), m.Name, err)
				continue
			}
			mustRead(t, b, node, devices)
		}
	}
}

// mustRead compares what a backend reads of a node with devices it was described by. What of them only the backend says is
// taken from there: the vendor words.
func mustRead(t *testing.T, b device.Backend, node *corev1.Node, devices []device.DeviceInfo) {
	t.Helper()
	inv := b.Inventory(node)
	for i := range inv.Devices {
		inv.Devices[i].Vendor, inv.Devices[i].ScoredAs = "", ""
	}
	for i := range devices {
		devices[i].Vendor, devices[i].ScoredAs = "", ""
	}
	if got, want := testkit.DevicesText(inv.Devices), testkit.DevicesText(devices); got != want || inv.Err != nil || len(inv.Problems) > 0 {
		t.Errorf("%s: described\n%sread\n%s%v %v", b.Vendor(), want, got, inv.Err, inv.Problems)
	}
}

// TestDescribeIsTheInverseOfInventory: random devices read as they were described, unless the backend says what of them it
// cannot describe.
func TestDescribeIsTheInverseOfInventory(t *testing.T) {
	rnd := testkit.Rand(t)
	for _, b := range vendors.Default().Backends() {
		described := 0
		for range 300 {
			m := testkit.OneOf(rnd, testkit.ModelsOf(b.Vendor())...)
			devices := testkit.UsualDevices(b, &m, 1+rnd.IntN(9))
			change(rnd, devices, rnd.IntN(4))
			node := &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: "n"}}
			if b.Describe(node, devices) == nil {
				described++
				mustRead(t, b, node, devices)
			}
		}
		if described == 0 || described == 300 {
			t.Errorf("%s: %d of 300 nodes could be described", b.Vendor(), described)
		}
	}
}

// change makes devices differ: not at all, in what every agent tells, in what many cannot, or in what none can.
func change(rnd *rand.Rand, devices []device.DeviceInfo, how int) {
	for i := range devices {
		d := &devices[i]
		if how >= 1 {
			d.Healthy, d.NUMA = rnd.IntN(4) > 0, rnd.IntN(3)
		}
		if how >= 2 {
			d.ID, d.Index = fmt.Sprintf("x%d", rnd.IntN(30)), rnd.IntN(20)
			d.Slots, d.Memory, d.Cores = rnd.Int64N(12), rnd.Int64N(1<<20), rnd.Int64N(200)
			d.Type, d.Mode = testkit.OneOf(rnd, d.Type, "x"), testkit.OneOf(rnd, "", "hami-core")
		}
		if how == 3 {
			d.Memory, d.Type = rnd.Int64N(1<<33), testkit.OneOf(rnd, d.Type, "a,b", "a:b")
			d.ID += testkit.OneOf(rnd, "", ",", ";")
		}
	}
}
