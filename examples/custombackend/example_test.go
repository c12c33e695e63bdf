package nimbus_test

import (
	"fmt"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"example.com/nimbus"
	"github.com/accelfit/accelfit/usage"
	"github.com/accelfit/accelfit/vendors"
)

// mixed has an NVIDIA GPU and three NPUs, as their node agents register them.
func mixed() *corev1.Node {
	return &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: "n1", Annotations: map[string]string{
		"hami.io/node-nvidia-register": `[
			{"id":"GPU-0","count":10,"devmem":23034,"devcore":100,"type":"NVIDIA-NVIDIA L4","mode":"hami-core","health":true}]`,
		nimbus.AnnotationRegister: `[
			{"id":"NPU-0","index":0,"count":4,"devmem":32768,"devcore":100,"type":"Nimbus N1","mode":"shared","health":true},
			{"id":"NPU-1","index":1,"count":4,"devmem":32768,"devcore":100,"type":"Nimbus N1","mode":"shared","health":true},
			{"id":"NPU-2","index":2,"count":4,"devmem":32768,"devcore":100,"type":"Nimbus N1","mode":"shared","health":true}]`,
	}}}
}

// The model stands beside the built-in ones: a pod may ask for devices of several vendors.
func Example_besideBuiltInVendors() {
	mine := nimbus.New(nimbus.Config{})
	set, err := vendors.New(append(vendors.Default().Backends(), mine)...)
	if err != nil {
		fmt.Println(err)
		return
	}
	node, _ := usage.Node(set, mixed(), nil)
	both := pod("2 16000 0")
	both.Spec.Containers[0].Resources.Limits["nvidia.com/gpu"] = resource.MustParse("1")
	request, err := set.Request(both)
	if err != nil {
		fmt.Println(err)
		return
	}

	fit := set.Fit(request, node)
	for _, d := range fit.Allocation.Devices {
		fmt.Println(d.Vendor, d.ID, d.Memory, "MiB")
	}
	fmt.Println(set.Annotations(both, node.Info(), fit.Allocation, time.Time{})[nimbus.AnnotationAllocated])

	fmt.Println(set.Fit(request, node.With(fit.Allocation)).Reasons)
	// Output:
	// NVIDIA GPU-0 23034 MiB
	// Nimbus NPU-0 16000 MiB
	// Nimbus NPU-1 16000 MiB
	// NPU-0,Nimbus,16000,0:NPU-1,Nimbus,16000,0:;
	// 1/1 CardInsufficientMemory
}

func ExampleBackend_Request() {
	mine := nimbus.New(nimbus.Config{})
	ask, err := mine.Request(&pod("2 16000 25").Spec.Containers[0])
	fmt.Println(ask.Nums, ask.Memory, ask.Cores, err)

	_, err = mine.Request(&pod("9 0 0").Spec.Containers[0])
	fmt.Println(err)
	// Output:
	// 2 16000 25 <nil>
	// invalid nimbus.example/npu value 9 in container c: more than a board has
}

func ExampleBackend_Admit() {
	c := &corev1.Container{Name: "c"}
	c.Resources.Limits = corev1.ResourceList{"nimbus.example/npu-memory": resource.MustParse("8000")}
	admitted, err := nimbus.New(nimbus.Config{}).Admit(&corev1.Pod{}, c)
	npus := c.Resources.Limits["nimbus.example/npu"]
	fmt.Println(admitted.Mine, npus.String(), err)
	// Output: true 1 <nil>
}
