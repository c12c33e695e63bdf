package nondevice

import (
	"strconv"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
)

type quantity = resource.Quantity

// Taken is what pods take of one node. The zero value is nothing.
type Taken struct {
	Resources corev1.ResourceList
	Pods      int64
}

// Sum adds up what pods take.
func (r *Rules) Sum(pods ...*corev1.Pod) Taken {
	var t Taken
	for _, pod := range pods {
		t = r.Plus(t, pod)
	}
	return t
}

// Plus returns t with one more pod; t is not changed.
func (r *Rules) Plus(t Taken, pod *corev1.Pod) Taken { return r.combine(t, pod, 1, (*quantity).Add) }

// Minus returns t without a pod; t is not changed.
func (r *Rules) Minus(t Taken, pod *corev1.Pod) Taken { return r.combine(t, pod, -1, (*quantity).Sub) }

func (r *Rules) combine(t Taken, pod *corev1.Pod, pods int64, apply func(*quantity, quantity)) Taken {
	out := Taken{Resources: corev1.ResourceList{}, Pods: t.Pods + pods}
	for name, q := range t.Resources {
		out.Resources[name] = q.DeepCopy()
	}
	for name, q := range r.Requests(pod) {
		sum := out.Resources[name]
		apply(&sum, q)
		out.Resources[name] = sum
	}
	return out
}

// Amount writes an amount of a resource for people: CPU in cores, bytes in Gi, everything else as it is.
func Amount(name corev1.ResourceName, q quantity) string {
	switch {
	case name == corev1.ResourceCPU:
		return decimal(q.AsApproximateFloat64(), 2)
	case name == corev1.ResourceMemory, name == corev1.ResourceEphemeralStorage,
		strings.HasPrefix(string(name), corev1.ResourceHugePagesPrefix):
		return decimal(q.AsApproximateFloat64()/(1<<30), 1) + gi
	}
	return q.String()
}

const gi = " Gi"

// decimal writes a number with at most the given digits behind the point.
func decimal(v float64, digits int) string {
	s := strconv.FormatFloat(v, 'f', digits, 64)
	return strings.TrimSuffix(strings.TrimRight(s, "0"), ".")
}
