package kit

import (
	"slices"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"

	"github.com/accelfit/accelfit/device"
)

// Named says whether a container names a resource, in its limits or requests.
func Named(c *corev1.Container, name string) bool {
	_, ok := device.Quantity(c, name)
	return ok
}

// Limited says whether a container's limits name a resource.
func Limited(c *corev1.Container, name string) bool {
	_, ok := c.Resources.Limits[corev1.ResourceName(name)]
	return ok && name != ""
}

// SetLimit sets a limit of a container.
func SetLimit(c *corev1.Container, name string, n int64) { set(&c.Resources.Limits, name, n) }

// SetRequest sets a request of a container.
func SetRequest(c *corev1.Container, name string, n int64) { set(&c.Resources.Requests, name, n) }

func set(list *corev1.ResourceList, name string, n int64) {
	if *list == nil {
		*list = corev1.ResourceList{}
	}
	(*list)[corev1.ResourceName(name)] = *resource.NewQuantity(n, resource.DecimalSI)
}

// AddEnv appends an environment variable to a container, unless it has the very same: a pod may be admitted twice.
func AddEnv(c *corev1.Container, name, value string) {
	env := corev1.EnvVar{Name: name, Value: value}
	if !slices.Contains(c.Env, env) {
		c.Env = append(c.Env, env)
	}
}

// SetRuntimeClass gives a pod the runtime class that its devices need, unless it has one or none is configured.
func SetRuntimeClass(pod *corev1.Pod, name string) {
	if pod.Spec.RuntimeClassName == nil && name != "" {
		pod.Spec.RuntimeClassName = &name
	}
}
