package usage_test

import (
	"fmt"
	"sync/atomic"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/accelfit/accelfit/device"
	"github.com/accelfit/accelfit/internal/testkit"
	"github.com/accelfit/accelfit/usage"
	"github.com/accelfit/accelfit/vendors"
	"github.com/accelfit/accelfit/vendors/nvidia"
)

// What a node's cards have left, by the annotations of node and pods.
func ExampleNode() {
	node := &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: "n1", Annotations: map[string]string{
		"hami.io/node-nvidia-register": `[{"id":"GPU-0","count":10,"devmem":24576,"devcore":100,"type":"NVIDIA-NVIDIA L4","health":true}]`,
	}}}
	pod := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Namespace: "team", Name: "p", Annotations: map[string]string{
		"hami.io/vgpu-node":              "n1",
		"hami.io/vgpu-devices-allocated": "GPU-0,NVIDIA,4000,30:;",
	}}}
	n, problems := usage.Node(vendors.Default(), node, []*corev1.Pod{pod})
	u := n.Device(0)
	fmt.Println(n.Info().Device(0).ID, u.Slots, u.Memory, u.Cores, problems)
	// Output: GPU-0 1 4000 30 []
}

// What a pod holds, by its annotations, and the usage of a node that it is on.
func ExampleRead() {
	set := vendors.Default()
	h, ok, problems := usage.Read(set, onNode("p", "n1", "GPU-0,NVIDIA,4000,30:;"))
	fmt.Println(h.Name, h.Node, ok, problems)
	n := usage.Apply(set.Inventory(testkit.Node("n1", testkit.Card("GPU-0", 24576))), []usage.Holding{h})
	fmt.Println(n.Device(0).Memory)
	// Output:
	// p n1 true []
	// 4000
}

// A live scheduler keeps the newest ledger in an atomic pointer. Readers need no lock; keeping the old value is the revert.
func ExampleLedger() {
	set := vendors.Default()
	info := set.Inventory(testkit.Node("n1", testkit.Card("GPU-0", 24576)))
	var current atomic.Pointer[usage.Ledger]
	current.Store(&usage.Ledger{})

	pod := asking("p", 1, 4000)
	r, err := set.Request(pod)
	if err != nil {
		panic(err)
	}
	before := *current.Load()
	fit := set.Fit(r, before.Node(info))
	after, err := before.Reserve(usage.Of(r, "n1", fit.Allocation))
	if err != nil {
		panic(err)
	}
	current.Store(&after)

	fmt.Println(current.Load().Node(info).Device(0).Memory, before.Node(info).Device(0).Memory)
	_, err = after.Reserve(usage.Of(r, "n1", fit.Allocation))
	fmt.Println(err)
	// Output:
	// 4000 0
	// pod team/p on node n1: pod holds devices already
}

// Pods come and go as the API server shows them.
func ExampleLedger_Observe() {
	set := vendors.Default()
	pod := onNode("p", "n1", "GPU-0,NVIDIA,4000,30:;")
	running, problems := usage.Ledger{}.Observe(set, pod)
	pod = pod.DeepCopy()
	pod.Status.Phase = corev1.PodSucceeded
	ended, _ := running.Observe(set, pod)
	fmt.Println(running.Len(), ended.Len(), problems)
	// Output: 1 0 []
}

// The lowest limit of all objects of a namespace counts, less what its pods hold.
func ExampleQuotas() {
	set := vendors.Default()
	rq := &corev1.ResourceQuota{ObjectMeta: metav1.ObjectMeta{Namespace: "team", Name: "gpus"}}
	rq.Spec.Hard = corev1.ResourceList{"limits.nvidia.com/gpumem": resource.MustParse("10000")}
	h, _, _ := usage.Read(set, onNode("p", "n1", "GPU-0,NVIDIA,4000,30:;"))
	q := usage.NewQuotas(set).Set(rq).Take("team", h.Allocation, nil)
	left := q.Headroom("team")["NVIDIA"]
	fmt.Println(left.Memory, left.Cores)
	// Output: {6000 true} {0 false}
}

// The inventory is kept, and a handshake asked for, as HAMi's registration loop does.
func ExampleRegistry() {
	node := testkit.Node("n1", testkit.Card("GPU-0", 24576))
	now := time.Date(2024, 1, 10, 12, 0, 0, 0, time.UTC)
	r, announce, problems := usage.Registry{}.Observe(vendors.Default(), node, now)
	info, ok := r.Node("n1")
	fmt.Println(info.Len(), ok, announce[nvidia.AnnotationHandshake], problems)
	// Output: 1 true Requesting_2024-01-10T12:00:00Z []
}

func ExampleOf() {
	set := vendors.Default()
	r, err := set.Request(asking("p", 1, 4000))
	if err != nil {
		panic(err)
	}
	n := device.NewNodeUsage(set.Inventory(testkit.Node("n1", testkit.MIGCard("GPU-0"))))
	fit := set.Fit(r, n)
	for _, m := range usage.Of(r, "n1", fit.Allocation).Reservations {
		fmt.Println(m.GPUUUID, m.Profile, m.Placement)
	}
	// Output: GPU-0 1g.5gb {6 1}
}
