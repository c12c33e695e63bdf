package nimbus_test

import (
	"fmt"
	"testing"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"example.com/nimbus"
	"github.com/accelfit/accelfit/device"
	"github.com/accelfit/accelfit/device/devicetest"
)

func TestConformance(t *testing.T)  { devicetest.Run(t, harness()) }
func FuzzLaws(f *testing.F)         { devicetest.FuzzLaws(f, harness()) }
func FuzzHostile(f *testing.F)      { devicetest.FuzzHostile(f, harness()) }
func BenchmarkBackend(b *testing.B) { devicetest.Bench(b, harness()) }

// harness has a node of each model, and pods that ask in every way.
func harness() devicetest.Harness {
	h := devicetest.Harness{Backend: nimbus.New(nimbus.Config{}), Claims: devicetest.Claims{
		Modes:    []string{nimbus.ModeShared, nimbus.ModeExclusive},
		Policies: []string{"binpack", "mutex"},
		Codes:    []device.Code{device.CardNotFoundCustomFilterRule},
	}}
	for _, m := range nimbus.Models() {
		node, npus := &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: "n"}}, make([]device.DeviceInfo, 12)
		for i := range npus {
			npus[i] = m.Device(fmt.Sprint("npu-", i), i)
		}
		if err := h.Backend.Describe(node, npus); err != nil {
			panic(err)
		}
		h.Nodes = append(h.Nodes, node)
	}
	for _, limits := range []string{"1 0 0", "1 8000 0", "1 8000 30", "1 1 100", "2 4000 20", "3 0 50", "5 1000 10"} {
		h.Pods = append(h.Pods, pod(limits), pod(limits, nimbus.AnnotationMode, nimbus.ModeShared), pod(limits, nimbus.AnnotationNoUse, "npu-2,npu-7"))
	}
	return h
}

// pod is a pod of one container with limits of NPUs, memory and cores, and with annotations in pairs of key and value.
func pod(limits string, annotations ...string) *corev1.Pod {
	var npus, memory, cores string
	_, _ = fmt.Sscan(limits, &npus, &memory, &cores)
	p := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Name: "p", Namespace: "default", UID: "p", Annotations: map[string]string{}}}
	for i := 0; i < len(annotations); i += 2 {
		p.Annotations[annotations[i]] = annotations[i+1]
	}
	p.Spec.Containers = []corev1.Container{{Name: "c", Resources: corev1.ResourceRequirements{Limits: corev1.ResourceList{
		"nimbus.example/npu": resource.MustParse(npus), "nimbus.example/npu-memory": resource.MustParse(memory), "nimbus.example/npu-cores": resource.MustParse(cores),
	}}}}
	return p
}
