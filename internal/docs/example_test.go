package docs

import (
	"fmt"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/accelfit/accelfit/simulate"
	"github.com/accelfit/accelfit/usage"
	"github.com/accelfit/accelfit/vendors"
)

const registration = `[
	{"id":"GPU-a","index":0,"count":10,"devmem":23034,"devcore":100,"type":"NVIDIA-NVIDIA L4","mode":"hami-core","health":true},
	{"id":"GPU-b","index":1,"count":10,"devmem":23034,"devcore":100,"type":"NVIDIA-NVIDIA L4","mode":"hami-core","health":true}
]`

func l4(name string) *corev1.Node {
	return &corev1.Node{ObjectMeta: metav1.ObjectMeta{
		Name: name, Annotations: map[string]string{"hami.io/node-nvidia-register": registration},
	}}
}

func wants(name, gpus, memory string) *corev1.Pod {
	return &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{Name: name, Namespace: "shop"},
		Spec: corev1.PodSpec{Containers: []corev1.Container{{Name: "main", Resources: corev1.ResourceRequirements{
			Limits: corev1.ResourceList{
				"nvidia.com/gpu": resource.MustParse(gpus), "nvidia.com/gpumem": resource.MustParse(memory),
			},
		}}}},
	}
}

func Example_scheduler() {
	set := vendors.Default()
	running := wants("running", "1", "20000")
	running.Annotations = map[string]string{
		"hami.io/vgpu-node": "n1", "hami.io/vgpu-devices-allocated": "GPU-b,NVIDIA,20000,0:;",
	}
	k8sNode, pods, pod := l4("n1"), []*corev1.Pod{running}, wants("pending", "2", "6000")

	node, problems := usage.Node(set, k8sNode, pods) // what is taken; problems: what could not be read
	req, err := set.Request(pod)                     // parsed once; err: the pod asks for the impossible
	if err != nil {
		panic(err)
	}
	fit := set.Fit(req, node)
	if !fit.OK() {
		fmt.Println(fit.Reasons)
		for _, v := range set.Explain(req, node).Verdicts {
			fmt.Println(v)
		}
	}
	_ = problems
	// Output:
	// 1/2 AllocatedCardsInsufficientRequest, 1/2 CardInsufficientMemory
	// GPU-a: serves
	// GPU-b: CardInsufficientMemory (want 6000 MiB, have 3034 MiB)
}

func Example_autoscaler() {
	set := vendors.Default()
	nodes := []*corev1.Node{l4("n1")}
	var pods []*corev1.Pod

	snap, _ := simulate.New(set, nodes, pods)
	child := snap.Fork() // O(1); snap never sees what happens in child
	var left []*corev1.Pod
	for i := range 5 {
		pod := wants(fmt.Sprintf("train-%d", i), "1", "20000")
		if res, err := child.PlaceAnywhere(pod, simulate.PlaceOptions{}); err != nil || !res.OK() {
			left = append(left, pod)
		}
	}
	est := simulate.Estimate(set, simulate.Template{Node: l4("l4-group")}, left, simulate.Limits{})
	fmt.Println(len(left), "pods left,", len(est.Nodes), "nodes needed, at least", est.LowerBound)
	// Output:
	// 3 pods left, 2 nodes needed, at least 2
}
