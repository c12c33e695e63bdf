package anonymize

import (
	"fmt"
	"strings"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
)

func typed(kind string) metav1.TypeMeta { return metav1.TypeMeta{APIVersion: "v1", Kind: kind} }

// annotations are those that answers depend on, with new names in them.
func (a *anonymizer) annotations(of map[string]string) map[string]string {
	out := map[string]string{}
	for key, text := range of {
		if f, known := a.forms[key]; known {
			out[key] = a.tidy.Replace(eachName(key, f, text, a.of))
		}
	}
	if _, static := of[corev1.MirrorPodAnnotationKey]; static {
		out[corev1.MirrorPodAnnotationKey] = "mirror"
	}
	return out
}

func (a *anonymizer) labelled(of map[string]string) map[string]string {
	if of == nil {
		return nil
	}
	out := map[string]string{}
	for key, v := range of {
		out[a.key(key)] = a.value(key, v)
	}
	return out
}

func (a *anonymizer) node(n *corev1.Node) *corev1.Node {
	out := &corev1.Node{TypeMeta: typed("Node")}
	out.Name, out.Labels, out.Annotations = a.of(node, n.Name), a.labelled(n.Labels), a.annotations(n.Annotations)
	out.Spec.Unschedulable = n.Spec.Unschedulable
	for _, t := range n.Spec.Taints {
		out.Spec.Taints = append(out.Spec.Taints, corev1.Taint{Key: a.key(t.Key), Value: a.value(t.Key, t.Value), Effect: t.Effect})
	}
	out.Status.Capacity, out.Status.Allocatable = n.Status.Capacity, n.Status.Allocatable
	for _, c := range n.Status.Conditions {
		if c.Type == corev1.NodeReady {
			out.Status.Conditions = append(out.Status.Conditions, corev1.NodeCondition{Type: c.Type, Status: c.Status})
		}
	}
	return out
}

func (a *anonymizer) quota(q *corev1.ResourceQuota) *corev1.ResourceQuota {
	out := &corev1.ResourceQuota{TypeMeta: typed("ResourceQuota")}
	out.Namespace, out.Name = a.of(namespace, q.Namespace), a.of(quota, q.Name)
	out.Spec.Hard = corev1.ResourceList{}
	for name, amount := range q.Spec.Hard {
		if strings.HasPrefix(string(name), "limits.") {
			out.Spec.Hard[name] = amount
		}
	}
	return out
}

func (a *anonymizer) pod(p *corev1.Pod) *corev1.Pod {
	out := &corev1.Pod{TypeMeta: typed("Pod")}
	out.Namespace, out.Name, out.UID = a.of(namespace, p.Namespace), a.of(pod, p.Name), types.UID(a.of(uid, string(p.UID)))
	out.Annotations, out.DeletionTimestamp = a.annotations(p.Annotations), p.DeletionTimestamp
	for _, o := range p.OwnerReferences {
		if o.Controller != nil && *o.Controller {
			out.OwnerReferences = append(out.OwnerReferences, metav1.OwnerReference{
				APIVersion: o.APIVersion, Kind: o.Kind, Name: a.of(owner, o.Name), UID: types.UID(a.of(uid, string(o.UID))), Controller: o.Controller,
			})
		}
	}
	s := &out.Spec
	s.NodeName, s.NodeSelector, s.Affinity = a.of(node, p.Spec.NodeName), a.labelled(p.Spec.NodeSelector), a.affinity(p)
	s.Overhead, s.Resources, s.SchedulerName = p.Spec.Overhead, p.Spec.Resources, p.Spec.SchedulerName
	if !usualScheduler(s.SchedulerName) {
		s.SchedulerName = a.of(scheduler, s.SchedulerName)
	}
	for _, t := range p.Spec.Tolerations {
		s.Tolerations = append(s.Tolerations, corev1.Toleration{Key: a.key(t.Key), Operator: t.Operator, Value: a.value(t.Key, t.Value), Effect: t.Effect})
	}
	for _, g := range p.Spec.SchedulingGates {
		s.SchedulingGates = append(s.SchedulingGates, corev1.PodSchedulingGate{Name: a.of(gate, g.Name)})
	}
	s.InitContainers, s.Containers = a.containers(p.Spec.InitContainers), a.containers(p.Spec.Containers)
	notJudged(p, s)
	out.Status.Phase = p.Status.Phase
	for _, c := range p.Status.InitContainerStatuses {
		if t := c.State.Terminated; t != nil {
			done := corev1.ContainerState{Terminated: &corev1.ContainerStateTerminated{ExitCode: t.ExitCode}}
			out.Status.InitContainerStatuses = append(out.Status.InitContainerStatuses, corev1.ContainerStatus{Name: a.of(container, c.Name), State: done})
		}
	}
	return out
}

