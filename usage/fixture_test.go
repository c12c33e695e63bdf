package usage_test

import (
	"fmt"
	"testing"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/accelfit/accelfit/device"
	"github.com/accelfit/accelfit/internal/testkit"
	"github.com/accelfit/accelfit/usage"
	"github.com/accelfit/accelfit/vendors"
	"github.com/accelfit/accelfit/vendors/nvidia"
)

// newPod is a pod of one container for each class, with annotations as key, value pairs.
func newPod(name string, classes []device.ContainerClass, annotations ...string) *corev1.Pod {
	pod := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{
		Namespace: "team", Name: name, UID: types.UID("uid-" + name), Annotations: map[string]string{},
	}}
	for i, class := range classes {
		testkit.AddContainer(pod, corev1.Container{Name: fmt.Sprintf("c%d", i)}, class)
	}
	for i := 0; i < len(annotations); i += 2 {
		pod.Annotations[annotations[i]] = annotations[i+1]
	}
	return pod
}

// onNode is a pod of one app container that was given cards of a node.
func onNode(name, node, allocated string) *corev1.Pod {
	return newPod(name, []device.ContainerClass{device.App}, device.AnnotationNode, node, nvidia.AnnotationAllocated, allocated)
}

// asking is a pod of one app container that asks for cards.
func asking(name string, cards, memory int64) *corev1.Pod {
	pod := newPod(name, []device.ContainerClass{device.App})
	pod.Spec.Containers[0].Resources.Limits = corev1.ResourceList{
		"nvidia.com/gpu": *resource.NewQuantity(cards, ""), "nvidia.com/gpumem": *resource.NewQuantity(memory, ""),
	}
	return pod
}

// mustRead reads what a pod holds and fails the test on problems.
func mustRead(t testing.TB, set *vendors.Set, pod *corev1.Pod) usage.Holding {
	t.Helper()
	h, ok, problems := usage.Read(set, pod)
	if !ok || len(problems) > 0 {
		t.Fatalf("pod %s: holds something: %t, problems %v", pod.Name, ok, problems)
	}
	return h
}
