package enflame

import (
	"strconv"
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/accelfit/accelfit/device"
	"github.com/accelfit/accelfit/vendors/kit"
)

// instance is an entry of AnnotationContainers.
type instance struct {
	Allocated   bool   `json:"allocated"`
	Request     int64  `json:"request"` // slices
	ProfileID   string `json:"profileID,omitempty"`
	ProfileName string `json:"profileName,omitempty"`
}

// Annotate implements [device.Annotator]: what the node agent makes instances by (spec enflame §II.11). Index, minor number and size are
// those of the first container's instance only.
func (b *DRS) Annotate(pod *corev1.Pod, node *device.NodeInfo, a *device.Allocation, now time.Time) map[string]string {
	granted := a.Of(Vendor)
	if len(granted) == 0 {
		return nil
	}
	out := map[string]string{AnnotationAssigned: "false"}
	kit.Stamp(out, AnnotationAssignedTime, now)
	containers := map[string]instance{}
	for i := range granted {
		d := &granted[i]
		if i == 0 || granted[i-1].Container != d.Container {
			containers[containerName(pod, d.Container)] = instanceOf(node, d)
		}
	}
	first := &granted[0]
	index := strconv.Itoa(first.Index)
	out[AnnotationAssignedIndex], out[AnnotationAssignedID], out[AnnotationAssignedMinor] = index, index, index
	if at := node.Find(Vendor, first.ID); at >= 0 {
		out[AnnotationAssignedMinor] = minorOf(node.Device(at))
	}
	out[AnnotationRequestSize] = strconv.FormatInt(instanceOf(node, first).Request, 10)
	out[AnnotationContainers] = string(kit.JSON(containers))
	return out
}

func instanceOf(node *device.NodeInfo, d *device.ContainerDevice) instance {
	out := instance{Request: 1}
	if c, ok := node.Extra(Vendor).(*cut); ok {
		out.Request = max(1, c.used(d.Memory, d.Cores))
		if p := c.granted(d.Memory, d.Cores); p != nil {
			out.Request, out.ProfileID, out.ProfileName = p.slices, p.id, p.name
		}
	}
	return out
}

// containerName is the name of the container at a position, init containers first.
func containerName(pod *corev1.Pod, position int) string {
	spec := &pod.Spec
	switch n := len(spec.InitContainers); {
	case position < n:
		return spec.InitContainers[position].Name
	case position-n < len(spec.Containers):
		return spec.Containers[position-n].Name
	}
	return "container-" + strconv.Itoa(position)
}
