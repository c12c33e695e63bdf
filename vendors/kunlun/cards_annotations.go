package kunlun

import (
	"strconv"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/accelfit/accelfit/device"
)

// Annotate implements [device.Annotator]: the indexes of the cards of the last container that has any (spec kunlun §I.10, §5
// quirk 3).
func (b *Cards) Annotate(_ *corev1.Pod, node *device.NodeInfo, a *device.Allocation, _ time.Time) map[string]string {
	var indexes []string
	last := 0
	for _, d := range a.Of(Vendor) {
		if d.Container != last {
			indexes, last = nil, d.Container
		}
		if i := node.Find(Vendor, d.ID); i >= 0 {
			indexes = append(indexes, strconv.Itoa(node.Device(i).Index))
		}
	}
	if len(indexes) == 0 {
		return nil
	}
	return map[string]string{AnnotationIndexes: strings.Join(indexes, ",")}
}
