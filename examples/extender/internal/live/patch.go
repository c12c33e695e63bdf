package live

import (
	"context"
	"encoding/json"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/accelfit/accelfit/device"
	"github.com/accelfit/accelfit/vendors"
)

// patch is a change of an object's metadata; keys without a value are removed. With a UID the API server refuses to change
// another object of the name.
type patch struct {
	UID         types.UID          `json:"uid,omitempty"`
	Annotations map[string]*string `json:"annotations,omitempty"`
	Labels      map[string]*string `json:"labels,omitempty"`
}

func (p *patch) bytes() []byte {
	text, err := json.Marshal(map[string]*patch{"metadata": p})
	if err != nil {
		panic(err) // strings only
	}
	return text
}

// placement is the change that writes where a pod is placed, and removes what an earlier placement left (spec core §2.6,
// §14.2).
func placement(set *vendors.Set, pod *corev1.Pod, node string, written map[string]string) *patch {
	p := &patch{UID: pod.UID, Annotations: map[string]*string{}, Labels: map[string]*string{}}
	for key, value := range written {
		p.Annotations[key] = &value
	}
	for _, key := range set.Stale(pod, written) {
		p.Annotations[key] = nil
	}
	key, value, ok := vendors.NodeLabel(node)
	if ok {
		p.Labels[key] = &value
	} else {
		p.Labels[key] = nil
	}
	return p
}

// withdrawal is the change that takes an earlier placement off a pod; nil where there is none.
func withdrawal(set *vendors.Set, pod *corev1.Pod) *patch {
	if pod.Annotations[device.AnnotationNode] == "" {
		return nil
	}
	p := &patch{UID: pod.UID, Annotations: map[string]*string{}, Labels: map[string]*string{device.AnnotationNode: nil}}
	for _, key := range set.Stale(pod, nil) {
		p.Annotations[key] = nil
	}
	for _, key := range []string{device.AnnotationNode, device.AnnotationTime, device.AnnotationBindPhase} {
		p.Annotations[key] = nil
	}
	return p
}

// phase is the change that says how the binding of a pod stands.
func phase(pod *corev1.Pod, name, at string) *patch {
	p := &patch{UID: pod.UID, Annotations: map[string]*string{device.AnnotationBindPhase: &name}}
	if at != "" {
		p.Annotations[device.AnnotationBindTime] = &at
	}
	return p
}

func (s *Scheduler) patchPod(ctx context.Context, pod *corev1.Pod, p *patch) (*corev1.Pod, error) {
	pods := s.client.CoreV1().Pods(pod.Namespace)
	written, err := pods.Patch(ctx, pod.Name, types.MergePatchType, p.bytes(), metav1.PatchOptions{})
	if err != nil {
		return nil, fmt.Errorf("patch pod %s/%s: %w", pod.Namespace, pod.Name, err)
	}
	return written, nil
}
