package enflame

import (
	corev1 "k8s.io/api/core/v1"

	"github.com/accelfit/accelfit/device"
	"github.com/accelfit/accelfit/vendors/kit"
)

// Admit implements [device.Backend] (spec enflame §II.6): what the container asks for stands in its limits and its requests
// afterwards.
func (b *DRS) Admit(_ *corev1.Pod, c *corev1.Container) (device.Admitted, error) {
	if _, err := b.Request(c); err != nil {
		return device.Admitted{}, err
	}
	asked := []string{b.count}
	if !kit.Named(c, b.count) {
		asked = []string{b.memory, b.cores}
	}
	for _, name := range asked {
		if err := b.checkRange(c, name); err != nil {
			return device.Admitted{}, err
		}
	}
	mine := false
	for _, name := range asked {
		mine = mirror(c, name) || mine
	}
	return device.Admitted{Mine: mine}, nil
}

// checkRange refuses an amount that means nothing.
func (b *DRS) checkRange(c *corev1.Container, name string) error {
	q, found := device.Quantity(c, name)
	n, why := q.Value(), ""
	switch {
	case name == b.cores && (n <= 0 || n > 100):
		why = "must be in range (0,100]"
	case n <= 0:
		why = "must be greater than 0"
	}
	if !found || why == "" {
		return nil
	}
	return kit.Invalid(c, name, why)
}

// mirror copies the amount of a resource to whichever of limits and requests lacks it, and says whether there is one.
func mirror(c *corev1.Container, name string) bool {
	q, found := device.Quantity(c, name)
	if !found {
		return false
	}
	for _, list := range []*corev1.ResourceList{&c.Resources.Limits, &c.Resources.Requests} {
		if _, there := (*list)[corev1.ResourceName(name)]; there {
			continue
		}
		if *list == nil {
			*list = corev1.ResourceList{}
		}
		(*list)[corev1.ResourceName(name)] = q.DeepCopy()
	}
	return true
}

// AdmissionCharge implements [device.AdmissionCharger]: what an instance has is known on the node only, and is counted there (deviation
// eD5).
func (b *DRS) AdmissionCharge(map[string]string, device.ContainerRequest) (memory, cores int64) {
	return 0, 0
}
