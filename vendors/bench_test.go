package vendors_test

import (
	"fmt"
	"testing"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/accelfit/accelfit/device"
	"github.com/accelfit/accelfit/internal/testkit"
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

// asMIG makes a card of halfFull one in mode mig.
func asMIG(d *device.DeviceInfo) {
	d.Mode, d.Slots = device.ModeMIG, 7
	d.MIGProfiles = []device.MIGProfile{
		{Name: "1g.5gb", Memory: 4864, Cores: 15, Slices: 1, Placements: places(0, 1, 1, 1, 2, 1, 3, 1, 4, 1, 5, 1, 6, 1)},
		{Name: "2g.10gb", Memory: 9856, Cores: 29, Slices: 2, Placements: places(0, 2, 2, 2, 4, 2)},
		{Name: "3g.20gb", Memory: 19968, Cores: 43, Slices: 3, Placements: places(0, 4, 4, 4)},
	}
}

// idleMIG is a node of cards in mode mig that nobody uses.
func idleMIG(tb testing.TB, set *vendors.Set, n int) *device.NodeUsage {
	return device.NewNodeUsage(halfFull(tb, set, "m", n, asMIG).Info())
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

// BenchmarkFilter: one pod on many nodes, of which none, a fifth or all have room. The cost of a node hardly depends on
// their number.
func BenchmarkFilter(b *testing.B) {
	set := vendors.Default()
	r := request(b, set, asking(gpus("2", "4000")))
	for name, every := range map[string]int{"none": 1 << 30, "a-fifth": 5, "all": 1} {
		for _, n := range []int{1000, 10000} {
			nodes := make([]*device.NodeUsage, n)
			for i := range nodes {
				nodes[i] = halfFull(b, set, fmt.Sprintf("n%d", i), 8, func(d *device.DeviceInfo) {
					if (i+1)%every != 0 {
						d.Memory = 12288 // nothing left
					}
				})
			}
			b.Run(fmt.Sprintf("%s-fit/%d-nodes", name, n), func(b *testing.B) {
				for b.Loop() {
					if fits := filter(set, r, nodes); fits != n/every {
						b.Fatalf("%d nodes fit", fits)
					}
				}
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(n), "ns/node")
			})
		}
	}
}

func filter(set *vendors.Set, r *vendors.Request, nodes []*device.NodeUsage) (fits int) {
	for _, node := range nodes {
		if set.Fit(r, node).OK() {
			fits++
		}
	}
	return fits
}

// linked scores the links of halfFull's cards: pairs by NVLink, fours by switch, the rest by CPU; noise makes no two alike.
func linked(n int) func(d *device.DeviceInfo) {
	return func(d *device.DeviceInfo) {
		d.LinkScores = map[string]int64{}
		for j := range n {
			score := int64(20)
			switch {
			case j == d.Index:
				continue
			case j/2 == d.Index/2:
				score = 600
			case j/4 == d.Index/4:
				score = 50
			}
			d.LinkScores[fmt.Sprintf("%s%02d", d.ID[:len(d.ID)-2], j)] = score + int64((j+1)*(d.Index+1)%7)
		}
	}
}

// BenchmarkTopology: choosing by link scores beside the plain fit of as many devices.
func BenchmarkTopology(b *testing.B) {
	set := vendors.Default()
	for _, c := range []struct {
		name  string
		nums  string
		node  *device.NodeUsage
		small string
	}{
		{"8-of-16", "8", halfFull(b, set, "n", 16, linked(16)), "4000"},
		{"10-of-24", "10", halfFull(b, set, "n", 24, linked(24)), "4000"},
		{"16-of-32", "16", halfFull(b, set, "n", 32, linked(32)), "4000"},
		{"8-of-56-mig", "8", device.NewNodeUsage(halfFull(b, set, "n", 8, linked(8), asMIG).Info()), "4000"},
	} {
		for _, policy := range []string{"spread", "topology-aware"} {
			b.Run(c.name+"/"+policy, func(b *testing.B) {
				r := request(b, set, asking(gpus(c.nums, c.small), device.AnnotationDevicePolicy, policy))
				b.ReportAllocs()
				for b.Loop() {
					if !set.Fit(r, c.node).OK() {
						b.Fatal("does not fit")
					}
				}
			})
		}
	}
}

// BenchmarkRequest: parsing a pod, which is done once for all nodes.
func BenchmarkRequest(b *testing.B) {
	set := vendors.Default()
	for name, pod := range map[string]*corev1.Pod{
		"plain": asking(gpus("1", "4000")),
		"selective": asking(gpus("1", "4000"), "nvidia.com/use-gputype", "A100,H100", "nvidia.com/nouse-gpuuuid", "a,b,c",
			"hami.io/gpu-scheduler-policy", "binpack,numa", "hami.io/device-scoring-weights", "slot=1,core=1,memory=3"),
		"no-device": asking(map[string]string{"cpu": "1"}),
	} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				request(b, set, pod)
			}
		})
	}
}

// BenchmarkExplain: a fit that tells of every card.
func BenchmarkExplain(b *testing.B) {
	set := vendors.Default()
	node := halfFull(b, set, "n", 8)
	for name, pod := range map[string]*corev1.Pod{"reject/8": asking(gpus("1", "16000")), "accept/8": asking(gpus("1", "4000"))} {
		b.Run(name, func(b *testing.B) {
			r := request(b, set, pod)
			b.ReportAllocs()
			for b.Loop() {
				if len(set.Explain(r, node).Verdicts) != 8 {
					b.Fatal("not every card has a verdict")
				}
			}
		})
	}
}

// eachBackend gives a node with eight idle devices of a backend's first model, as the backend describes it, the same with every
// device taken by pods like the request's, and a request for one device.
func eachBackend(tb testing.TB, try func(name string, set *vendors.Set, r *vendors.Request, idle, full *device.NodeUsage)) {
	tb.Helper()
	set := vendors.Default()
	for _, b := range set.Backends() {
		models := testkit.ModelsOf(b.Vendor())
		if len(models) == 0 {
			tb.Fatalf("%s: no model", b.Vendor())
		}
		node, err := testkit.Described(b, &models[0], 8)
		if err != nil {
			tb.Fatal(err)
		}
		idle := on(tb, set, node)
		r := request(tb, set, asking(map[string]string{b.Names().Count: "1"}))
		full := idle
		for fit := set.Fit(r, full); fit.OK(); fit = set.Fit(r, full) {
			full = full.With(fit.Allocation)
		}
		if full == idle {
			tb.Fatalf("%s: %s", b.Vendor(), set.Fit(r, idle).Reasons)
		}
		try(string(b.Vendor()), set, r, idle, full)
	}
}

// BenchmarkBackends: refusing and accepting one device on eight, for every vendor.
func BenchmarkBackends(b *testing.B) {
	eachBackend(b, func(name string, set *vendors.Set, r *vendors.Request, idle, full *device.NodeUsage) {
		for what, node := range map[string]*device.NodeUsage{"accept": idle, "reject": full} {
			b.Run(name+"/"+what+"/8", func(b *testing.B) {
				b.ReportAllocs()
				for b.Loop() {
					if set.Fit(r, node).OK() != (what == "accept") {
						b.Fatal("unexpected answer")
					}
				}
			})
		}
	})
}
