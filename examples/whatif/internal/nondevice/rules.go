// Package nondevice judges what keeps a pod off a node besides devices: CPU, memory, other resources, the number of pods,
// node selectors and affinity, taints, cordoned nodes and nodes that are not ready. The decisions are those of
// k8s.io/component-helpers.
package nondevice

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	podresource "k8s.io/component-helpers/resource"
	schedulinghelpers "k8s.io/component-helpers/scheduling/corev1"
	"k8s.io/component-helpers/scheduling/corev1/nodeaffinity"
	"k8s.io/klog/v2"
)

// Finding is one rule that a node breaks for a pod.
type Finding struct {
	Rule string `json:"rule"` // cordoned, notReady, taint, nodeSelector, nodeAffinity, pods, or the name of a resource
	Want string `json:"want"`
	Have string `json:"have"`
}

// Findings are all rules that a node breaks for a pod. As an error it says why the pod must not go there.
type Findings []Finding

// Error lists the findings in one line.
func (f Findings) Error() string {
	parts := make([]string, len(f))
	for i, x := range f {
		parts[i] = fmt.Sprintf("%s (want %s, have %s)", x.Rule, x.Want, x.Have)
	}
	return strings.Join(parts, ", ")
}

// Rules judges pods. It is used by one goroutine at a time.
type Rules struct {
	skip     map[corev1.ResourceName]bool
	requests map[*corev1.Pod]corev1.ResourceList
}

// New returns rules that leave the given resources to others: those of devices.
func New(devices ...string) *Rules {
	r := &Rules{skip: map[corev1.ResourceName]bool{}, requests: map[*corev1.Pod]corev1.ResourceList{}}
	for _, name := range devices {
		r.skip[corev1.ResourceName(name)] = true
	}
	return r
}

// Requests returns what a pod asks of a node's resources, devices left out. The list is shared: read it only.
func (r *Rules) Requests(pod *corev1.Pod) corev1.ResourceList {
	if known, ok := r.requests[pod]; ok {
		return known
	}
	list := podresource.PodRequests(defaulted(pod), podresource.PodResourcesOptions{})
	maps.DeleteFunc(list, func(name corev1.ResourceName, _ quantity) bool { return r.skip[name] })
	r.requests[pod] = list
	return list
}

// defaulted is a pod as the API server stores it: what a container limits and does not request, it requests. Pods from a
// cluster are so already.
func defaulted(pod *corev1.Pod) *corev1.Pod {
	c := pod.DeepCopy()
	for _, containers := range [][]corev1.Container{c.Spec.InitContainers, c.Spec.Containers} {
		for i := range containers {
			r := &containers[i].Resources
			for name, q := range r.Limits {
				if _, requested := r.Requests[name]; requested {
					continue
				}
				if r.Requests == nil {
					r.Requests = corev1.ResourceList{}
				}
				r.Requests[name] = q
			}
		}
	}
	return c
}

// Broken lists the rules that a node breaks for a pod, beside what is taken of it.
func (r *Rules) Broken(pod *corev1.Pod, node *corev1.Node, taken Taken) Findings {
	out := Findings{}
	add := func(rule, want, have string) { out = append(out, Finding{rule, want, have}) }
	if node.Spec.Unschedulable && !tolerates(pod, corev1.TaintNodeUnschedulable) {
		add("cordoned", "schedulable node", "unschedulable: true")
	}
	if status := readiness(node); status != corev1.ConditionTrue && !tolerates(pod, corev1.TaintNodeNotReady) {
		add("notReady", "Ready True", "Ready "+string(status))
	}
	if taint, found := untolerated(pod, node); found {
		add("taint", "toleration", taint.ToString())
	}
	out = append(out, placementRules(pod, node)...)
	if most := node.Status.Allocatable.Pods(); node.Status.Allocatable != nil && taken.Pods+1 > most.Value() {
		add("pods", "1 more", fmt.Sprintf("%d of %d", taken.Pods, most.Value()))
	}
	return append(out, r.resources(pod, node, taken)...)
}

