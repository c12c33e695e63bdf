package simulate

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/accelfit/accelfit/device"
	"github.com/accelfit/accelfit/internal/testkit"
)

// maker makes random nodes and pods of one vendor.
type maker struct {
	*rand.Rand
	b     device.Backend
	names device.Names
	model device.Model
}

func makerOf(r *rand.Rand, b device.Backend) *maker {
	return &maker{r, b, b.Names(), testkit.OneOf(r, testkit.ModelsOf(b.Vendor())...)}
}

// node is a node with some devices of the model, which differ where the vendor can tell.
func (m *maker) node(t *testing.T, n int) *corev1.Node {
	t.Helper()
	devices := testkit.UsualDevices(m.b, &m.model, n)
	node := &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: "n"}}
	if m.IntN(2) == 0 {
		for i := range devices {
			devices[i].NUMA, devices[i].Healthy = m.IntN(2), m.IntN(8) > 0
			if m.IntN(3) == 0 {
				devices[i].Memory = devices[i].Memory * 3 / 4
			}
		}
		if m.b.Describe(node, devices) == nil {
			return node
		}
	}
	node, err := testkit.Described(m.b, &m.model, n)
	if err != nil {
		t.Fatal(err)
	}
	return node
}

// pod is a random pod; lists of ids name some of the given ones.
func (m *maker) pod(name string, ids ...string) *corev1.Pod {
	pod := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Namespace: "team", Name: name, Annotations: map[string]string{}}}
	words := append([]string{"true", "online", "offline", "best-effort", "fixed-share", "hami-core", "mig", m.model.Name}, ids...)
	for _, key := range m.names.PodKeys {
		if m.IntN(8) == 0 {
			pod.Annotations[key] = testkit.OneOf(m.Rand, words...)
		}
	}
	if m.IntN(3) == 0 {
		pod.Annotations[device.AnnotationDevicePolicy] = testkit.OneOf(m.Rand, "binpack", "spread", "mutex", "topology-aware", "numa", "mutex,numa")
	}
	if m.IntN(3) == 0 {
		pod.Annotations[device.AnnotationNodePolicy] = testkit.OneOf(m.Rand, "binpack", "spread")
	}
	for i := range 1 + m.IntN(4)/3 {
		class := device.App
		if i == 1 {
			class = testkit.OneOf(m.Rand, device.App, device.Init, device.Sidecar)
		}
		testkit.AddContainer(pod, m.container(i), class)
	}
	return pod
}

func (m *maker) container(i int) corev1.Container {
	c := corev1.Container{Name: fmt.Sprintf("c%d", i)}
	c.Resources.Limits = corev1.ResourceList{}
	set := func(name string, n int64) {
		if name != "" && n > 0 {
			c.Resources.Limits[corev1.ResourceName(name)] = *resource.NewQuantity(n, resource.DecimalSI)
		}
	}
	set(m.names.Count, testkit.OneOf[int64](m.Rand, 1, 1, 1, 2, 4))
	if m.IntN(2) == 0 {
		set(m.names.Memory, m.model.Memory/testkit.OneOf[int64](m.Rand, 2, 3, 4, 8)/max(1, m.names.MemoryFactor))
	} else {
		set(m.names.Percent, testkit.OneOf[int64](m.Rand, 0, 10, 30, 50, 100))
	}
	if m.IntN(2) == 0 {
		set(m.names.Cores, testkit.OneOf[int64](m.Rand, 1, 2, 10, 25, 50, 100))
	}
	if m.IntN(4) == 0 {
		delete(c.Resources.Limits, corev1.ResourceName(m.names.Count)) // some vendors are asked by memory or cores
	}
	return c
}

// positions lists the devices of an allocation by their places on a node, with what is booked.
func positions(a *device.Allocation, info *device.NodeInfo) string {
	if a == nil {
		return "none"
	}
	out := []string{fmt.Sprint(a.Classes)}
	for _, d := range a.Devices {
		at := info.Find(d.Vendor, d.ID)
		d.ID = ""
		out = append(out, fmt.Sprint(at, d))
	}
	return fmt.Sprint(slices.Clip(out))
}
