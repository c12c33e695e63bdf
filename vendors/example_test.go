package vendors_test

import (
	"errors"
	"fmt"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/accelfit/accelfit/device"
	"github.com/accelfit/accelfit/score"
	"github.com/accelfit/accelfit/usage"
	"github.com/accelfit/accelfit/vendors"
	"github.com/accelfit/accelfit/vendors/nvidia"
)

// twoCards is a node with two cards, as HAMi's node agent registers them.
func twoCards() *corev1.Node {
	return &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: "n1", Annotations: map[string]string{
		"hami.io/node-nvidia-register": `[
			{"id":"GPU-0","index":0,"count":10,"devmem":23034,"devcore":100,"type":"NVIDIA-NVIDIA L4","mode":"hami-core","health":true},
			{"id":"GPU-1","index":1,"count":10,"devmem":23034,"devcore":100,"type":"NVIDIA-NVIDIA L4","mode":"hami-core","health":true}]`,
	}}}
}

// running holds 20000 MiB and half the cores of GPU-1.
func running() *corev1.Pod {
	return &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Name: "training", Namespace: "team-a", Annotations: map[string]string{
		"hami.io/vgpu-node": "n1", "hami.io/vgpu-devices-allocated": "GPU-1,NVIDIA,20000,50:;",
	}}}
}

// pending asks for one card with the given memory.
func pending(mib string) *corev1.Pod {
	limits := corev1.ResourceList{"nvidia.com/gpu": resource.MustParse("1"), "nvidia.com/gpumem": resource.MustParse(mib)}
	return &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{Name: "inference", Namespace: "team-a", Annotations: map[string]string{}},
		Spec:       corev1.PodSpec{Containers: []corev1.Container{{Name: "main", Resources: corev1.ResourceRequirements{Limits: limits}}}},
	}
}

func ExampleLoad() {
	set, err := vendors.Load([]byte(`
nvidia:
  resourceCountName: nvidia.com/gpu
  resourceMemoryName: nvidia.com/gpumem
  resourceMemoryPercent: nvidia.com/gpumem-percentage
`))
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(set.ManagedResources())
	fmt.Println(set.Problems())

	_, err = vendors.Load([]byte("nvidia: {defaultMemory: 16Gi}"))
	fmt.Println(err)
	// Output:
	// [nvidia.com/gpu nvidia.com/gpumem]
	// [device configuration: nvidia.resourceMemoryPercent: unknown key]
	// device configuration: nvidia.defaultMemory: string is not a whole number in range
}

func ExampleDefault() {
	set := vendors.Default()
	for _, name := range set.Backend(nvidia.Vendor).Names().PodKeys {
		fmt.Println(name)
	}
	// Output:
	// nvidia.com/use-gputype
	// nvidia.com/nouse-gputype
	// nvidia.com/use-gpuuuid
	// nvidia.com/nouse-gpuuuid
	// nvidia.com/vgpu-mode
}

func ExampleNew() {
	config := nvidia.DefaultConfig()
	config.ResourceCountName = "example.com/gpu"
	gpus, err := nvidia.New(config)
	if err != nil {
		fmt.Println(err)
		return
	}
	set, err := vendors.New(gpus) // and any number of backends, your own among them
	if err != nil {
		fmt.Println(err)
		return
	}
	r, err := set.Request(pending("4000"))
	fmt.Println(r.Empty(), err)
	// Output: true <nil>
}

func ExampleSet_With() {
	set := vendors.Default().With(vendors.Options{DevicePolicy: score.Binpack, Quirks: device.SidecarIsInit})
	node, _ := usage.Node(set, twoCards(), []*corev1.Pod{running()})
	r, _ := set.Request(pending("2000"))
	fmt.Println(set.Fit(r, node).Allocation.Devices[0].ID)
	// Output: GPU-1
}

func ExampleSet_Request() {
	set := vendors.Default()
	r, err := set.Request(pending("4000"))
	if err != nil {
		fmt.Println(err)
		return
	}
	ask := r.Containers()[0][0]
	fmt.Println(ask.Vendor, ask.Nums, ask.Memory)

	_, err = set.Request(pending("100.5"))
	var invalid *device.RequestError
	fmt.Println(errors.As(err, &invalid), invalid.Key)
	fmt.Println(err)
	// Output:
	// NVIDIA 1 4000
	// true nvidia.com/gpumem
	// invalid nvidia.com/gpumem value 100500m in container main: must be a whole number from 0 to 2147483647
}

