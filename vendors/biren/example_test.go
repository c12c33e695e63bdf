package biren_test

import (
	"fmt"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/accelfit/accelfit/device"
	"github.com/accelfit/accelfit/vendors/biren"
)

func ExampleBackend_Describe() {
	cards := biren.New(biren.Config{ResourceCountName: "birentech.com/gpu"})
	model := biren.Models()[0]
	node := &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: "n"}}
	err := cards.Describe(node, []device.DeviceInfo{model.Device("b0", 0), model.Device("b1", 1)})
	offered := node.Status.Capacity["birentech.com/gpu"]
	fmt.Println(len(cards.Inventory(node).Devices), offered.String(), err)

	model.Cores = 50
	fmt.Println(cards.Describe(node, []device.DeviceInfo{model.Device("b0", 0)}))
	// Output:
	// 2 4 <nil>
	// device b0: cores: cannot be described
}

// Deviation bD2: what is read of a node and given out shares nothing that can change.
func ExampleBackend_Inventory() {
	cards := biren.New(biren.Config{ResourceCountName: "birentech.com/gpu"})
	node := &corev1.Node{}
	device.Annotate(node, biren.AnnotationRegister, `[{"id":"b0","count":1,"health":true,"custominfo":{"k":"v"}}]`)
	inv := cards.Inventory(node)
	info := device.NewNodeInfo("n", inv)
	inv.Devices[0].CustomInfo["k"][1] = 'x'
	fmt.Printf("%s, was %s\n", inv.Devices[0].CustomInfo["k"], info.Device(0).CustomInfo["k"])
	// Output: "x", was "v"
}