// resources compares what is asked with what is left. A node without allocatable (a hand-written one) is not judged.
func (r *Rules) resources(pod *corev1.Pod, node *corev1.Node, taken Taken) Findings {
	var out Findings
	if node.Status.Allocatable == nil {
		return nil
	}
	asked := r.Requests(pod)
	for _, name := range slices.Sorted(maps.Keys(asked)) {
		want := asked[name]
		all := node.Status.Allocatable[name]
		left := all.DeepCopy()
		left.Sub(taken.Resources[name])
		if want.Sign() > 0 && want.Cmp(left) > 0 {
			out = append(out, Finding{string(name), Amount(name, want), strings.TrimSuffix(Amount(name, left), gi) + " of " + Amount(name, all) + " left"})
		}
	}
	return out
}

// Ready says whether a node takes work by its condition; a node that reports no condition does.
func Ready(node *corev1.Node) bool { return readiness(node) == corev1.ConditionTrue }

func readiness(node *corev1.Node) corev1.ConditionStatus {
	for _, c := range node.Status.Conditions {
		if c.Type == corev1.NodeReady {
			return c.Status
		}
	}
	return corev1.ConditionTrue
}

func tolerates(pod *corev1.Pod, key string) bool {
	taint := corev1.Taint{Key: key, Effect: corev1.TaintEffectNoSchedule}
	return schedulinghelpers.TolerationsTolerateTaint(klog.Background(), pod.Spec.Tolerations, &taint, false)
}

// untolerated finds a taint that keeps the pod away. Those that mirror the cordon and the Ready condition are judged there.
func untolerated(pod *corev1.Pod, node *corev1.Node) (corev1.Taint, bool) {
	return schedulinghelpers.FindMatchingUntoleratedTaint(klog.Background(), node.Spec.Taints, pod.Spec.Tolerations, func(t *corev1.Taint) bool {
		switch {
		case t.Effect == corev1.TaintEffectPreferNoSchedule,
			t.Key == corev1.TaintNodeUnschedulable && node.Spec.Unschedulable,
			t.Key == corev1.TaintNodeNotReady && !Ready(node), t.Key == corev1.TaintNodeUnreachable && !Ready(node):
			return false
		}
		return true
	}, false)
}

// placementRules judges the node selector and the required node affinity, each by itself to tell which one is broken.
func placementRules(pod *corev1.Pod, node *corev1.Node) Findings {
	var out Findings
	selector := &corev1.Pod{Spec: corev1.PodSpec{NodeSelector: pod.Spec.NodeSelector}}
	if ok, _ := nodeaffinity.GetRequiredNodeAffinity(selector).Match(node); !ok {
		want, have := differing(pod.Spec.NodeSelector, node.Labels)
		out = append(out, Finding{"nodeSelector", want, have})
	}
	affinity := &corev1.Pod{Spec: corev1.PodSpec{Affinity: pod.Spec.Affinity}}
	ok, err := nodeaffinity.GetRequiredNodeAffinity(affinity).Match(node)
	switch {
	case err != nil:
		out = append(out, Finding{"nodeAffinity", "a term that matches", "invalid: " + err.Error()})
	case !ok:
		out = append(out, Finding{"nodeAffinity", "a term that matches", "none"})
	}
	return out
}

// differing shows the labels in which a node differs from a selector.
func differing(selector, labels map[string]string) (want, have string) {
	var wants, haves []string
	for _, key := range slices.Sorted(maps.Keys(selector)) {
		value, found := labels[key]
		if found && value == selector[key] {
			continue
		}
		wants = append(wants, key+"="+selector[key])
		if found {
			haves = append(haves, key+"="+value)
		}
	}
	if len(haves) == 0 {
		haves = []string{"no such label"}
	}
	return strings.Join(wants, ","), strings.Join(haves, ",")
}
