package simulate_test

import (
	"fmt"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/accelfit/accelfit/simulate"
	"github.com/accelfit/accelfit/vendors"
)

// A group that has no node: its provider's bare node, and a profile. Every new node registers what it stands for.
func ExampleTemplate_profile() {
	set := vendors.Default()
	profile, err := simulate.ProfileOfModels("l4", 4, "NVIDIA L4")
	if err != nil {
		panic(err)
	}
	bare := &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: "l4"}}
	var pods []*corev1.Pod
	for i := range 10 {
		pods = append(pods, examplePod(fmt.Sprintf("p%d", i), "20000"))
	}
	answer := simulate.Estimate(set, simulate.Template{Node: bare, Profile: &profile}, pods, simulate.Limits{})
	fmt.Println(len(answer.Nodes), "nodes")
	fmt.Println(answer.Notes[0])
	fmt.Println(set.Inventory(answer.Nodes[0].Object).Device(0).ID)
	// Output:
	// 3 nodes
	// node l4: devices assumed from device profile l4
	// l4-new-00000/NVIDIA-0
}

// A template whose node has neither description nor profile, but names a machine that is known.
func ExampleInstanceTypeProfile() {
	bare := &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: "g5", Labels: map[string]string{"node.kubernetes.io/instance-type": "g5.12xlarge"}}}
	answer := simulate.Estimate(vendors.Default(), simulate.Template{Node: bare}, []*corev1.Pod{examplePod("p", "20000")}, simulate.Limits{})
	fmt.Println(answer.Notes[0])
	p, known := simulate.InstanceTypeProfile("g5.12xlarge")
	fmt.Println(p.Devices[0].Count, p.Devices[0].Model, known)
	// Output:
	// node g5: devices assumed from instance type g5.12xlarge
	// 4 NVIDIA A10G true
}

// Errors name line and field.
func ExampleParseProfiles() {
	_, err := simulate.ParseProfiles([]byte(`apiVersion: accelfit.dev/v1alpha1
kind: DeviceProfile
metadata:
  name: l4
match:
  nodeGroups: [l4]
devices:
- vendor: NVIDIA
  model: NVIDIA L4
  count: 4
  numa: [0, 0, 1, 1]
  memoryMiB: 40Gi
`))
	fmt.Println(err)
	// Output: line 12: devices[0].memoryMiB: want a whole number, have "40Gi"
}

func ExampleProfileFromNode() {
	node := exampleNode("n1")
	node.Annotations["hami.io/device-cordon"] = "GPU-1"
	profile, dropped := simulate.ProfileFromNode(vendors.Default(), node)
	for _, d := range dropped {
		fmt.Println("dropped:", d)
	}
	text, err := profile.YAML()
	if err != nil {
		panic(err)
	}
	fmt.Print(string(text))
	// Output:
	// dropped: NVIDIA: ids of 2 devices
	// dropped: NVIDIA: device GPU-1: cordoned
	// apiVersion: accelfit.dev/v1alpha1
	// devices:
	// - cores: 100
	//   count: 2
	//   memoryMiB: 10000
	//   mode: hami-core
	//   model: NVIDIA-NVIDIA L4
	//   numa: 0
	//   slots: 10
	//   vendor: NVIDIA
	// kind: DeviceProfile
	// metadata:
	//   name: n1
}

// A node that has joined counts as its profile says until it registers.
func ExampleUpcoming() {
	set := vendors.Default()
	profile, _ := simulate.ProfileOfModels("l4", 2, "NVIDIA L4")
	joined := &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: "l4-7f9c"}}
	upcoming, note, err := simulate.Upcoming(set, &profile, joined)
	fmt.Println(set.Inventory(upcoming).Len(), note, err)
	// Output: 2 node l4-7f9c: devices not registered yet, assumed from device profile l4 <nil>
}

func ExampleProfile_Verify() {
	set := vendors.Default()
	profile, _ := simulate.ProfileOfModels("l4", 2, "NVIDIA L4")
	node := &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: "n1", Annotations: map[string]string{
		"hami.io/node-nvidia-register": `[
			{"id":"GPU-0","index":0,"count":10,"devmem":23034,"devcore":100,"type":"NVIDIA L4","mode":"hami-core","health":false}]`,
	}}}
	drifts, err := profile.Verify(set, node)
	if err != nil {
		panic(err)
	}
	for _, d := range drifts {
		fmt.Println(d)
	}
	// Output:
	// error: NVIDIA device GPU-0 (index 0): health: want healthy, have unhealthy
	// error: NVIDIA index 1: missing device NVIDIA L4
}
