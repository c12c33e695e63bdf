package answer

import (
	"errors"
	"fmt"
	"strings"

	corev1 "k8s.io/api/core/v1"

	"github.com/accelfit/accelfit/examples/whatif/internal/problem"
	"github.com/accelfit/accelfit/vendors"
)

// asked is a pod as the question takes it: completed as admission does, and its problems.
type asked struct {
	pod      *corev1.Pod // completed; a copy where admission has been at it
	request  *vendors.Request
	invalid  error // why no request can be made of it: it fits nowhere
	problems []problem.Problem
}

// ask completes a pod and parses it. Pods that have a node were completed when they were made.
func (w *World) ask(pod *corev1.Pod) asked {
	a := asked{pod: pod}
	if !w.options.NoAdmission && w.nodeOf(pod) == "" {
		admission, err := w.set.Admit(pod, vendors.AdmitOptions{SchedulerName: scheduler(pod)})
		if err != nil {
			a.invalid = err
			a.note(fmt.Errorf("refused at admission: %w", err))
			return a
		}
		a.pod = admission.Pod
	}
	if a.request, a.invalid = w.set.Request(a.pod); a.invalid != nil {
		a.note(a.invalid)
		return a
	}
	a.request = a.request.With(w.fit)
	for _, what := range notJudged(pod) {
		a.problems = append(a.problems, problem.Problem{
			Object: "pod " + podName(pod), Field: what, Why: "not looked at by this tool", LeftOut: "that constraint",
		})
	}
	return a
}

// note records why the pod fits nowhere, under the name of the resource where the error knows it.
func (a *asked) note(err error) {
	a.problems = append(a.problems, problem.From("pod "+podName(a.pod), err, "the pod, which fits nowhere")...)
}

// scheduler is the scheduler name that admission is to expect: the pod's own, if it names one.
func scheduler(pod *corev1.Pod) string {
	if pod.Spec.SchedulerName == corev1.DefaultSchedulerName {
		return ""
	}
	return pod.Spec.SchedulerName
}

// notJudged lists fields of a pod that can keep it off nodes and that this tool does not look at.
func notJudged(pod *corev1.Pod) []string {
	var out []string
	if a := pod.Spec.Affinity; a != nil {
		if a.PodAffinity != nil && len(a.PodAffinity.RequiredDuringSchedulingIgnoredDuringExecution) > 0 {
			out = append(out, "spec.affinity.podAffinity")
		}
		if a.PodAntiAffinity != nil && len(a.PodAntiAffinity.RequiredDuringSchedulingIgnoredDuringExecution) > 0 {
			out = append(out, "spec.affinity.podAntiAffinity")
		}
	}
	for _, c := range pod.Spec.TopologySpreadConstraints {
		if c.WhenUnsatisfiable == corev1.DoNotSchedule {
			out = append(out, "spec.topologySpreadConstraints")
			break
		}
	}
	for _, v := range pod.Spec.Volumes {
		if v.PersistentVolumeClaim != nil {
			out = append(out, "spec.volumes (persistentVolumeClaim)")
			break
		}
	}
	if len(pod.Spec.ResourceClaims) > 0 {
		out = append(out, "spec.resourceClaims")
	}
	return out
}

var errGated = errors.New("waits for its scheduling gates")

// gated says why a pod is not to be scheduled yet, or nil.
func gated(pod *corev1.Pod) error {
	if len(pod.Spec.SchedulingGates) == 0 {
		return nil
	}
	names := make([]string, len(pod.Spec.SchedulingGates))
	for i, g := range pod.Spec.SchedulingGates {
		names[i] = g.Name
	}
	return fmt.Errorf("%w: %s", errGated, strings.Join(names, ", "))
}

// containerName names a container by its position, init containers first.
func containerName(pod *corev1.Pod, position int) string {
	if n := len(pod.Spec.InitContainers); position < n {
		return pod.Spec.InitContainers[position].Name
	} else if position-n < len(pod.Spec.Containers) {
		return pod.Spec.Containers[position-n].Name
	}
	return fmt.Sprintf("container %d", position)
}
