package awsneuron

import (
	"github.com/accelfit/accelfit/device"
	"github.com/accelfit/accelfit/vendors/kit"
)

// chooser picks the devices of a container that may need several. It is immutable.
type chooser struct {
	ids   device.Selection
	quota bool  // must allow what is chosen
	first []int // the first of the granted; read-only
}

func newChooser(pod *device.PodContext, quota bool) device.Chooser {
	c := chooser{
		ids:   device.ParseIDs(pod.Annotations[AnnotationUseUUID], pod.Annotations[AnnotationNoUseUUID]),
		quota: quota, first: []int{0},
	}
	return func(f *device.ContainerFit, why *device.Reasons) []int {
		if f.Nums == 1 {
			return c.one(f, why)
		}
		return c.run(f, why)
	}
}

// one picks the first device that the quota allows.
func (c *chooser) one(f *device.ContainerFit, why *device.Reasons) []int {
	for i, g := range f.Granted {
		switch {
		case c.quota && !f.WithinQuota(g):
		case i == 0:
			return c.first
		default:
			return []int{i}
		}
	}
	why.Add(device.ResourceQuotaNotFit, len(f.Granted))
	return nil
}

// run picks the first run of neighbours that the quota allows (spec awsneuron §9.2, by index: deviation nD4). The reasons of
// single devices say nothing of a run: where there is none, devices that the pod's lists exclude are the reason, or else the
// lack of neighbours (deviation nD3).
func (c *chooser) run(f *device.ContainerFit, why *device.Reasons) []int {
	var at [device.MaxDevices]int16 // place among the granted, counted from 1, of each index
	end := 0
	for i, g := range f.Granted {
		if index := f.Node.Device(g.Device).Index; index >= 0 && index < len(at) && i < len(at) {
			at[index] = int16(i + 1)
			end = max(end, index+1)
		}
	}
	n, free, limited := int(f.Nums), 0, false
	for index := range end {
		if at[index] == 0 {
			free = 0
			continue
		}
		if free++; free < n || !neighbours(f, index+1-n, n) {
			continue
		}
		if picked := places(at[index+1-n : index+1]); !c.quota || kit.WithinQuota(f, picked) {
			return picked
		}
		limited = true
	}
	c.explain(f, why, limited)
	return nil
}

// neighbours says whether n devices from an index on are linked in a way that serves.
func neighbours(f *device.ContainerFit, from, n int) bool {
	return shapeIn(f.Local).ring || (n == 4 || n == 8 || n == 16) && from%n == 0
}

func places(at []int16) []int {
	out := make([]int, len(at))
	for i := range at {
		out[i] = int(at[i]) - 1
	}
	return out
}

func (c *chooser) explain(f *device.ContainerFit, why *device.Reasons, limited bool) {
	*why = device.Reasons{Total: why.Total}
	excluded := 0
	from, to := f.Node.Range(Vendor)
	for i := from; i < to; i++ {
		if !c.ids.AllowsID(f.Node.Device(i).ID) {
			excluded++
		}
	}
	switch {
	case limited:
		why.Set(device.ResourceQuotaNotFit, why.Total)
	case excluded > 0:
		why.Set(device.CardUuidMismatch, excluded)
	default:
		why.Set(device.NumaNotFit, 1)
	}
}
