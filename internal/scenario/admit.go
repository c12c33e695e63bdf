package scenario

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"

	"github.com/accelfit/accelfit/vendors"
)

// admit says what admission makes of a pod: what it adds, why it is turned away or left alone.
func (w *World) admit(c *command, pod *corev1.Pod) (string, error) {
	a, err := w.set.Admit(pod, vendors.AdmitOptions{
		SchedulerName: c.value("scheduler"), KeepDefaultScheduler: c.has("keep-default"),
		Quota: w.quotas.Headroom(pod.Namespace),
	})
	if err != nil {
		return "refused: " + err.Error(), nil
	}
	var out []string
	before, after := containers(&pod.Spec), containers(&a.Pod.Spec)
	for i := range after {
		for _, change := range w.changes(before[i], after[i]) {
			out = append(out, after[i].Name+": "+change)
		}
	}
	if name := a.Pod.Spec.RuntimeClassName; name != nil && pod.Spec.RuntimeClassName == nil {
		out = append(out, "runtime class "+*name)
	}
	if name := a.Pod.Spec.SchedulerName; name != pod.Spec.SchedulerName {
		out = append(out, "scheduler "+name)
	}
	for _, key := range slices.Sorted(maps.Keys(a.Pod.Annotations)) {
		if value := a.Pod.Annotations[key]; value != pod.Annotations[key] {
			out = append(out, "@"+key+": "+value)
		}
	}
	if len(out) == 0 {
		out = []string{"unchanged"}
	}
	for _, warning := range a.Warnings {
		out = append(out, "warning: "+warning)
	}
	who := "mine"
	if !a.Devices {
		who = "not mine"
	}
	if a.Note != "" {
		who = a.Note
	}
	return who + ", " + strings.Join(out, ", "), nil
}

func containers(spec *corev1.PodSpec) []*corev1.Container {
	var out []*corev1.Container
	for i := range spec.InitContainers {
		out = append(out, &spec.InitContainers[i])
	}
	for i := range spec.Containers {
		out = append(out, &spec.Containers[i])
	}
	return out
}

// changes lists the limits, requests and environment variables that a container was given.
func (w *World) changes(before, after *corev1.Container) []string {
	out := w.amounts("", before.Resources.Limits, after.Resources.Limits)
	out = append(out, w.amounts("R:", before.Resources.Requests, after.Resources.Requests)...)
	for _, e := range after.Env[len(before.Env):] {
		out = append(out, "env "+e.Name+"="+e.Value)
	}
	return out
}

func (w *World) amounts(prefix string, before, after corev1.ResourceList) []string {
	var out []string
	for _, name := range slices.Sorted(maps.Keys(after)) {
		was, found := before[name]
		now := after[name]
		if !found || was.Cmp(now) != 0 {
			out = append(out, fmt.Sprintf("%s%s=%s", prefix, w.shortName(string(name)), now.String()))
		}
	}
	return out
}
