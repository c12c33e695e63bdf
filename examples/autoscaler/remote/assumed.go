package remote

import (
	"encoding/json"
	"fmt"
	"maps"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	fwk "k8s.io/kube-scheduler/framework"
)

// AnnotationAssumed is the annotation of a node that lists, as a JSON array, the pods assumed to be on it, in the order in
// which they came. Of each pod it has what a device model reads: metadata, resources, node, and phase.
const AnnotationAssumed = "simulation.accelfit.dev/assumed"

// told is a node that tells an extender of its pods.
type told struct {
	fwk.NodeInfo
	node *corev1.Node
}

// Node is the object that the extender is sent.
func (t told) Node() *corev1.Node { return t.node }

// assumed writes on copies of nodes which pods are on them.
func assumed(nodes []fwk.NodeInfo) ([]fwk.NodeInfo, error) {
	out := make([]fwk.NodeInfo, len(nodes))
	for i, n := range nodes {
		var pods []*corev1.Pod
		for _, p := range n.GetPods() {
			pods = append(pods, reduced(p.GetPod()))
		}
		node := *n.Node() // the maps stay shared, but for annotations
		node.Annotations = maps.Clone(node.Annotations)
		delete(node.Annotations, AnnotationAssumed)
		if len(pods) > 0 {
			text, err := json.Marshal(pods)
			if err != nil {
				return nil, fmt.Errorf("node %s: %w", node.Name, err)
			}
			metav1.SetMetaDataAnnotation(&node.ObjectMeta, AnnotationAssumed, string(text))
		}
		out[i] = told{n, &node}
	}
	return out, nil
}

func originals(nodes []fwk.NodeInfo) []fwk.NodeInfo {
	out := make([]fwk.NodeInfo, len(nodes))
	for i, n := range nodes {
		out[i] = n.(told).NodeInfo
	}
	return out
}

// reduced is a copy of a pod with what a device model reads of it.
func reduced(p *corev1.Pod) *corev1.Pod {
	return &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{
			Namespace: p.Namespace, Name: p.Name, UID: p.UID, Annotations: p.Annotations, DeletionTimestamp: p.DeletionTimestamp,
		},
		Spec: corev1.PodSpec{
			NodeName:       p.Spec.NodeName,
			InitContainers: resources(p.Spec.InitContainers),
			Containers:     resources(p.Spec.Containers),
		},
		Status: corev1.PodStatus{Phase: p.Status.Phase, InitContainerStatuses: p.Status.InitContainerStatuses},
	}
}

func resources(containers []corev1.Container) []corev1.Container {
	out := make([]corev1.Container, len(containers))
	for i := range containers {
		c := &containers[i]
		out[i] = corev1.Container{Name: c.Name, Resources: c.Resources, RestartPolicy: c.RestartPolicy}
	}
	return out
}
