package simulate_test

import (
	"fmt"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/accelfit/accelfit/device"
	"github.com/accelfit/accelfit/internal/testkit"
	"github.com/accelfit/accelfit/simulate"
	"github.com/accelfit/accelfit/vendors"
)

// cards are n equal cards g0, g1 …
func cards(n int, memory int64) (out []device.DeviceInfo) {
	for i := range n {
		c := testkit.Card(fmt.Sprintf("g%d", i), memory)
		c.Index = i
		out = append(out, c)
	}
	return out
}

// podOf reads a pod written as one line: a name, then words key=value; "|" begins a further container. The words gpu, mem,
// percent and cores are what the container asks for, init and sidecar its class; ns is the pod's namespace, and words whose
// key has a slash are its annotations. For example "p ns=a gpu=1 mem=100 | sidecar gpu=1 hami.io/vgpu-node=n1".
func podOf(line string) *corev1.Pod {
	name, rest, _ := strings.Cut(strings.TrimSpace(line), " ")
	pod := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Namespace: "team", Name: name, Annotations: map[string]string{}}}
	for i, text := range strings.Split(rest, "|") {
		c := corev1.Container{Name: fmt.Sprintf("c%d", i)}
		c.Resources.Limits = corev1.ResourceList{}
		class := device.App
		for word := range strings.FieldsSeq(text) {
			key, value, _ := strings.Cut(word, "=")
			switch key {
			case "gpu":
				c.Resources.Limits["nvidia.com/gpu"] = resource.MustParse(value)
			case "mem":
				c.Resources.Limits["nvidia.com/gpumem"] = resource.MustParse(value)
			case "percent":
				c.Resources.Limits["nvidia.com/gpumem-percentage"] = resource.MustParse(value)
			case "cores":
				c.Resources.Limits["nvidia.com/gpucores"] = resource.MustParse(value)
			case "init":
				class = device.Init
			case "sidecar":
				class = device.Sidecar
			case "ns":
				pod.Namespace = value
			case "uid":
				pod.UID = types.UID(value)
			default:
				if !strings.Contains(key, "/") {
					panic("podOf: " + word)
				}
				pod.Annotations[key] = value
			}
		}
		testkit.AddContainer(pod, c, class)
	}
	return pod
}

// podsOf are n pods as podOf reads them, named a0, a1 …
func podsOf(n int, rest string) (out []*corev1.Pod) {
	for i := range n {
		out = append(out, podOf(fmt.Sprintf("a%d %s", i, rest)))
	}
	return out
}

func quotaOf(namespace, name string, limits map[string]string) *corev1.ResourceQuota {
	q := &corev1.ResourceQuota{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: name}}
	q.Spec.Hard = corev1.ResourceList{}
	for key, value := range limits {
		q.Spec.Hard[corev1.ResourceName(key)] = resource.MustParse(value)
	}
	return q
}

// newSnapshot fails the test if something cannot be read.
func newSnapshot(t testing.TB, set *vendors.Set, nodes []*corev1.Node, pods ...*corev1.Pod) *simulate.Snapshot {
	t.Helper()
	s, problems := simulate.New(set, nodes, pods)
	if len(problems) > 0 {
		t.Fatal(problems)
	}
	return s
}

// devicesOf lists the ids of an allocation in the order they were granted, without the name of their node.
func devicesOf(a *device.Allocation, node string) string {
	var out []string
	for _, d := range a.Devices {
		id := d.ID
		if own, ok := strings.CutPrefix(id, node+"/"); ok {
			id = "./" + own
		}
		if !d.MIG.IsZero() {
			id += fmt.Sprintf("(%s@%d)", d.MIG.Profile, d.MIG.Placement.Start)
		}
		out = append(out, id)
	}
	return strings.Join(out, " ")
}
