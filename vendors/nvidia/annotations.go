package nvidia

import (
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/accelfit/accelfit/device"
)

// Annotate implements [device.Annotator]: the MIG reservations, if there are any (spec nvidia §7, §9).
func (b *Backend) Annotate(_ *corev1.Pod, _ *device.NodeInfo, a *device.Allocation, _ time.Time) map[string]string {
	reservations := a.Reservations(Vendor)
	if len(reservations) == 0 {
		return nil
	}
	text, err := device.EncodeMIGReservations(reservations)
	if err != nil {
		panic("nvidia: an instance without placement was booked: " + err.Error()) // our own broken invariant
	}
	return map[string]string{AnnotationMIG: text}
}
