package ascend

import (
	"strconv"
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/accelfit/accelfit/device"
	"github.com/accelfit/accelfit/vendors/kit"
)

// runtimeDevice is one NPU as the node agent's runtime is told of it.
type runtimeDevice struct {
	ID       string `json:"UUID,omitempty"`
	Template string `json:"temp,omitempty"` // of the hard split; empty: the whole NPU
	Memory   int64  `json:"memory,omitempty"`
	Cores    int64  `json:"core,omitempty"`
}

// Annotate implements [device.Annotator]: the NPUs of all containers with the templates to cut, and the time (spec ascend §7).
func (b *Backend) Annotate(pod *corev1.Pod, _ *device.NodeInfo, a *device.Allocation, now time.Time) map[string]string {
	var told []runtimeDevice
	for _, d := range a.Of(b.Vendor()) {
		r := runtimeDevice{ID: d.ID, Memory: d.Memory, Cores: d.Cores}
		if !isSoft(pod.Annotations) {
			_, r.Template = b.chip.trim(d.Memory)
		}
		told = append(told, r)
	}
	out := map[string]string{b.runtime: string(kit.JSON(told))}
	if !now.IsZero() {
		out[AnnotationPredicateTime] = strconv.FormatInt(now.Unix(), 10)
	}
	return out
}
