package mthreads

import (
	"strconv"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/accelfit/accelfit/device"
	"github.com/accelfit/accelfit/vendors/kit"
)

// Annotate implements [device.Annotator]: the cards of the last container that has any, the node and the time (spec mthreads
// §12).
func (b *Backend) Annotate(_ *corev1.Pod, node *device.NodeInfo, a *device.Allocation, now time.Time) map[string]string {
	cards := a.Of(Vendor)
	if len(cards) == 0 {
		return nil
	}
	last := cards[len(cards)-1].Container
	var indexes []string
	for i := range cards {
		if cards[i].Container == last {
			indexes = append(indexes, strconv.Itoa(cards[i].Index))
		}
	}
	out := map[string]string{AnnotationIndexes: strings.Join(indexes, ","), AnnotationPredicateNode: node.Name()}
	kit.Stamp(out, AnnotationPredicateTime, now)
	return out
}
