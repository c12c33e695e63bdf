package ascend_test

import (
	"fmt"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"

	"github.com/accelfit/accelfit/device"
	"github.com/accelfit/accelfit/vendors/ascend"
)

func chip() ascend.Chip {
	return ascend.Chip{
		CommonWord: "Ascend910B3", ResourceName: "huawei.com/Ascend910B3", ResourceMemoryName: "huawei.com/Ascend910B3-memory",
		MemoryAllocatable: 65536, MemoryCapacity: 65536,
		Templates: []ascend.Template{{Name: "vir10_3c_32g", Memory: 32768}, {Name: "vir05_1c_16g", Memory: 16384}},
	}
}

func ExampleNew() {
	chips, err := ascend.New(ascend.Config{Configs: []ascend.Chip{chip()}})
	if err != nil {
		fmt.Println(err)
		return
	}
	pod := &corev1.Pod{Spec: corev1.PodSpec{Containers: []corev1.Container{{Name: "c"}}}}
	c := &pod.Spec.Containers[0]
	c.Resources.Limits = corev1.ResourceList{
		"huawei.com/Ascend910B3": resource.MustParse("1"), "huawei.com/Ascend910B3-memory": resource.MustParse("5000"),
	}
	answer, err := chips[0].Admit(pod, c)
	memory := c.Resources.Limits["huawei.com/Ascend910B3-memory"]
	fmt.Println(answer.Mine, memory.String(), err)

	_, err = ascend.New(ascend.Config{Configs: []ascend.Chip{chip(), chip()}})
	fmt.Println(err)
	// Output:
	// true 16384 <nil>
	// vnpus: configs[1].commonWord: Ascend910B3: another chip has it
}

func ExampleBackend_Annotate() {
	chips, _ := ascend.New(ascend.Config{Configs: []ascend.Chip{chip()}})
	allocation := &device.Allocation{
		Classes: []device.ContainerClass{device.App},
		Devices: []device.ContainerDevice{{Vendor: "Ascend910B3", ID: "npu-0", Memory: 16384}},
	}
	written := chips[0].Annotate(&corev1.Pod{}, nil, allocation, time.Unix(1767225600, 0))
	fmt.Println(written["huawei.com/Ascend910B3"])
	fmt.Println(written[ascend.AnnotationPredicateTime])
	// Output:
	// [{"UUID":"npu-0","temp":"vir05_1c_16g","memory":16384}]
	// 1767225600
}
