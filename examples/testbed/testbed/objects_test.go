package testbed_test

import (
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"

	"github.com/accelfit/accelfit/examples/testbed/testbed"
	"github.com/accelfit/accelfit/vendors"
)

const objectsYAML = `# Comments alone are a document without objects.
---
apiVersion: v1
kind: List
items:
- apiVersion: v1
  kind: Node
  metadata: {name: l4-1, annotations: {team: a, testbed.accelfit.dev/devices: "[{model: NVIDIA L4, count: 2}]"}}
- apiVersion: v1
  kind: Pod
  metadata: {name: p}
  spec: {containers: [{name: main}]}
---
{"apiVersion": "v1", "kind": "Node", "metadata": {"name": "cpu-1"}}
`

// A node of a file has the devices that its annotation names, as the vendors' readers see them.
func TestReadObjects(t *testing.T) {
	got, err := testbed.ReadObjects([]byte(objectsYAML))
	if err != nil {
		t.Fatal(err)
	}
	if len(got.Nodes) != 2 || len(got.Pods) != 1 || got.Nodes[1].Name != "cpu-1" || got.Pods[0].Name != "p" {
		t.Fatalf("%d nodes, %d pods", len(got.Nodes), len(got.Pods))
	}
	node := got.Nodes[0]
	info := vendors.Default().Inventory(node)
	if problems := info.Problems(); len(problems) > 0 {
		t.Error(problems)
	}
	if devices := info.Inventory("NVIDIA").Devices; len(devices) != 2 || devices[0].Type != "NVIDIA L4" || !devices[1].Healthy {
		t.Errorf("devices: %+v", devices)
	}
	if _, there := node.Annotations[testbed.DevicesAnnotation]; there || node.Annotations["team"] != "a" {
		t.Errorf("annotations: %q", node.Annotations)
	}
	if slots := node.Status.Allocatable["nvidia.com/gpu"]; slots.Value() != 20 {
		t.Errorf("%v slots are offered", &slots)
	}
}

func TestReadObjectsRefuses(t *testing.T) {
	const node = `{apiVersion: v1, kind: Node, metadata: {name: node-1, annotations: {testbed.accelfit.dev/devices: "%"}}}`
	for _, bad := range []struct{ why, text, says string }{
		{"another kind", "{apiVersion: v1, kind: Service}", "neither a node nor a pod"},
		{"another kind in a list", "{apiVersion: v1, kind: List, items: [{apiVersion: v1, kind: Node}, {apiVersion: v1, kind: Service}]}", "item 1"},
		{"no kind", "a: 1", "Kind"},
		{"a second document without kind", "{apiVersion: v1, kind: Node}\n---\na: 1", "document 2"},
		{"an unknown field", "{apiVersion: v1, kind: Pod, spec: {contaners: []}}", "contaners"},
		{"no YAML", "{", "document 1"},
		{"an unknown model", strings.ReplaceAll(node, "%", "[{model: NoSuch}]"), "NoSuch"},
		{"an unknown key", strings.ReplaceAll(node, "%", "[{modl: NVIDIA L4}]"), "modl"},
		{"no list", strings.ReplaceAll(node, "%", "NVIDIA L4"), "node node-1"},
	} {
		if _, err := testbed.ReadObjects([]byte(bad.text)); err == nil || !strings.Contains(err.Error(), bad.says) {
			t.Errorf("%s: %v", bad.why, err)
		}
	}
}

// Nodes have no taints but their own, whatever admission adds, and what they need to take pods.
func TestCreateNodes(t *testing.T) {
	c := start(t, testbed.Options{EnableAdmission: []string{"TaintNodesByCondition"}})
	mine := corev1.Taint{Key: "team", Value: "a", Effect: corev1.TaintEffectNoSchedule}
	tainted := nodeOf("tainted")
	tainted.Spec.Taints = []corev1.Taint{mine}
	nodes, err := c.CreateNodes(t.Context(), nodeOf("plain"), tainted)
	if err != nil {
		t.Fatal(err)
	}
	if len(nodes[0].Spec.Taints) != 0 || len(nodes[1].Spec.Taints) != 1 || nodes[1].Spec.Taints[0] != mine {
		t.Errorf("taints: %v and %v", nodes[0].Spec.Taints, nodes[1].Spec.Taints)
	}
	for _, name := range []corev1.ResourceName{corev1.ResourceCPU, corev1.ResourceMemory, corev1.ResourcePods} {
		if q := nodes[0].Status.Allocatable[name]; q.IsZero() {
			t.Errorf("no %s is allocatable", name)
		}
	}
	if len(tainted.Status.Allocatable) != 0 {
		t.Error("the given node was changed")
	}
	if _, err := c.CreateNodes(t.Context(), nodeOf("plain")); err == nil || !strings.Contains(err.Error(), "node plain") {
		t.Errorf("a node that is there: %v", err)
	}
}

// Pods can be made running from the start, in namespaces that are made for them; deleting takes all of them at once.
func TestCreatePods(t *testing.T) {
	c := bed.Cluster(t)
	defer clear(t, c)
	runs := podOf("", "runs", "cpu=1")
	runs.Namespace, runs.Spec.NodeName, runs.Status.Phase = "made-for-it", "n1", corev1.PodRunning
	if _, err := c.CreateNodes(t.Context(), nodeOf("n1")); err != nil {
		t.Fatal(err)
	}
	for range 2 { // the namespace is there the second time
		pods, err := c.CreatePods(t.Context(), runs, podOf("nobody", "waits"))
		if err != nil {
			t.Fatal(err)
		}
		if pods[0].Status.Phase != corev1.PodRunning || pods[1].Status.Phase != corev1.PodPending || pods[1].Namespace != "default" {
			t.Errorf("phases %s and %s", pods[0].Status.Phase, pods[1].Status.Phase)
		}
		if err := c.DeleteAll(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
}
