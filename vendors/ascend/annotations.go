package ascend

import (
	"encoding/json"
	"strconv"
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/accelfit/accelfit/device"
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
	text, err := json.Marshal(told)
	if err != nil {
		panic("ascend: " + err.Error()) // texts and numbers can always be written
	}
	out := map[string]string{b.runtime: string(text)}
	if !now.IsZero() {
		out[AnnotationTime] = strconv.FormatInt(now.Unix(), 10)
	}
	return out
}
