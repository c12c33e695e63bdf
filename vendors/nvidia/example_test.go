package nvidia_test

import (
	"fmt"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"

	"github.com/accelfit/accelfit/vendors/nvidia"
)

func ExampleNew() {
	config := nvidia.DefaultConfig()
	config.MemoryFactor = 1024 // nvidia.com/gpumem counts GiB
	b, err := nvidia.New(config)
	if err != nil {
		fmt.Println(err)
		return
	}
	c := &corev1.Container{Name: "c"}
	c.Resources.Limits = corev1.ResourceList{"nvidia.com/gpu": resource.MustParse("2"), "nvidia.com/gpumem": resource.MustParse("4")}
	ask, err := b.Request(c)
	fmt.Println(ask.Nums, ask.Memory, err)

	config.DefaultCores = -1
	_, err = nvidia.New(config)
	fmt.Println(err)
	// Output:
	// 2 4096 <nil>
	// nvidia: defaultCores: must not be negative: -1
}

func ExampleBackend_Inventory() {
	b, _ := nvidia.New(nvidia.DefaultConfig())
	node := &corev1.Node{}
	node.Annotations = map[string]string{nvidia.AnnotationRegister: `[{"id":"GPU-0","count":10,"devmem":23034,"devcore":100,"health":true}]`}
	inv := b.Inventory(node)
	fmt.Println(inv.Devices[0].ID, inv.Devices[0].Memory, inv.Err)

	node.Annotations[nvidia.AnnotationRegister] = `[{"id":"GPU-0","devmem":1.5}]`
	fmt.Println(b.Inventory(node).Err)
	// Output:
	// GPU-0 23034 <nil>
	// hami.io/node-nvidia-register: device 0: devmem: number 1.5 is not a whole number in range
}

func ExampleBackend_Admit() {
	b, _ := nvidia.New(nvidia.DefaultConfig())
	pod := &corev1.Pod{Spec: corev1.PodSpec{Containers: []corev1.Container{{Name: "c"}}}}
	c := &pod.Spec.Containers[0]
	c.Resources.Limits = corev1.ResourceList{"nvidia.com/gpumem": resource.MustParse("4000")}
	mine, err := b.Admit(pod, c)
	cards := c.Resources.Limits["nvidia.com/gpu"]
	fmt.Println(mine, cards.String(), err)
	// Output: true 1 <nil>
}
