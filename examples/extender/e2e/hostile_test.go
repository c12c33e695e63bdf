package e2e

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	extenderv1 "k8s.io/kube-scheduler/extender/v1"
)

// hostile is a body that must change nothing: no JSON, JSON of another kind, or about a pod that is bound or made up.
func hostile(random *rand.Rand, bound []*corev1.Pod) any {
	pod := bound[random.IntN(len(bound))].DeepCopy()
	names := []string{"node-0", "node-5", strings.Repeat("x", random.IntN(1000))}
	switch random.IntN(10) {
	case 0:
		return strings.Repeat("[", random.IntN(20000))
	case 1:
		return strings.Repeat(`{"Pod":`, random.IntN(5000))
	case 2:
		return `{"Pod": {"metadata": {"name": 7}}, "NodeNames": ["node-0"]}`
	case 3:
		return extenderv1.ExtenderArgs{Pod: pod}
	case 4:
		return extenderv1.ExtenderArgs{Pod: pod, NodeNames: &names, Nodes: &corev1.NodeList{}}
	case 5:
		return extenderv1.ExtenderArgs{NodeNames: &names}
	case 6:
		pod.Name = "made-up"
	case 7:
		pod.UID = "made-up"
	case 8:
		return extenderv1.ExtenderBindingArgs{PodName: pod.Name, PodNamespace: pod.Namespace, PodUID: pod.UID, Node: "node-9"}
	case 9:
		return extenderv1.ExtenderBindingArgs{PodName: "made-up", PodNamespace: pod.Namespace, PodUID: pod.UID, Node: "node-0"}
	}
	text, err := json.Marshal(extenderv1.ExtenderArgs{Pod: pod, NodeNames: &names})
	if err != nil {
		panic(err)
	}
	if random.IntN(2) == 0 {
		text = text[:random.IntN(len(text))]
	}
	return string(text)
}

// objectsOf is all that a call could change.
func objectsOf(t *testing.T, e *extender) (out []string) {
	t.Helper()
	pods, err := e.cluster.Client().CoreV1().Pods("e2e").List(t.Context(), metav1.ListOptions{})
	if err != nil {
		t.Fatal(err)
	}
	nodes, err := e.cluster.Client().CoreV1().Nodes().List(t.Context(), metav1.ListOptions{})
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range pods.Items {
		out = append(out, fmt.Sprint(p.Name, p.Annotations, p.Labels, p.Spec.NodeName))
	}
	for _, n := range nodes.Items {
		out = append(out, fmt.Sprint(n.Name, n.Annotations))
	}
	return out
}

// settled waits until something holds.
func settled(t *testing.T, ok func() bool) {
	t.Helper()
	for end := time.Now().Add(30 * time.Second); !ok(); time.Sleep(200 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatal("does not settle")
		}
	}
}
