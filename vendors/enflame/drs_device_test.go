package enflame_test

import (
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"

	"github.com/accelfit/accelfit/device"
	"github.com/accelfit/accelfit/vendors/enflame"
)

// TestDescribeKeepsProfiles: a node that has profiles keeps them when other cards of the same memory are described on it, and gets
// others for cards of another memory.
func TestDescribeKeepsProfiles(t *testing.T) {
	b := enflame.NewDRS(enflame.Config{ResourceNameDRSGCU: "enflame.com/drs-gcu"})
	const profiles = `"profiles":{"1g.2gb":"7","6g.40gb":"9"}`
	node := &corev1.Node{}
	node.Name = "n1"
	device.Annotate(node, enflame.AnnotationCapacity, `{"devices":[{"index":"0","capacity":6},{"index":"1","capacity":6}],`+profiles+`}`)
	devices := b.Inventory(node).Devices
	if err := b.Describe(node, devices[1:]); err != nil {
		t.Fatal(err)
	}
	if text := node.Annotations[enflame.AnnotationCapacity]; !strings.Contains(text, profiles) || strings.Contains(text, `"index":"0"`) {
		t.Errorf("described as %s", text)
	}
	devices[1].Memory *= 2
	if err := b.Describe(node, devices[1:]); err != nil {
		t.Fatal(err)
	}
	if text := node.Annotations[enflame.AnnotationCapacity]; !strings.Contains(text, `"1g.13gb":"0","6g.80gb":"1"`) {
		t.Errorf("described as %s", text)
	}
}
