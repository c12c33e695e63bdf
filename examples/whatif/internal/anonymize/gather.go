package anonymize

import (
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"

	"github.com/accelfit/accelfit/examples/whatif/internal/answer"
	"github.com/accelfit/accelfit/examples/whatif/internal/input"
)

// gather enters every name of a cluster.
func (a *anonymizer) gather(c *input.Cluster) {
	for _, p := range c.Pods {
		for _, term := range required(p) {
			for _, e := range term.MatchExpressions {
				if numeric(e.Operator) {
					a.ranges[e.Key] = true
				}
			}
		}
	}
	for _, n := range c.Nodes {
		a.note(node, n.Name)
		a.labels(n.Labels)
		for _, t := range n.Spec.Taints {
			a.label(t.Key, t.Value)
		}
		a.annotated(n.Annotations)
	}
	for _, q := range c.Quotas {
		a.note(namespace, q.Namespace)
		a.note(quota, q.Name)
	}
	for _, p := range c.Pods {
		a.gatherPod(p)
	}
	for v := range a.found[value] {
		if a.found[node][v] { // the hostname, most likely: it stays the name of the node
			delete(a.found[value], v)
		}
	}
}

func (a *anonymizer) gatherPod(p *corev1.Pod) {
	a.note(namespace, p.Namespace)
	a.note(pod, p.Name)
	a.note(uid, string(p.UID))
	a.note(node, p.Spec.NodeName)
	if !usualScheduler(p.Spec.SchedulerName) {
		a.note(scheduler, p.Spec.SchedulerName)
	}
	for _, g := range p.Spec.SchedulingGates {
		a.note(gate, g.Name)
	}
	for _, o := range p.OwnerReferences {
		a.note(owner, o.Name)
		a.note(uid, string(o.UID))
	}
	for _, list := range [][]corev1.Container{p.Spec.InitContainers, p.Spec.Containers} {
		for i := range list {
			a.note(container, list[i].Name)
		}
	}
	for _, s := range p.Status.InitContainerStatuses {
		a.note(container, s.Name)
	}
	a.labels(p.Spec.NodeSelector)
	for _, t := range p.Spec.Tolerations {
		a.label(t.Key, t.Value)
	}
	for _, term := range required(p) {
		for _, e := range term.MatchExpressions {
			a.label(e.Key, "")
			for _, v := range e.Values {
				a.label(e.Key, v)
			}
		}
		for _, e := range term.MatchFields {
			for _, v := range e.Values {
				a.note(node, v)
			}
		}
	}
	a.annotated(p.Annotations)
}

func (a *anonymizer) annotated(annotations map[string]string) {
	for key, text := range annotations {
		if f, known := a.forms[key]; known {
			eachName(key, f, text, func(k kind, old string) string { a.note(k, old); return old })
		}
	}
}

func (a *anonymizer) labels(labels map[string]string) {
	for key, v := range labels {
		a.label(key, v)
	}
}

// label enters a label or taint.
func (a *anonymizer) label(key, v string) {
	if !wellKnown(key) {
		a.note(labelKey, key)
	}
	if !a.stays(key, v) {
		a.note(value, v)
	}
}

// stays says whether a value is kept: types of machines, which say what devices they have, and what names nobody.
func (a *anonymizer) stays(key, v string) bool {
	switch key {
	case corev1.LabelInstanceTypeStable, corev1.LabelInstanceType, corev1.LabelOSStable, corev1.LabelArchStable:
		return true
	}
	return v == "" || v == "true" || v == "false" || a.ranges[key]
}

// key is the new name of a label or taint.
func (a *anonymizer) key(key string) string {
	if wellKnown(key) {
		return key
	}
	return a.of(labelKey, key)
}

// value is the new value of a label or taint.
func (a *anonymizer) value(key, v string) string {
	switch {
	case a.stays(key, v):
		return v
	case a.of(value, v) == "":
		return a.of(node, v)
	}
	return a.of(value, v)
}

// wellKnown says whether a label or taint is one of Kubernetes, of a cloud or of a vendor.
func wellKnown(key string) bool {
	autoscaler := strings.HasSuffix(key, "OfClusterAutoscaler") || strings.HasSuffix(key, "ByClusterAutoscaler")
	if key == "" || slices.Contains(answer.DefaultGroupLabels(), key) || autoscaler {
		return true
	}
	domain, _, found := strings.Cut(key, "/")
	return found && slices.ContainsFunc([]string{
		"kubernetes.io", "k8s.io", "hami.io", "nvidia.com", "amd.com", "amazonaws.com", "gke.io", "google.com", "azure.com",
		"karpenter.sh", "eksctl.io", "alibabacloud.com",
	}, func(d string) bool { return domain == d || strings.HasSuffix(domain, "."+d) })
}

// usualScheduler says whether a scheduler's name is nobody's own.
func usualScheduler(name string) bool {
	return name == "" || name == corev1.DefaultSchedulerName || name == "hami-scheduler"
}

func numeric(o corev1.NodeSelectorOperator) bool {
	return o == corev1.NodeSelectorOpGt || o == corev1.NodeSelectorOpLt
}

// required are the terms of a pod's node affinity of which a node has to match one.
func required(p *corev1.Pod) []corev1.NodeSelectorTerm {
	if f := p.Spec.Affinity; f != nil && f.NodeAffinity != nil && f.NodeAffinity.RequiredDuringSchedulingIgnoredDuringExecution != nil {
		return f.NodeAffinity.RequiredDuringSchedulingIgnoredDuringExecution.NodeSelectorTerms
	}
	return nil
}
