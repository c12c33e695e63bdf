package enflame_test

import (
	"fmt"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"

	"github.com/accelfit/accelfit/device"
	"github.com/accelfit/accelfit/vendors"
	"github.com/accelfit/accelfit/vendors/enflame"
)

const capacity = `{"devices":[{"index":"0","minor":"10","capacity":6}],"profiles":{"1g.6gb":"0","3g.20gb":"2","6g.40gb":"3"}}`

func onlyCard() *corev1.Node {
	node := &corev1.Node{}
	node.Name = "n1"
	device.Annotate(node, enflame.AnnotationCapacity, capacity)
	return node
}

func asking(amounts corev1.ResourceList) *corev1.Pod {
	c := corev1.Container{Name: "c", Resources: corev1.ResourceRequirements{Limits: amounts}}
	return &corev1.Pod{Spec: corev1.PodSpec{Containers: []corev1.Container{c}}}
}

func ExampleDRS_Annotate() {
	set := vendors.Default()
	pod := asking(corev1.ResourceList{"enflame.com/gcu-memory": resource.MustParse("12")}) // GB
	request, err := set.Request(pod)
	if err != nil {
		fmt.Println(err)
		return
	}
	node := device.NewNodeUsage(set.Inventory(onlyCard()))
	fit := set.Fit(request, node)
	written := set.Annotations(pod, node.Info(), fit.Allocation, time.Time{})
	fmt.Println(written[enflame.AnnotationAllocated])
	fmt.Println(written[enflame.AnnotationContainers])
	fmt.Println(written[enflame.AnnotationAssignedMinor], written[enflame.AnnotationRequestSize])
	// Output:
	// n1-enflame-drs-0,Enflame,20480,50:;
	// {"c":{"allocated":false,"request":3,"profileID":"2","profileName":"3g.20gb"}}
	// 10 3
}

func ExampleDRS_Admit() {
	b := enflame.NewDRS(enflame.Config{ResourceNameDRSGCU: "enflame.com/drs-gcu"})
	pod := asking(corev1.ResourceList{"enflame.com/drs-gcu": resource.MustParse("3")})
	c := &pod.Spec.Containers[0]
	answer, err := b.Admit(pod, c)
	slices := c.Resources.Requests["enflame.com/drs-gcu"]
	fmt.Println(answer.Mine, slices.String(), err)

	c.Resources.Limits["enflame.com/drs-gcu"] = resource.MustParse("0")
	_, err = b.Admit(pod, c)
	fmt.Println(err)
	// Output:
	// true 3 <nil>
	// invalid enflame.com/drs-gcu value 0 in container c: must be greater than 0
}

func ExampleGCU_Inventory() {
	node := &corev1.Node{}
	node.Name = "n1"
	device.Offer(node, "enflame.com/gcu", 2)
	for _, d := range enflame.NewGCU(enflame.Config{ResourceNameGCU: "enflame.com/gcu"}).Inventory(node).Devices {
		fmt.Println(d.ID, d.Memory, d.Cores)
	}
	// Output:
	// n1-GCU-0 100 100
	// n1-GCU-1 100 100
}

// TestAdmitLeavesAlone is deviation eD10.
func TestAdmitLeavesAlone(t *testing.T) {
	pod := asking(nil)
	c := &pod.Spec.Containers[0]
	answer, err := enflame.NewDRS(enflame.Config{ResourceNameDRSGCU: "enflame.com/drs-gcu"}).Admit(pod, c)
	if err != nil || answer.Mine || c.Resources.Limits != nil || c.Resources.Requests != nil {
		t.Errorf("%+v, %v: %+v", answer, err, c.Resources)
	}
}

// TestMinorIsDescribed: what a node agent tells of a card and cannot be worked out is in the device, and described again.
func TestMinorIsDescribed(t *testing.T) {
	b := enflame.NewDRS(enflame.Config{ResourceNameDRSGCU: "enflame.com/drs-gcu"})
	again := &corev1.Node{}
	again.Name = "n1"
	if err := b.Describe(again, b.Inventory(onlyCard()).Devices); err != nil {
		t.Fatal(err)
	}
	const want = `{"devices":[{"index":"0","minor":"10","capacity":6}],"profiles":{"1g.6gb":"0","2g.12gb":"1","3g.20gb":"2","6g.40gb":"3"}}`
	if got := again.Annotations[enflame.AnnotationCapacity]; got != want {
		t.Errorf("described as %s", got)
	}
	devices := b.Inventory(onlyCard()).Devices
	devices[0].Memory++
	if err := b.Describe(again, devices); err == nil {
		t.Error("a card with a part of a GB can be described")
	}
}

// TestEverySliceIsUsed: a card is full when all its slices are given out, one by one or in instances of two, whatever the rounded
// percentages come to (deviation eD1).
func TestEverySliceIsUsed(t *testing.T) {
	set := vendors.Default()
	for n := 1; n <= 120; n++ {
		node := &corev1.Node{}
		node.Name = "n1"
		device.Annotate(node, enflame.AnnotationCapacity, fmt.Sprintf(
			`{"devices":[{"index":"0","capacity":%d}],"profiles":{"1g.1gb":"0","2g.2gb":"1","%dg.%dgb":"2"}}`, n, max(2, n), max(2, n)))
		for size := 1; size <= min(2, n); size++ {
			r, err := set.Request(asking(corev1.ResourceList{"enflame.com/drs-gcu": *resource.NewQuantity(int64(size), resource.DecimalSI)}))
			if err != nil {
				t.Fatal(err)
			}
			usage, pods := device.NewNodeUsage(set.Inventory(node)), 0
			for fit := set.Fit(r, usage); fit.OK(); fit = set.Fit(r, usage) {
				usage = usage.With(fit.Allocation)
				pods++
			}
			if pods != n/size {
				t.Errorf("%d slices: %d instances of %d", n, pods, size)
			}
		}
	}
}
