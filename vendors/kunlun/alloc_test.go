//go:build !race

package kunlun_test // the race detector makes pools allocate

import (
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/accelfit/accelfit/device"
	"github.com/accelfit/accelfit/vendors"
	"github.com/accelfit/accelfit/vendors/kunlun"
)

// TestAllocations: refusing a node allocates nothing; accepting it at most twice.
func TestAllocations(t *testing.T) {
	backends, _ := kunlun.Backends(config())
	set, err := vendors.New(backends...)
	if err != nil {
		t.Fatal(err)
	}
	node := &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: "n"}}
	device.Offer(node, "kunlunxin.com/xpu", 8)
	var parts []device.DeviceInfo
	for i, m := 0, kunlun.Models()[1]; i < 8; i++ {
		parts = append(parts, m.Device(strings.Repeat("x", i+1), i))
	}
	if err := kunlun.NewVirtualCards(config()).Describe(node, parts); err != nil {
		t.Fatal(err)
	}
	idle := device.NewNodeUsage(set.Inventory(node))
	shared := idle.Update(func(cards []device.DeviceUsage) {
		for i := range cards {
			cards[i].Take(device.Hold{Slots: 1, Memory: 24576, Cores: 25})
		}
	})
	low := map[device.Vendor]device.Headroom{kunlun.VendorVirtual: {Memory: device.Limit{Left: 24575, Set: true}}}
	for _, c := range []struct {
		name, limits string // resource=amount …
		policy       string
		node         *device.NodeUsage
		quota        map[device.Vendor]device.Headroom
		fits         bool
	}{
		{"one", "xpu=1", "", idle, nil, true},
		{"four", "xpu=4", "", idle, nil, true},
		{"eight", "xpu=8", "", idle, nil, true},
		{"three", "xpu=3", "", idle, nil, false},
		{"busy", "xpu=1", "", shared, nil, false},
		{"quarter", "vxpu=1 vxpu-memory=1", "", shared, nil, true},
		{"quarters", "vxpu=4 vxpu-memory=1", "binpack", shared, nil, true},
		{"half", "vxpu=1 vxpu-memory=40000", "", shared, nil, false},
		{"mutex", "vxpu=1 vxpu-memory=1", "mutex", shared, nil, false},
		{"quota", "vxpu=1 vxpu-memory=1", "", shared, low, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			limits := corev1.ResourceList{}
			for word := range strings.FieldsSeq(c.limits) {
				name, amount, _ := strings.Cut(word, "=")
				limits[corev1.ResourceName("kunlunxin.com/"+name)] = resource.MustParse(amount)
			}
			pod := asking(limits)
			pod.Annotations = map[string]string{device.AnnotationDevicePolicy: c.policy}
			r, err := set.Request(pod)
			if err != nil {
				t.Fatal(err)
			}
			r = r.WithQuota(c.quota)
			if fit := set.Fit(r, c.node); fit.OK() != c.fits {
				t.Fatalf("fits %t: %s", fit.OK(), fit.Reasons)
			}
			most := map[bool]float64{true: 2}[c.fits]
			if n := testing.AllocsPerRun(100, func() { set.Fit(r, c.node) }); n > most {
				t.Errorf("%v allocations, at most %v", n, most)
			}
		})
	}
}
