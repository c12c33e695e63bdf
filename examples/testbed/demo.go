package main

import (
	_ "embed"
	"fmt"
	"maps"
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/accelfit/accelfit/examples/testbed/testbed"
	"github.com/accelfit/accelfit/simulate"
	"github.com/accelfit/accelfit/vendors"
)

// demoYAML is the nodes and pods of the demo; what the nodes' agents would write is made when they are loaded.
//
//go:embed demo.yaml
var demoYAML []byte

// loadDemo reads the demo and lets its pods run where a scheduler with accelfit would put them. Those that fit nowhere stay
// pending.
func loadDemo(now time.Time) (testbed.Objects, error) {
	demo, err := testbed.ReadObjects(demoYAML)
	if err != nil {
		return demo, err
	}
	set := vendors.Default()
	for _, pod := range demo.Pods {
		if _, err := set.Admit(pod, vendors.AdmitOptions{}); err != nil {
			return demo, fmt.Errorf("pod %s/%s: %w", pod.Namespace, pod.Name, err)
		}
	}
	snap, problems := simulate.New(set, demo.Nodes, nil)
	if len(problems) > 0 {
		return demo, problems[0]
	}
	placed, _ := snap.PlaceAll(demo.Pods, simulate.PlaceOptions{})
	for _, p := range placed {
		run(set, snap, p, now)
	}
	return demo, nil
}

// run lets a pod run where it was placed.
func run(set *vendors.Set, snap *simulate.Snapshot, p simulate.Placed, now time.Time) {
	node, _ := snap.Node(p.Node)
	if p.Pod.Annotations == nil {
		p.Pod.Annotations = map[string]string{}
	}
	maps.Copy(p.Pod.Annotations, set.Annotations(p.Pod, node.Info(), p.Allocation, now))
	p.Pod.Spec.NodeName = p.Node
	p.Pod.Status.Phase = corev1.PodRunning
}
