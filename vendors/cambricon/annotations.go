package cambricon

import (
	"fmt"
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/accelfit/accelfit/device"
)

// Annotate implements [device.Annotator]: the profile of the first card of the first container that has one (spec
// cambricon §12).
func (b *Backend) Annotate(_ *corev1.Pod, _ *device.NodeInfo, a *device.Allocation, _ time.Time) map[string]string {
	cards := a.Of(Vendor)
	if len(cards) == 0 {
		return nil
	}
	first := cards[0]
	return map[string]string{
		AnnotationAssigned: "false",
		AnnotationProfile:  fmt.Sprintf("%d_%d_%d", first.Index, first.Cores, first.Memory/block),
	}
}
