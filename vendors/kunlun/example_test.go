package kunlun_test

import (
	"fmt"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/accelfit/accelfit/device"
	"github.com/accelfit/accelfit/vendors"
	"github.com/accelfit/accelfit/vendors/kunlun"
)

func config() kunlun.Config {
	return kunlun.Config{
		ResourceCountName:   "kunlunxin.com/xpu",
		ResourceVCountName:  "kunlunxin.com/vxpu",
		ResourceVMemoryName: "kunlunxin.com/vxpu-memory",
	}
}

// asking is a pod of one container with the given limits.
func asking(limits corev1.ResourceList) *corev1.Pod {
	pod := &corev1.Pod{Spec: corev1.PodSpec{Containers: []corev1.Container{{Name: "main"}}}}
	pod.Spec.Containers[0].Resources.Limits = limits
	return pod
}

// Two cards are chosen from the wing that is in use already.
func ExampleNewCards() {
	set, _ := vendors.New(kunlun.NewCards(config()))
	node := &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: "n1"}}
	node.Status.Capacity = corev1.ResourceList{"kunlunxin.com/xpu": resource.MustParse("8")}
	info := set.Inventory(node)

	used := device.NewNodeUsage(info).Update(func(cards []device.DeviceUsage) { cards[4].Slots = 1 })
	request, err := set.Request(asking(corev1.ResourceList{"kunlunxin.com/xpu": resource.MustParse("2")}))
	if err != nil {
		fmt.Println(err)
		return
	}
	fit := set.Fit(request, used)
	for _, d := range fit.Allocation.Devices {
		fmt.Println(d.ID, d.Memory, d.Cores)
	}
	// Output:
	// n1-kunlun-5 98304 100
	// n1-kunlun-6 98304 100
}

// Admission rounds memory up to a part of a card.
func ExampleVirtualCards_Admit() {
	b := kunlun.NewVirtualCards(config())
	pod := asking(corev1.ResourceList{
		"kunlunxin.com/vxpu": resource.MustParse("1"), "kunlunxin.com/vxpu-memory": resource.MustParse("30000"),
	})
	c := &pod.Spec.Containers[0]
	admitted, err := b.Admit(pod, c)
	memory := c.Resources.Limits["kunlunxin.com/vxpu-memory"]
	fmt.Println(admitted.Mine, memory.Value(), err)
	fmt.Println(admitted.Warnings)
	ask, _ := b.Request(c)
	fmt.Println(ask.Memory, ask.Cores)
	// Output:
	// true 49152 <nil>
	// [container main: kunlunxin.com/vxpu-memory 30k becomes 49152, a part of a card]
	// 49152 50
}

// The node tells how many cards it has, and nothing else of them.
func ExampleCards_Describe() {
	b := kunlun.NewCards(config())
	node := &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: "n1"}}
	cards := []device.DeviceInfo{{ID: "n1-kunlun-0", Type: "kunlun", Slots: 100, Memory: 98304, Cores: 100, NUMA: 1, Healthy: true}}
	fmt.Println(b.Describe(node, cards))
	n, _ := device.Capacity(node, "kunlunxin.com/xpu")
	fmt.Println(n, b.Inventory(node).Devices[0].ID)

	cards[0].Memory = 32768
	fmt.Println(b.Describe(node, cards) != nil)
	// Output:
	// <nil>
	// 1 n1-kunlun-0
	// true
}

// The indexes of the last container with cards are written.
func ExampleCards_Annotate() {
	b := kunlun.NewCards(config())
	node := &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: "n1"}}
	node.Status.Capacity = corev1.ResourceList{"kunlunxin.com/xpu": resource.MustParse("8")}
	allocation := &device.Allocation{
		Classes: []device.ContainerClass{device.App, device.App},
		Devices: []device.ContainerDevice{
			{Container: 0, Vendor: kunlun.Vendor, ID: "n1-kunlun-0"},
			{Container: 1, Vendor: kunlun.Vendor, ID: "n1-kunlun-2"},
			{Container: 1, Vendor: kunlun.Vendor, ID: "n1-kunlun-3"},
		},
	}
	info := device.NewNodeInfo("n1", b.Inventory(node))
	fmt.Println(b.Annotate(asking(nil), info, allocation, time.Time{}))
	// Output: map[BAIDU_COM_DEVICE_IDX:2,3]
}

// TestNegativeIndexServesNobody: a description made by hand may number a card below 0; it is left out, and nothing else happens.
func TestNegativeIndexServesNobody(t *testing.T) {
	set := vendors.Default()
	inv := device.Inventory{Vendor: kunlun.Vendor}
	for i := range 3 {
		inv.Devices = append(inv.Devices, device.DeviceInfo{
			ID: fmt.Sprint("c", i), Index: i - 1, Slots: 100, Memory: 98304, Cores: 100, Type: "kunlun", Healthy: true,
		})
	}
	node := device.NewNodeUsage(device.NewNodeInfo("n1", inv))
	pod := &corev1.Pod{Spec: corev1.PodSpec{Containers: []corev1.Container{{Name: "c"}}}}
	pod.Spec.Containers[0].Resources.Limits = corev1.ResourceList{"kunlunxin.com/xpu": resource.MustParse("2")}
	r, err := set.Request(pod)
	if err != nil {
		t.Fatal(err)
	}
	fit := set.Fit(r, node)
	if !fit.OK() || fit.Allocation.Devices[0].ID != "c1" || fit.Allocation.Devices[1].ID != "c2" {
		t.Errorf("%+v", fit)
	}
}
