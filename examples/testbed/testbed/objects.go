package testbed

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/serializer"
	utilyaml "k8s.io/apimachinery/pkg/util/yaml"
	"k8s.io/client-go/kubernetes/scheme"
	"sigs.k8s.io/yaml"

	"github.com/accelfit/accelfit/simulate"
	"github.com/accelfit/accelfit/vendors"
)

// DevicesAnnotation on a node of a file says which devices the node has, as YAML: a list as that of a device profile
// (docs/profiles.md), for example [{model: NVIDIA L4, count: 4}]. ReadObjects puts what the vendors' node agents would write in
// its place.
const DevicesAnnotation = "testbed.accelfit.dev/devices"

// Objects are what ReadObjects reads.
type Objects struct {
	Nodes []*corev1.Node
	Pods  []*corev1.Pod
}

// ReadObjects reads nodes and pods, single ones and lists, from YAML or JSON of one or several documents. Unknown fields, and
// objects of other kinds, are errors.
func ReadObjects(text []byte) (Objects, error) {
	var out Objects
	documents := utilyaml.NewYAMLReader(bufio.NewReader(bytes.NewReader(text)))
	for n := 1; ; n++ {
		document, err := documents.Read()
		if errors.Is(err, io.EOF) {
			return out, nil
		}
		if err == nil {
			err = out.read(document)
		}
		if err != nil {
			return Objects{}, fmt.Errorf("document %d: %w", n, err)
		}
	}
}

// strict decodes objects whose fields are all known.
var strict = serializer.NewCodecFactory(scheme.Scheme, serializer.EnableStrict).UniversalDeserializer()

// read adds the objects of a document.
func (o *Objects) read(document []byte) error {
	text, err := yaml.YAMLToJSONStrict(document)
	if err != nil {
		return err
	}
	if string(text) == "null" { // comments only
		return nil
	}
	object, err := runtime.Decode(strict, text)
	if err != nil {
		return err
	}
	switch x := object.(type) {
	case *corev1.Node:
		if err := register(x); err != nil {
			return err
		}
		o.Nodes = append(o.Nodes, x)
	case *corev1.Pod:
		o.Pods = append(o.Pods, x)
	case *corev1.List:
		for i := range x.Items {
			if err := o.read(x.Items[i].Raw); err != nil {
				return fmt.Errorf("item %d: %w", i, err)
			}
		}
	default:
		return fmt.Errorf("a %T is neither a node nor a pod", object)
	}
	return nil
}

// register replaces a node's DevicesAnnotation by what its devices' agents would write.
func register(node *corev1.Node) error {
	text, ok := node.Annotations[DevicesAnnotation]
	if !ok {
		return nil
	}
	profile := simulate.Profile{Name: node.Name}
	if err := yaml.UnmarshalStrict([]byte(text), &profile.Devices); err != nil {
		return fmt.Errorf("node %s: %s: %w", node.Name, DevicesAnnotation, err)
	}
	if err := profile.Apply(vendors.Default(), node); err != nil {
		return fmt.Errorf("node %s: %s: %w", node.Name, DevicesAnnotation, err)
	}
	delete(node.Annotations, DevicesAnnotation)
	return nil
}

// completeNode adds to a node what it needs to take pods and leaves out: cpu, memory, a number of pods, and that it is ready.
func completeNode(node *corev1.Node) {
	if node.Status.Allocatable == nil {
		node.Status.Allocatable = corev1.ResourceList{}
	}
	for name, amount := range map[corev1.ResourceName]string{
		corev1.ResourceCPU: "64", corev1.ResourceMemory: "256Gi", corev1.ResourcePods: "110",
	} {
		if _, told := node.Status.Allocatable[name]; !told {
			node.Status.Allocatable[name] = resource.MustParse(amount)
		}
	}
	if node.Status.Capacity == nil {
		node.Status.Capacity = corev1.ResourceList{}
	}
	for name, amount := range node.Status.Allocatable {
		if _, told := node.Status.Capacity[name]; !told {
			node.Status.Capacity[name] = amount
		}
	}
	for i := range node.Status.Conditions {
		if node.Status.Conditions[i].Type == corev1.NodeReady {
			return
		}
	}
	ready := corev1.NodeCondition{
		Type: corev1.NodeReady, Status: corev1.ConditionTrue, Reason: "TestBed",
		LastHeartbeatTime: metav1.Now(), LastTransitionTime: metav1.Now(),
	}
	node.Status.Conditions = append(node.Status.Conditions, ready)
}

// completePod adds to a pod what kube-apiserver wants and fixtures leave out: a namespace, and images.
func completePod(pod *corev1.Pod) {
	if pod.Namespace == "" {
		pod.Namespace = metav1.NamespaceDefault
	}
	for _, containers := range [][]corev1.Container{pod.Spec.InitContainers, pod.Spec.Containers} {
		for i := range containers {
			if containers[i].Image == "" {
				containers[i].Image = "testbed.invalid/none"
			}
		}
	}
}
