// Package conformance has what the conformance tests of the built-in vendors start from: a harness of usual nodes and pods.
package conformance

import (
	"fmt"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/accelfit/accelfit/device"
	"github.com/accelfit/accelfit/device/devicetest"
	"github.com/accelfit/accelfit/internal/testkit"
	"github.com/accelfit/accelfit/vendors"
)

// devices is how many a usual node has.
const devices = 8

// Usual is a backend of [vendors.Default] with a node of eight devices of each of its models, and pods that ask for devices in
// every way that its resources allow.
func Usual(v device.Vendor) devicetest.Harness {
	b := vendors.Default().Backend(v)
	h := devicetest.Harness{Backend: b}
	models := testkit.ModelsOf(v)
	for i := range models {
		node, err := testkit.Described(b, &models[i], devices)
		if err != nil {
			panic(fmt.Sprintf("%s: %v", models[i].Name, err))
		}
		h.Nodes = append(h.Nodes, node)
	}
	h.Pods = pods(b.Names(), &models[0])
	return h
}

// pods ask for devices of a model: whole, by memory, in percent, by cores.
func pods(n device.Names, m *device.Model) []*corev1.Pod {
	memory := max(1, m.Memory/max(1, n.MemoryFactor)/4)
	out := []*corev1.Pod{Pod(Limits{n.Count: 1}), Pod(Limits{n.Count: 2})}
	for _, more := range []Limits{
		{n.Memory: memory}, {n.Percent: 30}, {n.Memory: memory, n.Cores: 20}, {n.Percent: 50, n.Cores: 100}, {n.Cores: 30},
		{n.Memory: 1, n.Cores: 100}, {n.Memory: 1}, {n.Percent: 1, n.Cores: 1}, {n.Cores: 1},
	} {
		more[n.Count] = 1
		out = append(out, Pod(more))
	}
	return out
}

// Limits are amounts by resource name; those of no name are left out.
type Limits map[string]int64

// Pod is a pod of one container with limits, and with annotations in pairs of key and value.
func Pod(limits Limits, annotations ...string) *corev1.Pod {
	pod := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Name: "p", Namespace: "default", UID: "p", Annotations: map[string]string{}}}
	for i := 0; i < len(annotations); i += 2 {
		pod.Annotations[annotations[i]] = annotations[i+1]
	}
	list := corev1.ResourceList{}
	for name, n := range limits {
		if name != "" {
			list[corev1.ResourceName(name)] = *resource.NewQuantity(n, resource.DecimalSI)
		}
	}
	pod.Spec.Containers = []corev1.Container{{Name: "c", Resources: corev1.ResourceRequirements{Limits: list}}}
	return pod
}

// edited changes devices one by one.
func edited(of []device.DeviceInfo, change func(i int, d *device.DeviceInfo)) []device.DeviceInfo {
	for i := range of {
		change(i, &of[i])
	}
	return of
}

// Node is a node with devices, as a backend describes it.
func Node(b device.Backend, devices []device.DeviceInfo) *corev1.Node {
	node := &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: "n"}}
	if err := b.Describe(node, devices); err != nil {
		panic(fmt.Sprintf("%s: %v", b.Vendor(), err))
	}
	return node
}