func ExampleSet_Fit() {
	set := vendors.Default()
	node, problems := usage.Node(set, twoCards(), []*corev1.Pod{running()})
	if len(problems) > 0 {
		fmt.Println(problems)
	}
	r, err := set.Request(pending("20000"))
	if err != nil {
		fmt.Println(err)
		return
	}
	fit := set.Fit(r, node)
	for _, d := range fit.Allocation.Devices {
		fmt.Println(d.ID, d.Memory)
	}

	full := node.With(fit.Allocation) // node itself is as it was
	fmt.Println(set.Fit(r, full).Reasons)
	fmt.Println(set.Fit(r, node).OK())
	// Output:
	// GPU-0 20000
	// 2/2 CardInsufficientMemory
	// true
}

func ExampleSet_Explain() {
	set := vendors.Default()
	node, _ := usage.Node(set, twoCards(), []*corev1.Pod{running()})
	pod := pending("16000")
	pod.Annotations["nvidia.com/nouse-gpuuuid"] = "GPU-0"
	r, _ := set.Request(pod)
	why := set.Explain(r, node)
	fmt.Println(why.Reasons)
	for _, v := range why.Verdicts {
		fmt.Println(v)
	}
	// Output:
	// 1/2 CardInsufficientMemory, 1/2 CardUuidMismatch
	// GPU-0: CardUuidMismatch (want id none of GPU-0, have GPU-0)
	// GPU-1: CardInsufficientMemory (want 16000 MiB, have 3034 MiB)
}

func ExampleSet_Score() {
	set := vendors.Default()
	idle, _ := usage.Node(set, twoCards(), nil)
	busy, _ := usage.Node(set, twoCards(), []*corev1.Pod{running()})
	r, _ := set.Request(pending("2000"))
	for _, node := range []*device.NodeUsage{idle, busy} {
		fmt.Println(set.Score(r, node, set.Fit(r, node)))
	}
	// Output:
	// 0
	// 7.3414087
}

func ExampleSet_Annotations() {
	set := vendors.Default()
	node, _ := usage.Node(set, twoCards(), nil)
	pod := pending("4000")
	r, _ := set.Request(pod)
	fit := set.Fit(r, node)
	written := set.Annotations(pod, node.Info(), fit.Allocation, time.Unix(1767225600, 0))
	for _, key := range []string{device.AnnotationNode, device.AnnotationTime, nvidia.AnnotationAllocated} {
		fmt.Println(key, written[key])
	}
	// Output:
	// hami.io/vgpu-node n1
	// hami.io/vgpu-time 1767225600
	// hami.io/vgpu-devices-allocated GPU-1,NVIDIA,4000,0:;
}

func ExampleSet_Stale() {
	set := vendors.Default()
	pod := pending("4000") // was placed on a card in mode mig before
	pod.Annotations[device.AnnotationMIGReservation] = `[{"containerIndex":0,"deviceIndex":0,"gpuUUID":"GPU-9","profile":"1g.5gb","placement":{"start":0,"size":1}}]`
	node, _ := usage.Node(set, twoCards(), nil)
	r, _ := set.Request(pod)
	written := set.Annotations(pod, node.Info(), set.Fit(r, node).Allocation, time.Time{})
	fmt.Println(set.Stale(pod, written))
	// Output: [hami.io/vgpu-mig-allocations]
}

func ExampleSet_Admit() {
	set := vendors.Default()
	pod := pending("4000")
	delete(pod.Spec.Containers[0].Resources.Limits, "nvidia.com/gpumem")
	admitted, err := set.Admit(pod, vendors.AdmitOptions{SchedulerName: "hami-scheduler"})
	if err != nil {
		fmt.Println(err)
		return
	}
	cores := admitted.Pod.Spec.Containers[0].Resources.Limits["nvidia.com/gpucores"]
	fmt.Println(admitted.Devices, admitted.Pod.Spec.SchedulerName, cores.String())

	pod.Spec.NodeName = "n1"
	_, err = set.Admit(pod, vendors.AdmitOptions{SchedulerName: "hami-scheduler"})
	var denied *vendors.DeniedError
	fmt.Println(errors.As(err, &denied), err)
	// Output:
	// true hami-scheduler 100
	// true pod has node assigned
}

func ExampleRequest_WithQuota() {
	set := vendors.Default()
	quotas := usage.NewQuotas(set).Set(&corev1.ResourceQuota{
		ObjectMeta: metav1.ObjectMeta{Name: "gpus", Namespace: "team-a"},
		Spec:       corev1.ResourceQuotaSpec{Hard: corev1.ResourceList{"limits.nvidia.com/gpumem": resource.MustParse("22000")}},
	})
	node, _ := usage.Node(set, twoCards(), nil)
	held, _, _ := usage.Read(set, running())
	r, _ := set.Request(pending("4000"))
	fmt.Println(set.Fit(r.WithQuota(quotas.Headroom(r.Namespace)), node).OK())

	quotas = quotas.Take("team-a", held.Allocation, nil)
	fmt.Println(set.Fit(r.WithQuota(quotas.Headroom(r.Namespace)), node).Reasons)
	// Output:
	// true
	// 2/2 ResourceQuotaNotFit
}
