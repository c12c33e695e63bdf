//go:build !race

package metax_test // the race detector makes pools allocate

import (
	"testing"

	corev1 "k8s.io/api/core/v1"

	"github.com/accelfit/accelfit/device"
	"github.com/accelfit/accelfit/usage"
	"github.com/accelfit/accelfit/vendors"
	"github.com/accelfit/accelfit/vendors/metax"
)

// TestAllocations: refusing a node allocates nothing, whatever rule it is for; accepting it little.
func TestAllocations(t *testing.T) {
	set := vendors.Default()
	n := naive{zones: make([]int, 8), busy: make([]bool, 8)}
	for i := range n.zones {
		n.zones[i] = i / 4
		n.busy[i] = i > 5
	}
	pods := n.pods()
	pods[0].Annotations[metax.AnnotationAppClass] = "offline"
	node, _ := usage.Node(set, n.object(), pods)
	full := naive{zones: n.zones, busy: []bool{true, true, true, true, true, true, true, true}}
	others := full.pods()
	for _, p := range others {
		p.Annotations[metax.AnnotationSGPUAllocated] = "g0,Metax-SGPU,1,1:g1,Metax-SGPU,1,1:g2,Metax-SGPU,1,1:g3,Metax-SGPU,1,1:g4,Metax-SGPU,1,1:g5,Metax-SGPU,1,1:g6,Metax-SGPU,1,1:g7,Metax-SGPU,1,1:;"
		p.Annotations[metax.AnnotationQoS] = "fixed-share"
	}
	shared, _ := usage.Node(set, n.object(), others)
	for _, c := range []struct {
		name        string
		node        *device.NodeUsage
		amounts     []string
		annotations map[string]string
		fits        bool
		most        float64
	}{
		{"refuse/memory", node, []string{"metax-tech.com/sgpu", "1", "metax-tech.com/vmemory", "65"}, nil, false, 0},
		{"refuse/class", shared, []string{"metax-tech.com/sgpu", "1", "metax-tech.com/vmemory", "1"}, map[string]string{metax.AnnotationAppClass: "online"}, false, 0},
		{"refuse/qos", shared, []string{"metax-tech.com/sgpu", "1", "metax-tech.com/vcore", "1"}, map[string]string{metax.AnnotationQoS: "best-effort"}, false, 0},
		{"refuse/too-many", node, []string{"metax-tech.com/sgpu", "7"}, nil, false, 0},
		{"accept/share", node, []string{"metax-tech.com/sgpu", "1", "metax-tech.com/vcore", "1"}, nil, true, 2},
		{"accept/linked", node, []string{"metax-tech.com/sgpu", "2"}, nil, true, 6},
		{"accept/online", node, []string{"metax-tech.com/sgpu", "1"}, map[string]string{metax.AnnotationAppClass: "online"}, true, 6},
	} {
		t.Run(c.name, func(t *testing.T) {
			pod := &corev1.Pod{Spec: corev1.PodSpec{Containers: []corev1.Container{asking(c.amounts...)}}}
			pod.Annotations = c.annotations
			r, err := set.Request(pod)
			if err != nil {
				t.Fatal(err)
			}
			if fit := set.Fit(r, c.node); fit.OK() != c.fits {
				t.Fatalf("fits %t: %s", fit.OK(), fit.Reasons)
			}
			if n := testing.AllocsPerRun(100, func() { set.Fit(r, c.node) }); n > c.most {
				t.Errorf("%v allocations, at most %v", n, c.most)
			}
		})
	}
}
