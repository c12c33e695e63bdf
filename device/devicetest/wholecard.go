package devicetest

import (
	"fmt"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"

	"github.com/accelfit/accelfit/device"
)

// sizes are MiB of devices: small, odd, usual, the largest.
var sizes = []int64{1, 2, 3, 7, 99, 100, 101, 1000, 4096, 11441, 16384, 23028, 24576, 32607, 49140, 65536, 81559, 143771, device.MaxAmount}

// wholeCard fits two pods on idle devices of all sizes, each of which asks for all of one.
func wholeCard(x *exam) error {
	if x.names.Percent == "" && x.names.Memory == "" {
		return nil // devices are asked for by their number only
	}
	tried := 0
	for i := range x.bases {
		b := &x.bases[i]
		first := &b.devices[0]
		if first.Mode == device.ModeMIG || !first.Healthy || first.Cordoned || first.Slots < 1 || first.Memory < 1 {
			continue // given out as instances, none of which is all of it, or not at all
		}
		own := first.Memory
		for _, size := range append([]int64{own}, sizes...) {
			devices := deepCopies(b.devices[:1])
			devices[0].Memory = size
			c := x.described(b.node, devices)
			if c == nil {
				continue
			}
			if c.Pod = x.wholeOf(&c.devices[0]); c.Pod == nil {
				continue
			}
			tried++
			if err := x.all(c, size); err != nil {
				return &Violation{Law: "whole card", Case: c, Err: err}
			}
		}
	}
	if tried == 0 {
		return fmt.Errorf("no device can be described by itself, or be asked for as a whole")
	}
	return nil
}

// all checks a pod that asks for all of a device with so many MiB.
func (x *exam) all(c *Case, size int64) error {
	s := c.play(x.set)
	if !s.fits() {
		return fmt.Errorf("a pod that asks for all of an idle device %s", verdict(s))
	}
	d := s.fit.Allocation.Devices[0]
	if x.names.Percent != "" && d.Memory != size {
		return fmt.Errorf("100 %% of %d MiB is given as %d MiB", size, d.Memory)
	}
	if again := x.set.Fit(s.request, s.usage.With(s.fit.Allocation)); again.OK() {
		return fmt.Errorf("all of a device is given out twice")
	}
	return nil
}

// wholeOf is a pod that asks for all of a device; nil: its memory cannot be asked for.
func (x *exam) wholeOf(d *device.DeviceInfo) *corev1.Pod {
	limits := corev1.ResourceList{}
	set := func(name string, n int64) {
		if name != "" {
			limits[corev1.ResourceName(name)] = *resource.NewQuantity(n, resource.DecimalSI)
		}
	}
	set(x.names.Count, 1)
	if d.Cores == 100 {
		set(x.names.Cores, 100)
	}
	factor := max(1, x.names.MemoryFactor)
	switch {
	case x.names.Percent != "":
		set(x.names.Percent, 100)
	case d.Memory%factor != 0:
		return nil
	default:
		set(x.names.Memory, d.Memory/factor)
	}
	return asking(limits)
}
