package vendors_test

import (
	"fmt"
	"testing"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/accelfit/accelfit/device"
	"github.com/accelfit/accelfit/usage"
	"github.com/accelfit/accelfit/vendors"
)

// halfFull is a node of n cards of 24576 MiB, half of whose memory is taken.
func halfFull(tb testing.TB, set *vendors.Set, name string, n int, more ...func(*device.DeviceInfo)) *device.NodeUsage {
	tb.Helper()
	var devices []device.DeviceInfo
	held := ""
	for i := range n {
		d := device.DeviceInfo{
			ID: fmt.Sprintf("GPU-%s-%02d", name, i), Index: i, Slots: 10, Memory: 24576, Cores: 100,
			Type: "NVIDIA-NVIDIA L4", NUMA: i / 4, Mode: "hami-core", Healthy: true,
		}
		for _, change := range more {
			change(&d)
		}
		devices = append(devices, d)
		held += d.ID + ",NVIDIA,12288,50:"
	}
	text, err := device.EncodeRegistration(devices)
	if err != nil {
		tb.Fatal(err)
	}
	node := &corev1.Node{ObjectMeta: metav1.ObjectMeta{
		Name: name, Annotations: map[string]string{"hami.io/node-nvidia-register": text},
	}}
	if links, err := device.EncodeLinkScores(devices); err == nil && links != "[]" {
		node.Annotations["hami.io/node-nvidia-score"] = links
	}
	running := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Name: "running-" + name, Annotations: map[string]string{
		"hami.io/vgpu-node": name, "hami.io/vgpu-devices-allocated": held + ";",
	}}}
	u, problems := usage.Node(set, node, []*corev1.Pod{running})
	if len(problems) > 0 {
		tb.Fatal(problems)
	}
	return u
}

// asking is a pod with one container.
func asking(limits map[string]string, annotations ...string) *corev1.Pod {
	pod := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Name: "p", Namespace: "default", UID: "p", Annotations: map[string]string{}}}
	for i := 0; i < len(annotations); i += 2 {
		pod.Annotations[annotations[i]] = annotations[i+1]
	}
	list := corev1.ResourceList{}
	for name, q := range limits {
		list[corev1.ResourceName(name)] = resource.MustParse(q)
	}
	pod.Spec.Containers = []corev1.Container{{Name: "c", Resources: corev1.ResourceRequirements{Limits: list}}}
	return pod
}

func gpus(n, memory string) map[string]string {
	return map[string]string{"nvidia.com/gpu": n, "nvidia.com/gpumem": memory, "nvidia.com/gpucores": "20"}
}

func request(tb testing.TB, set *vendors.Set, pod *corev1.Pod) *vendors.Request {
	tb.Helper()
	r, err := set.Request(pod)
	if err != nil {
		tb.Fatal(err)
	}
	return r
}

// lowerBound is the least a fit can do: read the counters of each device and compare.
func lowerBound(node *device.NodeUsage, memory, cores int64) (fits int) {
	info := node.Info()
	for i, u := range node.Devices() {
		d := info.Device(i)
		slot, mem, core := u.Slots < d.Slots, d.Memory-u.Memory >= memory, d.Cores-u.Cores >= cores
		if u.Healthy && slot && mem && core {
			fits++
		}
	}
	return fits
}

// BenchmarkFit: refusing and accepting on 8 half-full cards, beside a loop that reads the cards' counters and compares.
func BenchmarkFit(b *testing.B) {
	set := vendors.Default()
	node := halfFull(b, set, "n", 8)
	b.Run("lower-bound/8", func(b *testing.B) {
		sum := 0
		for b.Loop() {
			sum += lowerBound(node, 16000, 20)
		}
		if sum != 0 {
			b.Fatal("unexpected fit")
		}
	})
	run := func(name string, pod *corev1.Pod, node *device.NodeUsage, fits bool) {
		b.Run(name, func(b *testing.B) {
			r := request(b, set, pod)
			b.ReportAllocs()
			for b.Loop() {
				if set.Fit(r, node).OK() != fits {
					b.Fatal("unexpected answer")
				}
			}
		})
	}
	run("reject/8", asking(gpus("1", "16000")), node, false)
	run("accept/8", asking(gpus("1", "4000")), node, true)
	run("accept-4-cards/8", asking(gpus("4", "4000")), node, true)
	run("reject-type/8", asking(gpus("1", "4000"), "nvidia.com/use-gputype", "A100"), node, false)
}
