package nondevice

import (
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

func node(change func(*corev1.Node)) *corev1.Node {
	n := &corev1.Node{
		ObjectMeta: metav1.ObjectMeta{Name: "n1", Labels: map[string]string{"disk": "hdd"}},
		Status: corev1.NodeStatus{
			Allocatable: list("cpu", "8", "memory", "16Gi", "pods", "2", "example.com/nic", "1"),
			Conditions:  []corev1.NodeCondition{{Type: corev1.NodeReady, Status: corev1.ConditionTrue}},
		},
	}
	if change != nil {
		change(n)
	}
	return n
}

func list(pairs ...string) corev1.ResourceList {
	out := corev1.ResourceList{}
	for i := 0; i < len(pairs); i += 2 {
		out[corev1.ResourceName(pairs[i])] = resource.MustParse(pairs[i+1])
	}
	return out
}

func pod(change func(*corev1.PodSpec), requests ...string) *corev1.Pod {
	p := &corev1.Pod{Spec: corev1.PodSpec{Containers: []corev1.Container{{
		Resources: corev1.ResourceRequirements{Requests: list(requests...)},
	}}}}
	if change != nil {
		change(&p.Spec)
	}
	return p
}

func TestBroken(t *testing.T) {
	r := New("example.com/card")
	one := r.Sum(pod(nil, "cpu", "6", "memory", "6Gi"))
	taint := func(key string) func(*corev1.Node) {
		return func(n *corev1.Node) {
			n.Spec.Taints = []corev1.Taint{{Key: key, Value: "x", Effect: corev1.TaintEffectNoSchedule}}
		}
	}
	cordon := func(n *corev1.Node) { n.Spec.Unschedulable = true; taint(corev1.TaintNodeUnschedulable)(n) }
	broken := func(n *corev1.Node) { n.Status.Conditions[0].Status = corev1.ConditionUnknown }
	tolerateAll := func(s *corev1.PodSpec) { s.Tolerations = []corev1.Toleration{{Operator: corev1.TolerationOpExists}} }
	affinity := func(op corev1.NodeSelectorOperator) func(*corev1.PodSpec) {
		return func(s *corev1.PodSpec) {
			s.Affinity = &corev1.Affinity{NodeAffinity: &corev1.NodeAffinity{
				RequiredDuringSchedulingIgnoredDuringExecution: &corev1.NodeSelector{NodeSelectorTerms: []corev1.NodeSelectorTerm{{
					MatchExpressions: []corev1.NodeSelectorRequirement{{Key: "disk", Operator: op, Values: []string{"ssd"}}},
				}}},
			}}
		}
	}
	for name, c := range map[string]struct {
		node  *corev1.Node
		pod   *corev1.Pod
		taken Taken
		want  string
	}{
		"fits":                     {node(nil), pod(nil, "cpu", "2", "memory", "10Gi"), one, ""},
		"a thousandth too much":    {node(nil), pod(nil, "cpu", "2001m"), one, "cpu (want 2, have 2 of 8 left)"},
		"memory":                   {node(nil), pod(nil, "memory", "10.5Gi"), one, "memory (want 10.5 Gi, have 10 of 16 Gi left)"},
		"other resources":          {node(nil), pod(nil, "example.com/nic", "2"), one, "example.com/nic (want 2, have 1 of 1 left)"},
		"a resource nobody offers": {node(nil), pod(nil, "example.com/x", "1"), one, "example.com/x (want 1, have 0 of 0 left)"},
		"devices are left out":     {node(nil), pod(nil, "example.com/card", "9"), one, ""},
		"asks for nothing":         {node(nil), pod(nil), Taken{Resources: list("cpu", "100"), Pods: 1}, ""},
		"pods":                     {node(nil), pod(nil), r.Sum(pod(nil), pod(nil)), "pods (want 1 more, have 2 of 2)"},
		"no allocatable":           {&corev1.Node{}, pod(nil, "cpu", "9"), one, ""},
		"cordoned":                 {node(cordon), pod(nil), one, "cordoned (want schedulable node, have unschedulable: true)"},
		"cordoned, tolerated":      {node(cordon), pod(tolerateAll), one, ""},
		"not ready":                {node(broken), pod(nil), one, "notReady (want Ready True, have Ready Unknown)"},
		"not ready, tolerated":     {node(broken), pod(tolerateAll), one, ""},
		"taint":                    {node(taint("team")), pod(nil), one, "taint (want toleration, have team=x:NoSchedule)"},
		"taint, tolerated":         {node(taint("team")), pod(tolerateAll), one, ""},
		"selector, other value": {node(nil), pod(func(s *corev1.PodSpec) { s.NodeSelector = map[string]string{"disk": "ssd"} }), one,
			"nodeSelector (want disk=ssd, have disk=hdd)"},
		"selector, no label": {node(nil), pod(func(s *corev1.PodSpec) { s.NodeSelector = map[string]string{"rack": "7"} }), one,
			"nodeSelector (want rack=7, have no such label)"},
		"affinity":           {node(nil), pod(affinity(corev1.NodeSelectorOpIn)), one, "nodeAffinity (want a term that matches, have none)"},
		"affinity, matched":  {node(nil), pod(affinity(corev1.NodeSelectorOpNotIn)), one, ""},
		"affinity, no sense": {node(nil), pod(affinity("Like")), one, "nodeAffinity (want a term that matches, have invalid"},
	} {
		t.Run(name, func(t *testing.T) {
			got := r.Broken(c.pod, c.node, c.taken).Error()
			if !strings.HasPrefix(got, c.want) || (c.want == "") != (got == "") {
				t.Errorf("got  %s\nwant %s", got, c.want)
			}
		})
	}
}

func TestPlusMinus(t *testing.T) {
	r := New()
	a, b := pod(nil, "cpu", "1"), pod(nil, "cpu", "2", "memory", "1Gi")
	sum := r.Sum(a)
	both := r.Plus(sum, b)
	back := r.Minus(both, b)
	for name, c := range map[string]struct {
		t    Taken
		cpu  string
		pods int64
	}{"sum unchanged": {sum, "1", 1}, "both": {both, "3", 2}, "back": {back, "1", 1}} {
		if got := c.t.Resources[corev1.ResourceCPU]; got.String() != c.cpu || c.t.Pods != c.pods {
			t.Errorf("%s: cpu %s, %d pods", name, got.String(), c.t.Pods)
		}
	}
}

// TestLimitsAreRequested: what a container limits and does not request counts as requested, as in the API server.
func TestLimitsAreRequested(t *testing.T) {
	limits := corev1.ResourceList{"cpu": resource.MustParse("2"), "memory": resource.MustParse("1Gi")}
	requests := corev1.ResourceList{"cpu": resource.MustParse("500m")}
	pod := &corev1.Pod{Spec: corev1.PodSpec{Containers: []corev1.Container{
		{Name: "c", Resources: corev1.ResourceRequirements{Limits: limits, Requests: requests}},
	}}}
	got := New().Requests(pod)
	if cpu, memory := got["cpu"], got["memory"]; cpu.String() != "500m" || memory.String() != "1Gi" {
		t.Errorf("requests %v", got)
	}
	if len(pod.Spec.Containers[0].Resources.Requests) != 1 {
		t.Error("the pod was changed")
	}
}
