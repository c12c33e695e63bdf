package simulate

import (
	"github.com/accelfit/accelfit/device"
	"github.com/accelfit/accelfit/vendors"
)

// demand is what a pod takes of the devices of one vendor in all: the least that any placement takes.
type demand struct {
	Slots  int64
	Memory int64 // MiB
	Cores  int64 // in the vendor's unit
	Alone  int64 // devices on which nothing else runs when the pod comes
}

// add puts another demand on top.
func (d demand) add(e demand) demand {
	return demand{device.Sum(d.Slots, e.Slots), device.Sum(d.Memory, e.Memory), device.Sum(d.Cores, e.Cores), device.Sum(d.Alone, e.Alone)}
}

func (d demand) max(e demand) demand {
	return demand{max(d.Slots, e.Slots), max(d.Memory, e.Memory), max(d.Cores, e.Cores), max(d.Alone, e.Alone)}
}

func (d demand) times(n int64) demand {
	return demand{device.Product(d.Slots, n), device.Product(d.Memory, n), device.Product(d.Cores, n), device.Product(d.Alone, n)}
}

// vendorDemand is the demand on one vendor.
type vendorDemand struct {
	vendor device.Vendor

	// all is what a pod takes, for the order of pods; held is the part of it that the vendor's rules hold pods to, which
	// alone can be added up to a bound: a vendor that does not check cores gives out more of them than there are.
	all, held demand
}

// byVendor returns the demand of a request on a node, for each vendor asked for: sidecars add up, and on top of them comes
// the larger of the greatest init container and the sum of the app containers.
func byVendor(r *vendors.Request, node *device.NodeInfo) (out []vendorDemand) {
	needs := r.Needs(node)
	for i := range needs {
		v := needs[i].Vendor
		if !demanded(out, v) {
			out = append(out, vendorDemand{
				vendor: v, all: effective(r, needs, v, everything), held: effective(r, needs, v, heldTo),
			})
		}
	}
	return out
}

func demanded(list []vendorDemand, v device.Vendor) bool {
	for i := range list {
		if list[i].vendor == v {
			return true
		}
	}
	return false
}

// effective adds up what the containers of a pod take of a vendor, each as count says.
func effective(r *vendors.Request, needs []vendors.Need, v device.Vendor, count func(*vendors.Need, int64) demand) demand {
	var sidecar, init, app demand
	for i := range needs {
		n := &needs[i]
		if n.Vendor != v {
			continue
		}
		switch class := r.Classes()[n.Container]; {
		case class == device.Sidecar:
			sidecar = sidecar.add(count(n, n.Devices))
		case class == device.Init && n.Shared: // of several instances that an init container has on one card, the largest counts
			init = init.max(count(n, min(1, n.Devices)))
		case class == device.Init:
			init = init.max(count(n, n.Devices))
		default:
			app = app.add(count(n, n.Devices))
		}
	}
	return sidecar.add(init.max(app))
}

func everything(n *vendors.Need, devices int64) demand {
	return demand{Slots: devices, Memory: device.Product(devices, n.Memory), Cores: device.Product(devices, n.Cores)}
}

func heldTo(n *vendors.Need, devices int64) (d demand) {
	if n.BySlots {
		d.Slots = devices
	}
	if n.ByMemory {
		d.Memory = device.Product(devices, n.Memory)
	}
	if n.ByCores {
		d.Cores = device.Product(devices, n.Cores)
	}
	if n.ByIdle {
		d.Alone = devices
	}
	return d
}

// capacity is what the devices of one vendor on a node offer in all.
func capacity(node *device.NodeInfo, v device.Vendor) demand {
	var sum demand
	from, to := node.Range(v)
	for i := from; i < to; i++ {
		d := node.Device(i)
		sum = sum.add(demand{d.Slots, d.Memory, d.Cores, 1})
	}
	return sum
}

// share is the largest part of a capacity that a demand takes, over slots, memory, cores and devices of its own.
func (d demand) share(have demand) float64 {
	most := 0.0
	for _, part := range [][2]int64{{d.Slots, have.Slots}, {d.Memory, have.Memory}, {d.Cores, have.Cores}, {d.Alone, have.Alone}} {
		if part[1] > 0 {
			most = max(most, float64(part[0])/float64(part[1]))
		}
	}
	return most
}

// Share is the largest part that a pod takes of what the devices of a node offer in all, over slots, memory and cores of each
// vendor it asks for: 0.5 for a pod that takes half of the memory and less of everything else. It is above 1 where the node
// would not do even if it were empty, and 0 for a pod that asks for no device, or only for vendors the node does not have.
//
// [Estimate] places pods in descending order of it; an autoscaler that orders pods itself does well to do the same.
func Share(r *vendors.Request, node *device.NodeInfo) float64 {
	return share(byVendor(r, node), func(v device.Vendor) demand { return capacity(node, v) })
}

// share is the largest part that a pod takes of what there is of each vendor.
func share(need []vendorDemand, have func(device.Vendor) demand) float64 {
	most := 0.0
	for i := range need {
		most = max(most, need[i].all.share(have(need[i].vendor)))
	}
	return most
}
