package awsneuron_test

import (
	"fmt"
	"math/bits"
	"testing"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"

	"github.com/accelfit/accelfit/device"
	"github.com/accelfit/accelfit/internal/testkit"
	"github.com/accelfit/accelfit/vendors"
	"github.com/accelfit/accelfit/vendors/awsneuron"
)

func idle(tb testing.TB, set *vendors.Set, devices, cores int64, instance string) *device.NodeUsage {
	tb.Helper()
	node := &corev1.Node{}
	node.Name, node.Labels = "n", map[string]string{awsneuron.LabelInstanceType: instance}
	device.Offer(node, config.ResourceCountName, devices)
	device.Offer(node, config.ResourceCoreName, devices*cores)
	info := set.Inventory(node)
	if int64(info.Len()) != devices {
		tb.Fatal(info.Problems())
	}
	return device.NewNodeUsage(info)
}

func asking(tb testing.TB, set *vendors.Set, name string, n int64) *vendors.Request {
	tb.Helper()
	pod := &corev1.Pod{}
	c := corev1.Container{Name: "c"}
	c.Resources.Limits = corev1.ResourceList{corev1.ResourceName(name): *resource.NewQuantity(n, resource.DecimalSI)}
	pod.Spec.Containers = []corev1.Container{c}
	r, err := set.Request(pod)
	if err != nil {
		tb.Fatal(err)
	}
	return r
}

// naive is spec awsneuron §9.2 with deviation nD4.
func naive(u *device.NodeUsage, n, step int) []int {
	for from := 0; from+n <= len(u.Devices()); from += step {
		var run []int
		for i := from; i < from+n && u.Device(i).Slots == 0 && u.Device(i).Healthy; i++ {
			run = append(run, i)
		}
		if len(run) == n {
			return run
		}
	}
	return nil
}

func TestRunsAgreeWithNaive(t *testing.T) {
	set, rnd := vendors.Default(), testkit.Rand(t)
	for range 1000 {
		n, count := 2+rnd.IntN(8), int64(1+rnd.IntN(20))
		instance, step := "inf2", 1
		if rnd.IntN(2) == 0 {
			instance, step = "trn1", n
		}
		u := idle(t, set, count, 2, instance).Update(func(devices []device.DeviceUsage) {
			for i := range devices {
				if rnd.IntN(6) == 0 {
					devices[i].Slots, devices[i].Cores = 1, 1
				}
				devices[i].Healthy = rnd.IntN(20) > 0
			}
		})
		want := naive(u, n, step)
		if step > 1 && n != 4 && n != 8 {
			want = nil
		}
		var got []int
		if fit := set.Fit(asking(t, set, config.ResourceCountName, int64(n)), u); fit.OK() {
			for _, d := range fit.Allocation.Devices {
				got = append(got, d.Index)
			}
		}
		if fmt.Sprint(got) != fmt.Sprint(want) {
			t.Fatalf("%s, %d of %d devices: %v, want %v", instance, n, count, got, want)
		}
	}
}

// TestCoresAreGivenOnce fills nodes of all kinds, device by device and core by core: no core is given twice, each device with
// as many as were asked for, and in the end none is left.
func TestCoresAreGivenOnce(t *testing.T) {
	set, rnd := vendors.Default(), testkit.Rand(t)
	for k := int64(1); k <= 31; k++ {
		u := idle(t, set, 3, k, "inf")
		for free := 3 * k; free > 0; {
			n := 1 + rnd.Int64N(k)
			fit := set.Fit(asking(t, set, config.ResourceCoreName, n), u)
			if !fit.OK() {
				n, fit = 1, set.Fit(asking(t, set, config.ResourceCoreName, 1), u)
			}
			if !fit.OK() {
				t.Fatalf("%d cores each, %d free: %s", k, free, fit.Reasons)
			}
			d := fit.Allocation.Devices[0]
			i := u.Info().Find(d.Vendor, d.ID)
			if u.Device(i).Cores&d.Cores != 0 || int64(bits.OnesCount64(uint64(d.Cores))) != n || d.Cores >= 1<<k {
				t.Fatalf("%d cores wanted: %b beside %b", n, d.Cores, u.Device(i).Cores)
			}
			u, free = u.With(fit.Allocation), free-n
		}
		if fit := set.Fit(asking(t, set, config.ResourceCoreName, 1), u); fit.OK() {
			t.Fatalf("%d cores each: one more", k)
		}
	}
}

// TestShapesDiffer: one device and two cores are not the same, although they are on devices of two cores.
func TestShapesDiffer(t *testing.T) {
	set := vendors.Default()
	if a, b := asking(t, set, config.ResourceCountName, 1), asking(t, set, config.ResourceCoreName, 2); a.Shape() == b.Shape() {
		t.Error(a.Shape())
	}
}
