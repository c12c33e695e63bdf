package main

import (
	"fmt"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"example.com/nimbus"
	"github.com/accelfit/accelfit/device"
	"github.com/accelfit/accelfit/simulate"
	"github.com/accelfit/accelfit/vendors"
)

// cluster is three nodes and what runs on them. One NPU has failed.
func cluster(set *vendors.Set) (*simulate.Snapshot, error) {
	var nodes []*corev1.Node
	for _, has := range []struct {
		name      string
		l4s, npus int
	}{{"gpu-1", 2, 0}, {"mixed-1", 1, 4}, {"npu-1", 0, 8}} {
		node := &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: has.name}}
		if err := register(set, node, "NVIDIA L4", has.l4s); err != nil {
			return nil, err
		}
		if err := register(set, node, "Nimbus N1", has.npus); err != nil {
			return nil, err
		}
		nodes = append(nodes, node)
	}
	snap, problems := simulate.New(set, nodes, nil)
	if len(problems) > 0 {
		return nil, problems[0]
	}
	for _, runs := range []struct {
		on  string
		pod *corev1.Pod
	}{
		{"gpu-1", pod("search", "nvidia.com/gpu=1", "nvidia.com/gpumem=20000")},
		{"mixed-1", pod("rank", "nimbus.example/npu=1", "nimbus.example/npu-memory=30000")},
		{"npu-1", pod("train", "nimbus.example/npu=5", "nimbus.example/npu-cores=100")},
	} {
		if _, err := snap.Place(runs.pod, runs.on); err != nil {
			return nil, err
		}
	}
	fail := func(d *device.DeviceInfo) { d.Healthy = d.Healthy && d.ID != "nimbus-6" }
	return snap, snap.EditDevices("npu-1", fail)
}

// register writes on a node what a node agent would for a number of devices of a model.
func register(set *vendors.Set, node *corev1.Node, model string, count int) error {
	for _, m := range append(vendors.Models(), nimbus.Models()...) {
		if m.Name != model || count == 0 {
			continue
		}
		devices := make([]device.DeviceInfo, count)
		for i := range devices {
			devices[i] = m.Device(fmt.Sprintf("%s-%d", strings.ToLower(string(m.Vendor)), i), i)
		}
		if err := set.Backend(m.Vendor).Describe(node, devices); err != nil {
			return fmt.Errorf("node %s: %w", node.Name, err)
		}
	}
	return nil
}

// pending is the pods that wait.
func pending() []*corev1.Pod {
	return []*corev1.Pod{
		pod("fusion", "nvidia.com/gpu=1", "nvidia.com/gpumem=8000", "nimbus.example/npu=3", "nimbus.example/npu-memory=16000"),
		pod("tune", "nimbus.example/npu=2", "nimbus.example/npu-cores=100"),
		pod("chat", "nimbus.example/npu=1", "nimbus.example/npu-memory=8000", "nimbus.example/npu-cores=25"),
	}
}

// pod is a pod of one container with limits, each written name=amount.
func pod(name string, limits ...string) *corev1.Pod {
	list := corev1.ResourceList{}
	for _, limit := range limits {
		key, amount, _ := strings.Cut(limit, "=")
		list[corev1.ResourceName(key)] = resource.MustParse(amount)
	}
	return &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{Name: name, Namespace: "default"},
		Spec:       corev1.PodSpec{Containers: []corev1.Container{{Name: "main", Resources: corev1.ResourceRequirements{Limits: list}}}},
	}
}
