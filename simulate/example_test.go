package simulate_test

import (
	"fmt"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/accelfit/accelfit/simulate"
	"github.com/accelfit/accelfit/vendors"
)

// exampleNode is a node with two cards of 10,000 MiB.
func exampleNode(name string) *corev1.Node {
	return &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: name, Annotations: map[string]string{
		"hami.io/node-nvidia-register": `[
			{"id":"GPU-0","index":0,"count":10,"devmem":10000,"devcore":100,"type":"NVIDIA-NVIDIA L4","mode":"hami-core","health":true},
			{"id":"GPU-1","index":1,"count":10,"devmem":10000,"devcore":100,"type":"NVIDIA-NVIDIA L4","mode":"hami-core","health":true}]`,
	}}}
}

// examplePod asks for one card with so much memory.
func examplePod(name, memory string) *corev1.Pod {
	return &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{Namespace: "team", Name: name},
		Spec: corev1.PodSpec{Containers: []corev1.Container{{
			Name: "main",
			Resources: corev1.ResourceRequirements{Limits: corev1.ResourceList{
				"nvidia.com/gpu": resource.MustParse("1"), "nvidia.com/gpumem": resource.MustParse(memory),
			}},
		}}},
	}
}

func ExampleNew() {
	running := examplePod("running", "4000")
	running.Annotations = map[string]string{"hami.io/vgpu-node": "n1", "hami.io/vgpu-devices-allocated": "GPU-0,NVIDIA,4000,0:;"}
	snapshot, problems := simulate.New(vendors.Default(), []*corev1.Node{exampleNode("n1"), exampleNode("n2")}, []*corev1.Pod{running})
	for name, usage := range snapshot.Nodes() {
		fmt.Println(name, usage.Device(0).Memory, usage.Device(1).Memory)
	}
	fmt.Println(problems)
	// Output:
	// n1 4000 0
	// n2 0 0
	// []
}

// What is placed on a fork is not seen by the snapshot it came from.
func ExampleSnapshot_Fork() {
	snapshot, _ := simulate.New(vendors.Default(), []*corev1.Node{exampleNode("n1")}, nil)
	child := snapshot.Fork()
	if _, err := child.Place(examplePod("p", "6000"), "n1"); err != nil {
		panic(err)
	}
	before, _ := snapshot.Node("n1")
	after, _ := child.Node("n1")
	fmt.Println(before.Device(1).Memory, after.Device(1).Memory)
	// Output: 0 6000
}

// That a pod does not fit is a result with reasons, not an error.
func ExampleSnapshot_Place() {
	snapshot, _ := simulate.New(vendors.Default(), []*corev1.Node{exampleNode("n1")}, nil)
	for _, pod := range []*corev1.Pod{examplePod("p", "6000"), examplePod("q", "12000")} {
		result, err := snapshot.Place(pod, "n1")
		if err != nil {
			panic(err)
		}
		if result.OK() {
			fmt.Println(pod.Name, "on", result.Allocation.Devices[0].ID)
		}
		for _, refusal := range result.Refused {
			fmt.Println(pod.Name, "refused,", refusal)
		}
	}
	// Output:
	// p on GPU-1
	// q refused, n1: 2/2 CardInsufficientMemory
}

func ExampleSnapshot_PlaceAnywhere() {
	snapshot, _ := simulate.New(vendors.Default(), []*corev1.Node{exampleNode("n1"), exampleNode("n2"), exampleNode("n3")}, nil)
	options := simulate.PlaceOptions{Allow: func(_ *corev1.Pod, node *corev1.Node) error {
		if node.Name == "n1" {
			return fmt.Errorf("node is cordoned")
		}
		return nil
	}}
	for _, name := range []string{"p", "q", "r", "s", "t"} {
		result, err := snapshot.PlaceAnywhere(examplePod(name, "6000"), options)
		if err != nil {
			panic(err)
		}
		fmt.Printf("%s: %q %v\n", name, result.Node, result.Refused)
	}
	if err := snapshot.Remove("team/p"); err != nil {
		panic(err)
	}
	result, err := snapshot.PlaceAnywhere(examplePod("t", "6000"), options)
	fmt.Println(result.Node, err)
	// Output:
	// p: "n2" [n1: node is cordoned]
	// q: "n2" [n1: node is cordoned]
	// r: "n3" [n1: node is cordoned n2: 2/2 CardInsufficientMemory]
	// s: "n3" [n1: node is cordoned n2: 2/2 CardInsufficientMemory]
	// t: "" [n1: node is cordoned n2: 2/2 CardInsufficientMemory n3: 2/2 CardInsufficientMemory]
	// n2 <nil>
}

