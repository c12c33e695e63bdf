package cambricon_test

import (
	"fmt"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/accelfit/accelfit/device"
	"github.com/accelfit/accelfit/vendors/cambricon"
)

func ExampleBackend_Inventory() {
	mlus := cambricon.New(cambricon.DefaultConfig())
	node := &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: "n1"}}
	node.Status.Capacity = corev1.ResourceList{
		"cambricon.com/mlu.smlu.vcore":   resource.MustParse("150"),
		"cambricon.com/mlu.smlu.vmemory": resource.MustParse("144"), // blocks of 256 MiB
	}
	for _, card := range mlus.Inventory(node).Devices {
		fmt.Println(card.ID, card.Memory, "MiB", card.Cores, "%")
	}
	// Output:
	// n1-cambricon-mlu-0 24576 MiB 100 %
	// n1-cambricon-mlu-1 12288 MiB 50 %
}

func ExampleBackend_Request() {
	mlus := cambricon.New(cambricon.DefaultConfig())
	c := &corev1.Container{Name: "main"}
	c.Resources.Limits = corev1.ResourceList{
		"cambricon.com/vmlu": resource.MustParse("1"), "cambricon.com/mlu.smlu.vmemory": resource.MustParse("20"),
	}
	ask, err := mlus.Request(c)
	fmt.Println(ask.Nums, ask.Memory, ask.Cores, err)

	c.Resources.Limits["cambricon.com/mlu.smlu.vmemory"] = resource.MustParse("16Gi")
	_, err = mlus.Request(c)
	fmt.Println(err)
	// Output:
	// 1 5120 100 <nil>
	// invalid cambricon.com/mlu.smlu.vmemory value 16Gi in container main: must be a whole number from 0 to 8388607
}

func ExampleBackend_Describe() {
	mlus := cambricon.New(cambricon.DefaultConfig())
	model := cambricon.Models()[0]
	node := &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: "n1"}}
	card := model.Device("n1-cambricon-mlu-0", 0)
	err := mlus.Describe(node, []device.DeviceInfo{card})
	memory := node.Status.Capacity["cambricon.com/mlu.smlu.vmemory"]
	fmt.Println(memory.String(), err)

	card.NUMA = 1
	fmt.Println(mlus.Describe(node, []device.DeviceInfo{card}))
	// Output:
	// 96 <nil>
	// device n1-cambricon-mlu-0: NUMA node: cannot be described
}

func ExampleBackend_Annotate() {
	mlus := cambricon.New(cambricon.DefaultConfig())
	allocation := &device.Allocation{
		Classes: []device.ContainerClass{device.App},
		Devices: []device.ContainerDevice{{Vendor: cambricon.Vendor, ID: "n1-cambricon-mlu-1", Index: 1, Memory: 5120, Cores: 10}},
	}
	fmt.Println(mlus.Annotate(nil, nil, allocation, time.Time{})[cambricon.AnnotationProfile])
	// Output: 1_10_20
}
