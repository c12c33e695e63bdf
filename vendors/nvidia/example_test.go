package nvidia_test

import (
	"fmt"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/accelfit/accelfit/device"
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
	answer, err := b.Admit(pod, c)
	cards := c.Resources.Limits["nvidia.com/gpu"]
	fmt.Println(answer.Mine, cards.String(), err)
	// Output: true 1 <nil>
}

func ExampleBackend_Request() {
	gpus, _ := nvidia.New(nvidia.DefaultConfig())
	c := corev1.Container{Name: "main", Resources: corev1.ResourceRequirements{Limits: corev1.ResourceList{
		"nvidia.com/gpu": resource.MustParse("2"), "nvidia.com/gpumem": resource.MustParse("3k"),
	}}}
	ask, err := gpus.Request(&c)
	fmt.Println(ask.Nums, ask.Memory, ask.Cores, err)

	c.Resources.Limits["nvidia.com/gpumem"] = resource.MustParse("16Gi")
	_, err = gpus.Request(&c)
	fmt.Println(err)
	// Output:
	// 2 3000 0 <nil>
	// invalid nvidia.com/gpumem value 16Gi in container main: must be a whole number from 0 to 2147483647
}

func ExampleBackend_Plan() {
	gpus, _ := nvidia.New(nvidia.DefaultConfig())
	pod := device.PodContext{Annotations: map[string]string{nvidia.AnnotationUseType: "L4", nvidia.AnnotationMode: "hami-core"}}
	plan := gpus.Plan(&pod, device.ContainerRequest{Vendor: nvidia.Vendor, Nums: 1, Memory: 1000, Cores: 20})
	for _, rule := range plan.Rules.Rules() {
		fmt.Println(rule.Code)
	}
	// Output:
	// CardNotHealth
	// CardCordoned
	// CardTypeMismatch
	// CardTypeMismatch
	// CardTimeSlicingExhausted
	// ResourceQuotaNotFit
	// CardInsufficientMemory
	// CardInsufficientCore
}

func ExampleBackend_Health() {
	gpus, _ := nvidia.New(nvidia.DefaultConfig())
	node := &corev1.Node{ObjectMeta: metav1.ObjectMeta{Annotations: map[string]string{
		nvidia.AnnotationHandshake: "Requesting_2026-01-01T12:00:00Z",
	}}}
	now := time.Date(2026, 1, 1, 12, 2, 0, 0, time.UTC) // nobody has answered for two minutes
	fmt.Println("no cards offered:", gpus.Health(device.HealthInput{Node: node, Now: now}).Healthy)

	node.Status.Allocatable = corev1.ResourceList{"nvidia.com/gpu": resource.MustParse("20")}
	answer := gpus.Health(device.HealthInput{Node: node, Now: now})
	fmt.Println("20 slots offered:", answer.Healthy, answer.Remember.Allocatable)
	// Output:
	// no cards offered: false
	// 20 slots offered: true 20
}

func ExampleBackend_Names() {
	gpus, _ := nvidia.New(nvidia.DefaultConfig())
	names := gpus.Names()
	fmt.Println(gpus.Vendor(), names.Count, names.Memory, names.Percent, names.Cores, names.Others)
	// Output:
	// NVIDIA nvidia.com/gpu nvidia.com/gpumem nvidia.com/gpumem-percentage nvidia.com/gpucores [nvidia.com/priority]
}

func ExampleBackend_Annotate() {
	gpus, _ := nvidia.New(nvidia.DefaultConfig())
	allocation := &device.Allocation{
		Classes: []device.ContainerClass{device.App},
		Devices: []device.ContainerDevice{{
			Vendor: nvidia.Vendor, ID: "m0", Memory: 9856, Cores: 29,
			MIG: device.MIGInstance{Profile: "2g.10gb", Placement: device.Placement{Start: 0, Size: 2}},
		}},
	}
	fmt.Println(gpus.Annotate(&corev1.Pod{}, nil, allocation, time.Time{})[nvidia.AnnotationMIG])
	// Output:
	// [{"containerIndex":0,"deviceIndex":0,"gpuUUID":"m0","profile":"2g.10gb","placement":{"start":0,"size":2}}]
}
