package awsneuron

import (
	"math/bits"
	"slices"
	"strconv"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/accelfit/accelfit/device"
	"github.com/accelfit/accelfit/vendors/kit"
)

// Annotate implements [device.Annotator] (spec awsneuron §12): the numbers of the devices given to containers that ask for
// devices, and of the cores given to containers that ask for cores, in one list.
func (b *Backend) Annotate(pod *corev1.Pod, node *device.NodeInfo, a *device.Allocation, now time.Time) map[string]string {
	out := map[string]string{AnnotationAssigned: "false", AnnotationPredicateNode: node.Name()}
	kit.Stamp(out, AnnotationAllocTime, now)
	containers := slices.Concat(pod.Spec.InitContainers, pod.Spec.Containers)
	cores := shapeIn(node.Extra(Vendor)).cores
	var ids []string
	for _, d := range a.Of(Vendor) {
		if d.Container < len(containers) && b.asksForDevices(&containers[d.Container]) {
			ids = append(ids, strconv.Itoa(d.Index))
			continue
		}
		for mask := uint64(d.Cores); mask != 0; mask &= mask - 1 {
			core := int64(d.Index)*cores + int64(bits.TrailingZeros64(mask))
			ids = append(ids, strconv.FormatInt(core, 10))
			out[AnnotationResourceType] = b.Config().ResourceCoreName
		}
	}
	out[AnnotationIDs] = strings.Join(ids, ",")
	return out
}

// asksForDevices looks where Request does (deviation nD10).
func (b *Backend) asksForDevices(c *corev1.Container) bool {
	ask, err := b.Request(c)
	return err == nil && ask.Nums > 0 && ask.CoresInAll == 0
}