func (a *anonymizer) containers(of []corev1.Container) (out []corev1.Container) {
	for i := range of {
		c := &of[i]
		to := corev1.Container{Name: a.of(container, c.Name), RestartPolicy: c.RestartPolicy}
		to.Resources.Limits, to.Resources.Requests = c.Resources.Limits, c.Resources.Requests
		if s := c.SecurityContext; s != nil && s.Privileged != nil {
			to.SecurityContext = &corev1.SecurityContext{Privileged: s.Privileged}
		}
		out = append(out, to)
	}
	return out
}

// affinity is the required node affinity.
func (a *anonymizer) affinity(p *corev1.Pod) *corev1.Affinity {
	if f := p.Spec.Affinity; f == nil || f.NodeAffinity == nil || f.NodeAffinity.RequiredDuringSchedulingIgnoredDuringExecution == nil {
		return nil
	}
	selector := &corev1.NodeSelector{}
	for _, term := range required(p) {
		var to corev1.NodeSelectorTerm
		for _, e := range term.MatchExpressions {
			x := corev1.NodeSelectorRequirement{Key: a.key(e.Key), Operator: e.Operator}
			for _, v := range e.Values {
				x.Values = append(x.Values, a.value(e.Key, v))
			}
			to.MatchExpressions = append(to.MatchExpressions, x)
		}
		for _, e := range term.MatchFields {
			x := corev1.NodeSelectorRequirement{Key: e.Key, Operator: e.Operator}
			for _, v := range e.Values {
				x.Values = append(x.Values, a.of(node, v))
			}
			to.MatchFields = append(to.MatchFields, x)
		}
		selector.NodeSelectorTerms = append(selector.NodeSelectorTerms, to)
	}
	return &corev1.Affinity{NodeAffinity: &corev1.NodeAffinity{RequiredDuringSchedulingIgnoredDuringExecution: selector}}
}

// notJudged leaves a trace of constraints that answers do not heed, and say so.
func notJudged(from *corev1.Pod, to *corev1.PodSpec) {
	term := []corev1.PodAffinityTerm{{TopologyKey: corev1.LabelHostname}}
	if f := from.Spec.Affinity; f != nil && f.PodAffinity != nil && len(f.PodAffinity.RequiredDuringSchedulingIgnoredDuringExecution) > 0 {
		to.Affinity = orNew(to.Affinity)
		to.Affinity.PodAffinity = &corev1.PodAffinity{RequiredDuringSchedulingIgnoredDuringExecution: term}
	}
	if f := from.Spec.Affinity; f != nil && f.PodAntiAffinity != nil && len(f.PodAntiAffinity.RequiredDuringSchedulingIgnoredDuringExecution) > 0 {
		to.Affinity = orNew(to.Affinity)
		to.Affinity.PodAntiAffinity = &corev1.PodAntiAffinity{RequiredDuringSchedulingIgnoredDuringExecution: term}
	}
	for _, c := range from.Spec.TopologySpreadConstraints {
		if c.WhenUnsatisfiable == corev1.DoNotSchedule {
			to.TopologySpreadConstraints = []corev1.TopologySpreadConstraint{{
				MaxSkew: 1, TopologyKey: corev1.LabelHostname, WhenUnsatisfiable: corev1.DoNotSchedule,
			}}
		}
	}
	for _, v := range from.Spec.Volumes {
		if v.PersistentVolumeClaim != nil {
			claim := &corev1.PersistentVolumeClaimVolumeSource{ClaimName: "claim"}
			to.Volumes = []corev1.Volume{{Name: "volume", VolumeSource: corev1.VolumeSource{PersistentVolumeClaim: claim}}}
		}
	}
	for i := range from.Spec.ResourceClaims {
		to.ResourceClaims = append(to.ResourceClaims, corev1.PodResourceClaim{Name: fmt.Sprintf("claim-%d", i)})
	}
}

func orNew(f *corev1.Affinity) *corev1.Affinity {
	if f == nil {
		return &corev1.Affinity{}
	}
	return f
}
