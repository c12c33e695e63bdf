package awsneuron_test

import (
	"fmt"
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/accelfit/accelfit/device"
	"github.com/accelfit/accelfit/vendors/awsneuron"
)

var config = awsneuron.Config{ResourceCountName: "aws.amazon.com/neuron", ResourceCoreName: "aws.amazon.com/neuroncore"}

// inferentia1 has two devices of four cores.
func inferentia1() *corev1.Node {
	return &corev1.Node{
		ObjectMeta: metav1.ObjectMeta{Name: "n1", Labels: map[string]string{awsneuron.LabelInstanceType: "inf1.2xlarge"}},
		Status: corev1.NodeStatus{Capacity: corev1.ResourceList{
			"aws.amazon.com/neuron": resource.MustParse("2"), "aws.amazon.com/neuroncore": resource.MustParse("8"),
		}},
	}
}

func ExampleBackend_Inventory() {
	for _, d := range awsneuron.New(config).Inventory(inferentia1()).Devices {
		fmt.Printf("%s: %d slots, cores %b\n", d.ID, d.Slots, d.Cores)
	}
	// Output:
	// n1-AWSNeuron-0: 4 slots, cores 1111
	// n1-AWSNeuron-1: 4 slots, cores 1111
}

func ExampleBackend_Request() {
	b := awsneuron.New(config)
	for _, limits := range []corev1.ResourceList{
		{"aws.amazon.com/neuron": resource.MustParse("1")},
		{"aws.amazon.com/neuroncore": resource.MustParse("2")},
		{"aws.amazon.com/neuroncore": resource.MustParse("33")},
	} {
		c := &corev1.Container{Name: "main", Resources: corev1.ResourceRequirements{Limits: limits}}
		ask, err := b.Request(c)
		if err != nil {
			fmt.Println(err)
			continue
		}
		fmt.Println(ask.Nums, "device of", ask.Cores, "cores; cores asked for:", ask.CoresInAll)
	}
	// Output:
	// 1 device of 2 cores; cores asked for: 0
	// 1 device of 2 cores; cores asked for: 2
	// invalid aws.amazon.com/neuroncore value 33 in container main: must be 1 or a multiple of 2, got 33
}

func ExampleBackend_Annotate() {
	b := awsneuron.New(config)
	pod := &corev1.Pod{Spec: corev1.PodSpec{Containers: []corev1.Container{{}}}}
	node := device.NewNodeInfo("n1", b.Inventory(inferentia1()))
	given := &device.Allocation{
		Classes: []device.ContainerClass{device.App},
		Devices: []device.ContainerDevice{{Vendor: awsneuron.Vendor, ID: "n1-AWSNeuron-1", Index: 1, Cores: 0b1010}},
	}
	fmt.Println(b.Annotate(pod, node, given, time.Time{})[awsneuron.AnnotationIDs])
	// Output: 5,7
}

func ExampleModels() {
	models := awsneuron.Models()
	i := slices.IndexFunc(models, func(m device.Model) bool { return m.Slots == 4 })
	node := &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: "n1"}}
	b := awsneuron.New(config)
	err := b.Describe(node, []device.DeviceInfo{models[i].Device("n1-AWSNeuron-0", 0), models[i].Device("n1-AWSNeuron-1", 1)})
	cores := node.Status.Capacity["aws.amazon.com/neuroncore"]
	fmt.Println(cores.String(), err)

	fmt.Println(b.Describe(node, []device.DeviceInfo{models[i].Device("card", 0)}))
	// Output:
	// 8 <nil>
	// device card: id: cannot be described
}
