package metax

import (
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/accelfit/accelfit/device"
	"github.com/accelfit/accelfit/vendors/kit"
)

// grant is one card of a container in the annotation that the node agent reads (spec metax §II.11).
type grant struct {
	UUID    string `json:"uuid"`
	Compute int64  `json:"compute,omitempty"`
	VRam    int64  `json:"vRam,omitempty"`
}

// Annotate implements [device.Annotator]: what each container got, and when.
func (b *SGPU) Annotate(_ *corev1.Pod, _ *device.NodeInfo, a *device.Allocation, now time.Time) map[string]string {
	containers := make([][]grant, len(a.Classes))
	for i := range containers {
		containers[i] = []grant{}
	}
	for _, d := range a.Of(VendorSGPU) {
		if d.Container < 0 || d.Container >= len(containers) {
			continue
		}
		containers[d.Container] = append(containers[d.Container], grant{d.ID, d.Cores, d.Memory})
	}
	out := map[string]string{AnnotationGrants: string(kit.JSON(containers))}
	kit.Stamp(out, AnnotationPredicateTime, now)
	return out
}
