package devicetest

import (
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/accelfit/accelfit/device"
	"github.com/accelfit/accelfit/internal/testkit"
)

// attack is everything of a node and a pod that a model reads.
type attack struct {
	base        uint8  // number of the node that it starts from
	description string // registration, or what else the node agent writes
	offer       texts  // capacity
	lists       string // pod annotations of the vendor
	ask         texts  // of each container
	policy      string
	allocated   string // of a pod that runs there
	reserved    string // instances of that pod
	shape       uint16 // bits, below; those from quirkShift on are quirks
}

// texts are quantities; empty: not given.
type texts struct{ count, memory, cores string }

const (
	evenLists      = 1 << iota // the lists go into the vendor's pod annotations number 0, 2, …
	oddLists                   // and into the others
	numaBind                   //
	twoContainers              //
	initAndSidecar             //
	underQuota                 //
	elsewhere                  // the description goes into all annotations and labels but the registration
	inRequests                 // the pod asks in its requests, not in its limits
	percent                    // and for memory in percent
	others                     // and for the vendor's other resources
	spreadNodes                //
	quirkShift     = iota
)

func (a *attack) has(bit uint16) bool { return a.shape&bit != 0 }

func (a *attack) quirks() device.Quirks {
	return device.Quirks(a.shape>>quirkShift) & device.AllQuirks
}

// attackedNode is the usual node with what the attack puts in its place.
func (x *exam) attackedNode(a *attack) *corev1.Node {
	node := x.bases[int(a.base)%len(x.bases)].node.DeepCopy()
	for key := range node.Annotations {
		if x.names.Register == "" || (key == x.names.Register) != a.has(elsewhere) {
			node.Annotations[key] = a.description
		}
	}
	for key := range node.Labels {
		if a.has(elsewhere) {
			node.Labels[key] = a.description
		}
	}
	if a.has(elsewhere) {
		for _, key := range append(x.names.NodeKeys[:len(x.names.NodeKeys):len(x.names.NodeKeys)], device.AnnotationCordon) {
			device.Annotate(node, key, a.description)
		}
	}
	for name, text := range map[string]string{x.names.Count: a.offer.count, x.names.Memory: a.offer.memory, x.names.Cores: a.offer.cores} {
		for _, list := range []corev1.ResourceList{node.Status.Capacity, node.Status.Allocatable} {
			delete(list, corev1.ResourceName(name))
			if q, ok := testkit.HostileQuantity(text); ok && name != "" && list != nil {
				list[corev1.ResourceName(name)] = q
			}
		}
	}
	return node
}

// lists are the pod annotations that a model reads.
func (x *exam) lists(a *attack) map[string]string {
	out := map[string]string{}
	for i, key := range x.names.PodKeys {
		if i%2 == 0 && a.has(evenLists) || i%2 == 1 && a.has(oddLists) {
			out[key] = a.lists
		}
	}
	return out
}

func (x *exam) attackingPod(a *attack) *corev1.Pod {
	pod := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Name: "p", Namespace: "default", UID: "p", Annotations: x.lists(a)}}
	pod.Annotations[device.AnnotationDevicePolicy] = a.policy
	if a.has(numaBind) {
		pod.Annotations[device.AnnotationNUMABind] = "true"
	}
	if a.has(spreadNodes) {
		pod.Annotations[device.AnnotationNodePolicy] = "spread"
	}
	c := corev1.Container{Name: "c", Resources: corev1.ResourceRequirements{Limits: x.asked(a)}}
	if a.has(inRequests) {
		c.Resources = corev1.ResourceRequirements{Requests: c.Resources.Limits}
	}
	testkit.AddContainer(pod, c, device.App)
	if a.has(twoContainers) {
		testkit.AddContainer(pod, *c.DeepCopy(), device.App)
	}
	if a.has(initAndSidecar) {
		testkit.AddContainer(pod, *c.DeepCopy(), device.Init)
		testkit.AddContainer(pod, *c.DeepCopy(), device.Sidecar)
	}
	return pod
}

func (x *exam) asked(a *attack) corev1.ResourceList {
	named := map[string]string{x.names.Count: a.ask.count, x.names.Cores: a.ask.cores}
	if a.has(percent) {
		named[x.names.Percent] = a.ask.memory
	} else {
		named[x.names.Memory] = a.ask.memory
	}
	if a.has(others) {
		for _, name := range x.names.Others {
			named[name] = a.ask.count
		}
	}
	out := corev1.ResourceList{}
	for name, text := range named {
		if q, ok := testkit.HostileQuantity(text); ok && name != "" {
			out[corev1.ResourceName(name)] = q
		}
	}
	return out
}
