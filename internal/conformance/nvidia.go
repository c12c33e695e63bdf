package conformance

import (
	"slices"

	corev1 "k8s.io/api/core/v1"

	"github.com/accelfit/accelfit/device"
	"github.com/accelfit/accelfit/device/devicetest"
	"github.com/accelfit/accelfit/internal/testkit"
	"github.com/accelfit/accelfit/vendors/nvidia"
)

// NVIDIA is the harness of NVIDIA GPUs: whole cards, cards shared by hami-core and MPS, cards cut into MIG instances, and nodes
// with several NUMA nodes and with links.
func NVIDIA() devicetest.Harness {
	h := Usual(nvidia.Vendor)
	h.Nodes = nvidiaNodes(h.Backend)
	h.Pods = append(h.Pods, nvidiaPods()...)
	h.Claims = devicetest.Claims{
		Modes:    []string{"hami-core", "mps", device.ModeMIG},
		Policies: []string{"binpack", "mutex", "numa", "topology-aware"},
		Codes: []device.Code{
			device.AllocatedCardsInsufficientRequest, device.NumaNotFit, device.ResourceQuotaNotFit, device.NodeInsufficientDevice,
		},
	}
	return h
}

func nvidiaNodes(b device.Backend) []*corev1.Node {
	card := func(name string) []device.DeviceInfo {
		m := nvidiaModel(name)
		return testkit.UsualDevices(b, &m, devices)
	}
	return []*corev1.Node{
		Node(b, card("NVIDIA L4")),
		Node(b, linked(card("NVIDIA A100-SXM4-40GB"))),
		Node(b, edited(card("NVIDIA H20"), func(i int, d *device.DeviceInfo) { d.Mode, d.NUMA = "mps", i/4 })),
		Node(b, edited(card("NVIDIA-Tesla T4"), func(i int, d *device.DeviceInfo) { d.NUMA, d.Slots, d.Cores = i%3, 2, 115 })),
		Node(b, edited(card("NVIDIA A100-SXM4-40GB"), func(_ int, d *device.DeviceInfo) { cut(d, 7) })),
		Node(b, edited(card("NVIDIA A30"), func(i int, d *device.DeviceInfo) { cut(d, 1+int64(i%2)) })),
		Node(b, edited(linked(card("NVIDIA H100 80GB HBM3")), func(i int, d *device.DeviceInfo) {
			if i%2 == 0 {
				cut(d, 7)
			}
		})),
	}
}

func nvidiaModel(name string) device.Model {
	models := nvidia.Models()
	return models[slices.IndexFunc(models, func(m device.Model) bool { return m.Name == name })]
}

// cut puts a card into mode mig, with so many slots.
func cut(d *device.DeviceInfo, slots int64) {
	m := nvidiaModel(d.Type)
	d.Mode, d.Slots, d.MIGProfiles = device.ModeMIG, slots, m.MIGProfiles
}

// linked are cards of two NUMA nodes, in pairs that are well connected.
func linked(cards []device.DeviceInfo) []device.DeviceInfo {
	return edited(cards, func(i int, d *device.DeviceInfo) {
		d.NUMA = i / 4
		d.LinkScores = map[string]int64{}
		for j := range cards {
			switch {
			case j == i:
			case j/2 == i/2:
				d.LinkScores[cards[j].ID] = 600
			case j/4 == i/4:
				d.LinkScores[cards[j].ID] = 30
			default:
				d.LinkScores[cards[j].ID] = 10 + int64(j)%2
			}
		}
	})
}

// nvidiaPods use the annotations of the vendor, and ask for amounts that MIG instances have.
func nvidiaPods() []*corev1.Pod {
	const (
		count, memory, cores = "nvidia.com/gpu", "nvidia.com/gpumem", "nvidia.com/gpucores"
		policy, numaBind     = device.AnnotationDevicePolicy, device.AnnotationNUMABind
	)
	return []*corev1.Pod{
		Pod(Limits{count: 1}, nvidia.AnnotationUseType, "A100,L4,T4"),
		Pod(Limits{count: 1, memory: 1000}, nvidia.AnnotationNoUseType, "H20,H100"),
		Pod(Limits{count: 2, memory: 2000}, nvidia.AnnotationUseUUID, "d0,d1,d2,d5"),
		Pod(Limits{count: 1, memory: 3000, cores: 10}, nvidia.AnnotationNoUseUUID, "d0,d1"),
		Pod(Limits{count: 1, memory: 1000}, nvidia.AnnotationMode, "hami-core,mps"),
		Pod(Limits{count: 2, memory: 4000}, nvidia.AnnotationMode, device.ModeMIG),
		Pod(Limits{count: 3, memory: 5000}, nvidia.AnnotationMode, device.ModeMIG, policy, "topology-aware"),
		Pod(Limits{count: 1, memory: 10000}, nvidia.AnnotationMode, device.ModeMIG),
		Pod(Limits{count: 3, memory: 1000}, policy, "topology-aware"),
		Pod(Limits{count: 3, memory: 1000}, policy, "topology-aware", numaBind, "true"),
		Pod(Limits{count: 4, memory: 100}, numaBind, "true"),
		Pod(Limits{count: 5, memory: 100}, numaBind, "true"),
		Pod(Limits{count: 5, memory: 4000}),
	}
}
