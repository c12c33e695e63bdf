package simulate_test

import (
	"testing"

	corev1 "k8s.io/api/core/v1"

	"github.com/accelfit/accelfit/device"
	"github.com/accelfit/accelfit/internal/testkit"
	"github.com/accelfit/accelfit/simulate"
	"github.com/accelfit/accelfit/vendors"
)

// TestNewNodesAreFresh: what is state of the sample does not come with a new node, unless the options keep it.
func TestNewNodesAreFresh(t *testing.T) {
	sample := testkit.Node("sample", testkit.Card("g0", 10000))
	sample.UID, sample.Spec.Unschedulable = "uid", true
	sample.Annotations[device.AnnotationLock] = "2026-01-01T00:00:00Z,ns,p"
	sample.Spec.Taints = []corev1.Taint{
		{Key: corev1.TaintNodeUnschedulable}, {Key: corev1.TaintNodeNotReady}, {Key: "team", Value: "research"},
	}
	sample.Status.Conditions = []corev1.NodeCondition{{Type: corev1.NodeReady, Status: corev1.ConditionFalse}}
	for _, test := range []struct {
		options  simulate.TemplateOptions
		cordoned bool
		taints   int
		ready    corev1.ConditionStatus
	}{
		{simulate.TemplateOptions{}, false, 1, corev1.ConditionTrue},
		{simulate.TemplateOptions{KeepCordon: true}, true, 2, corev1.ConditionTrue},
		{simulate.TemplateOptions{KeepHealth: true}, false, 2, corev1.ConditionFalse},
	} {
		template := simulate.Template{Node: sample, Options: test.options}
		got := simulate.Estimate(vendors.Default(), template, []*corev1.Pod{podOf("p gpu=1 mem=100")}, simulate.Limits{}).Nodes[0].Object
		if got.UID != "" || got.Annotations[device.AnnotationLock] != "" || got.Spec.Unschedulable != test.cordoned ||
			len(got.Spec.Taints) != test.taints || got.Status.Conditions[0].Status != test.ready {
			t.Errorf("%+v: %+v", test.options, got)
		}
	}
}

// TestAllowSeesTheTemplatesPods: the predicate counts them like any other pod on a new node.
func TestAllowSeesTheTemplatesPods(t *testing.T) {
	daemon := podOf("daemon")
	seen := 0
	simulate.Estimate(vendors.Default(), simulate.Template{Node: testkit.Node("t", testkit.Card("g0", 10000)), Pods: []*corev1.Pod{daemon}},
		[]*corev1.Pod{podOf("p gpu=1 mem=100")}, simulate.Limits{
			Allow: func(_ *corev1.Pod, _ *corev1.Node, on []*corev1.Pod) error {
				if len(on) == 1 && on[0] == daemon {
					seen++
				}
				return nil
			},
		})
	if seen == 0 {
		t.Error("the predicate was not told of the template's pods")
	}
}
