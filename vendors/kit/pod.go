package kit

import corev1 "k8s.io/api/core/v1"

// SetRuntimeClass gives a pod the runtime class that its devices need, unless it has one or none is configured.
func SetRuntimeClass(pod *corev1.Pod, name string) {
	if pod.Spec.RuntimeClassName == nil && name != "" {
		pod.Spec.RuntimeClassName = &name
	}
}
