package vastai_test

import (
	"fmt"

	corev1 "k8s.io/api/core/v1"

	"github.com/accelfit/accelfit/device"
	"github.com/accelfit/accelfit/vendors/vastai"
)

func dies() *corev1.Node {
	node := &corev1.Node{}
	node.Name = "n1"
	node.Annotations = map[string]string{vastai.AnnotationRegister: `[
		{"id":"d0","index":0,"count":1,"devmem":32768,"type":"Vastai","health":true,"custominfo":{"DeviceStrategy":"die","AIC":"A"}},
		{"id":"d1","index":1,"count":1,"devmem":32768,"type":"Vastai","health":true,"custominfo":{"DeviceStrategy":"die","AIC":"B"}},
		{"id":"d2","index":2,"count":1,"devmem":32768,"type":"Vastai","health":true,"custominfo":{"DeviceStrategy":"die","AIC":"A"}}]`}
	return node
}

func ExampleBackend_Inventory() {
	b := vastai.New(vastai.Config{ResourceCountName: "vastaitech.com/va"})
	for _, d := range b.Inventory(dies()).Devices {
		fmt.Println(d.ID, d.Slots, d.Memory, d.Cores, string(d.CustomInfo["AIC"]))
	}
	// Output:
	// d0 1 32768 100 "A"
	// d1 1 32768 100 "B"
	// d2 1 32768 100 "A"
}

// Dies on one card make a node better; under the policy spread, where the lowest score wins, they count negatively.
func ExampleBackend_ScoreNodes() {
	b := vastai.New(vastai.Config{ResourceCountName: "vastaitech.com/va"})
	node := device.NewNodeUsage(device.NewNodeInfo("n1", b.Inventory(dies())))
	given := func(ids ...string) *device.Allocation {
		a := &device.Allocation{Classes: []device.ContainerClass{device.App}}
		for _, id := range ids {
			a.Devices = append(a.Devices, device.ContainerDevice{Vendor: vastai.Vendor, ID: id})
		}
		return a
	}
	for _, policy := range []string{"binpack", "spread"} {
		score := b.ScoreNodes(&device.PodContext{NodePolicy: policy})
		fmt.Println(policy, score(node, given("d0", "d2")), score(node, given("d0", "d1")))
	}
	// Output:
	// binpack 1 0.5
	// spread -1 -0.5
}
