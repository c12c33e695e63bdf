package metax_test

import (
	"fmt"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/accelfit/accelfit/device"
	"github.com/accelfit/accelfit/vendors/metax"
)

func chart() metax.Config {
	return metax.Config{
		ResourceCountName: "metax-tech.com/gpu", ResourceVCountName: "metax-tech.com/sgpu",
		ResourceVMemoryName: "metax-tech.com/vmemory", ResourceVCoreName: "metax-tech.com/vcore",
	}
}

func ExampleBackends() {
	models, err := metax.Backends(chart())
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, b := range models {
		n := b.Names()
		fmt.Printf("%s %q\n", b.Vendor(), []string{n.Count, n.Memory, n.Cores})
	}
	// Output:
	// Metax-GPU ["metax-tech.com/gpu" "" ""]
	// Metax-SGPU ["metax-tech.com/sgpu" "metax-tech.com/vmemory" "metax-tech.com/vcore"]
}

func ExampleGPU_Inventory() {
	gpus := metax.NewGPU(chart())
	node := &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: "n1"}}
	fmt.Println(gpus.Inventory(node).Err)

	node.Status.Capacity = corev1.ResourceList{"metax-tech.com/gpu": resource.MustParse("2")}
	for _, d := range gpus.Inventory(node).Devices {
		fmt.Println(d.ID, d.Memory, d.Cores)
	}
	// Output:
	// no device description: device not found metax-tech.com/gpu
	// n1-metax-0 65536 100
	// n1-metax-1 65536 100
}

func ExampleSGPU_Request() {
	gpus := metax.NewSGPU(chart())
	for _, memory := range []string{"4", "4Gi", "1k", "512Ki"} {
		c := corev1.Container{Name: "main", Resources: corev1.ResourceRequirements{Limits: corev1.ResourceList{
			"metax-tech.com/sgpu": resource.MustParse("1"), "metax-tech.com/vmemory": resource.MustParse(memory),
		}}}
		ask, err := gpus.Request(&c)
		fmt.Println(ask.Memory, ask.Cores, err)
	}
	// Output:
	// 4096 100 <nil>
	// 4096 100 <nil>
	// 1024000 100 <nil>
	// 0 0 invalid metax-tech.com/vmemory value 512Ki in container main: must be a whole number of GiB up to 2097151, or of bytes from 1Mi to 2147483647Mi
}

func ExampleSGPU_Admit() {
	gpus := metax.NewSGPU(chart())
	pod := &corev1.Pod{Spec: corev1.PodSpec{Containers: []corev1.Container{{Name: "main"}}}}
	c := &pod.Spec.Containers[0]
	c.Resources.Limits = corev1.ResourceList{"metax-tech.com/sgpu": resource.MustParse("1")}
	answer, err := gpus.Admit(pod, c)
	fmt.Println(answer.Mine, pod.Annotations[metax.AnnotationQoS], err)

	pod.Annotations[metax.AnnotationAppClass] = "batch"
	_, err = gpus.Admit(pod, c)
	fmt.Println(err)
	// Output:
	// true best-effort <nil>
	// metax-tech.com/sgpu-app-class must be set one of [online, offline]
}

func ExampleSGPU_Describe() {
	gpus := metax.NewSGPU(chart())
	card := metax.Models()[1].Device("GPU-0", 0)
	node := &corev1.Node{}
	err := gpus.Describe(node, []device.DeviceInfo{card})
	offered := node.Status.Allocatable["metax-tech.com/sgpu"]
	fmt.Println(node.Annotations[metax.AnnotationRegister], offered.String(), err)

	card.Mode = "mig"
	fmt.Println(gpus.Describe(node, []device.DeviceInfo{card}))
	// Output:
	// [{"uuid":"GPU-0","totalDevCount":16,"totalCompute":100,"totalVRam":65536,"healthy":true}] 16 <nil>
	// device GPU-0: mode: cannot be described
}

func ExampleSGPU_Annotate() {
	gpus := metax.NewSGPU(chart())
	allocation := &device.Allocation{
		Classes: []device.ContainerClass{device.App, device.App},
		Devices: []device.ContainerDevice{{Container: 1, Vendor: metax.VendorSGPU, ID: "GPU-0", Memory: 4096, Cores: 60}},
	}
	written := gpus.Annotate(&corev1.Pod{}, nil, allocation, time.Unix(1, 0))
	fmt.Println(written[metax.AnnotationGrants], written[metax.AnnotationPredicateTime])
	// Output:
	// [[],[{"uuid":"GPU-0","compute":60,"vRam":4096}]] 1000000000
}