func ExampleStack() {
	snapshot, _ := simulate.New(vendors.Default(), []*corev1.Node{exampleNode("n1")}, nil)
	stack := simulate.NewStack(snapshot)
	place := func(name string) {
		if _, err := stack.Top().Place(examplePod(name, "1000"), "n1"); err != nil {
			panic(err)
		}
	}
	stack.Fork()
	place("p")
	fmt.Println(stack.Depth(), len(stack.Top().Holdings("n1")))
	fmt.Println(stack.Commit(), stack.Depth(), len(stack.Top().Holdings("n1")))
	stack.Fork()
	place("q")
	fmt.Println(stack.Revert(), stack.Depth(), len(stack.Top().Holdings("n1")))
	fmt.Println(stack.Revert())
	// Output:
	// 1 1
	// <nil> 0 1
	// <nil> 0 1
	// no fork to end
}

// Five pods of 6,000 MiB on nodes with two cards of 10,000 MiB.
func ExampleEstimate() {
	var pods []*corev1.Pod
	for _, name := range []string{"p", "q", "r", "s", "t"} {
		pods = append(pods, examplePod(name, "6000"))
	}
	pods = append(pods, examplePod("huge", "80000"))
	template := simulate.Template{Node: exampleNode("gpu")}
	answer := simulate.Estimate(vendors.Default(), template, pods, simulate.Limits{})
	for _, node := range answer.Nodes {
		for i, pod := range node.Pods {
			fmt.Println(node.Name, pod.Name, node.Placed[i].Devices[0].ID)
		}
	}
	for _, u := range answer.Unplaced {
		fmt.Println("no place for", u.Pod.Name+":", u.Reasons.String())
	}
	fmt.Println(len(answer.Nodes), "nodes, at least", answer.LowerBound)
	// Output:
	// gpu-new-00000 p gpu-new-00000/GPU-1
	// gpu-new-00000 q gpu-new-00000/GPU-0
	// gpu-new-00001 r gpu-new-00001/GPU-1
	// gpu-new-00001 s gpu-new-00001/GPU-0
	// gpu-new-00002 t gpu-new-00002/GPU-1
	// no place for huge: 2/2 CardInsufficientMemory
	// 3 nodes, at least 2
}

func ExampleScaleUp() {
	big := exampleNode("big")
	big.Annotations["hami.io/node-nvidia-register"] =
		`[{"id":"GPU-0","count":10,"devmem":80000,"devcore":100,"type":"NVIDIA-NVIDIA A100","mode":"hami-core","health":true}]`
	groups := []simulate.NodeGroup{
		{Name: "small", Template: simulate.Template{Node: exampleNode("small")}, Price: 1, MaxNew: 5},
		{Name: "big", Template: simulate.Template{Node: big}, Price: 8},
	}
	pods := []*corev1.Pod{examplePod("p", "6000"), examplePod("q", "6000"), examplePod("r", "40000"), examplePod("s", "90000")}
	plan := simulate.ScaleUp(vendors.Default(), groups, pods, simulate.LeastPrice, simulate.Limits{})
	for _, step := range plan.Steps {
		fmt.Println(step.Group, "+", len(step.Nodes), "price", step.Price)
	}
	for _, u := range plan.Unplaced {
		for i, why := range u.Groups {
			fmt.Println(u.Pod.Name, groups[i].Name+":", why.Reasons.String())
		}
	}
	// Output:
	// small + 1 price 1
	// big + 1 price 8
	// s small: 2/2 CardInsufficientMemory
	// s big: 1/1 CardInsufficientMemory
}

// A host has put two pods on a node that does not exist yet, and asks for a third.
func ExampleReplay() {
	set := vendors.Default()
	info := set.Inventory(exampleNode("gpu-new"))
	on := []*corev1.Pod{examplePod("a", "6000"), examplePod("b", "6000")}
	now := simulate.Replay(set, info, on, simulate.ReplayOptions{})
	for _, h := range now.Holdings {
		fmt.Println(h.Name, h.Allocation.Devices[0].ID)
	}
	request, err := set.Request(examplePod("c", "6000"))
	if err != nil {
		panic(err)
	}
	fmt.Println(set.Fit(request, now.Usage).Reasons)
	// Output:
	// a GPU-1
	// b GPU-0
	// 2/2 CardInsufficientMemory
}
