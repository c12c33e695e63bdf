package mthreads_test

import (
	"fmt"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"

	"github.com/accelfit/accelfit/device"
	"github.com/accelfit/accelfit/vendors/mthreads"
)

func limits(amounts map[string]string) corev1.ResourceRequirements {
	list := corev1.ResourceList{}
	for name, n := range amounts {
		list[corev1.ResourceName("mthreads.com/"+name)] = resource.MustParse(n)
	}
	return corev1.ResourceRequirements{Limits: list}
}

func ExampleBackend_Request() {
	gpus := mthreads.New(mthreads.DefaultConfig())
	c := &corev1.Container{Name: "main", Resources: limits(map[string]string{"vgpu": "2", "sgpu-memory": "64", "sgpu-core": "8"})}
	ask, err := gpus.Request(c)
	fmt.Println(ask.Nums, "cards,", ask.Memory, "MiB and", ask.Cores, "cores of each", err)
	// Output: 2 cards, 16384 MiB and 4 cores of each <nil>
}

func ExampleBackend_Admit() {
	gpus := mthreads.New(mthreads.DefaultConfig())
	pod := &corev1.Pod{Spec: corev1.PodSpec{Containers: []corev1.Container{
		{Name: "main", Resources: limits(map[string]string{"vgpu": "2", "sgpu-memory": "64"})},
	}}}
	c := &pod.Spec.Containers[0]
	answer, err := gpus.Admit(pod, c)
	memory, cores := c.Resources.Limits["mthreads.com/sgpu-memory"], c.Resources.Limits["mthreads.com/sgpu-core"]
	fmt.Println(answer.Mine, memory.String(), cores.String(), pod.Annotations[mthreads.AnnotationRequested], err)
	fmt.Println(answer.Warnings)
	// Output:
	// true 192 32 2 <nil>
	// [container main: mthreads.com/sgpu-memory 64 is replaced by 192, for 2 whole cards]
}

func ExampleBackend_Annotate() {
	gpus := mthreads.New(mthreads.DefaultConfig())
	node := device.NewNodeInfo("n1")
	allocation := &device.Allocation{
		Classes: []device.ContainerClass{device.App},
		Devices: []device.ContainerDevice{
			{Vendor: mthreads.Vendor, ID: "n1-mthreads-1", Index: 1}, {Vendor: mthreads.Vendor, ID: "n1-mthreads-0", Index: 0},
		},
	}
	notes := gpus.Annotate(nil, node, allocation, time.Unix(1, 0))
	for _, key := range gpus.Names().Writes {
		fmt.Println(key, notes[key])
	}
	// Output:
	// mthreads.com/gpu-index 1,0
	// mthreads.com/predicate-time 1000000000
	// mthreads.com/predicate-node n1
}
