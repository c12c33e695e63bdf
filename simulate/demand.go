package simulate

import (
	"cmp"
	"slices"

	corev1 "k8s.io/api/core/v1"

	"github.com/accelfit/accelfit/device"
	"github.com/accelfit/accelfit/vendors"
)

// demand is what a pod asks of devices in all: the least that any placement takes.
type demand struct {
	Slots  int64
	Memory int64 // MiB
	Cores  int64 // percent of a card
}

// add puts another demand on top.
func (d demand) add(e demand) demand {
	return demand{device.Sum(d.Slots, e.Slots), device.Sum(d.Memory, e.Memory), device.Sum(d.Cores, e.Cores)}
}

func (d demand) max(e demand) demand {
	return demand{max(d.Slots, e.Slots), max(d.Memory, e.Memory), max(d.Cores, e.Cores)}
}

// byVendor returns the demand of a request on a node, for each vendor asked for: sidecars add up, and on top of them comes
// the larger of the greatest init container and the sum of the app containers. A percentage counts on the vendor's smallest
// device.
func byVendor(r *vendors.Request, node *device.NodeInfo) map[device.Vendor]demand {
	type parts struct{ sidecar, init, app demand }
	sums := map[device.Vendor]*parts{}
	for i, asks := range r.Containers() {
		for k := range asks {
			a := &asks[k]
			p := sums[a.Vendor]
			if p == nil {
				p = &parts{}
				sums[a.Vendor] = p
			}
			class, n := r.Classes()[i], a.Nums
			if class == device.Init && cut(a, node) {
				n = 1 // of several instances that an init container has on one card, the largest counts
			}
			d := demand{n, device.Product(n, smallest(a, node)), device.Product(n, leastCores(a, node))}
			switch class {
			case device.Sidecar:
				p.sidecar = p.sidecar.add(d)
			case device.Init:
				p.init = p.init.max(d)
			default:
				p.app = p.app.add(d)
			}
		}
	}
	out := map[device.Vendor]demand{}
	for v, p := range sums {
		out[v] = p.sidecar.add(p.init.max(p.app))
	}
	return out
}

func smallest(a *device.ContainerRequest, node *device.NodeInfo) int64 {
	from, to := node.Range(a.Vendor)
	if from == to {
		return a.Memory
	}
	least := a.MemoryOn(node.Device(from).Memory)
	for i := from + 1; i < to; i++ {
		least = min(least, a.MemoryOn(node.Device(i).Memory))
	}
	return least
}

// leastCores is 0 where instances are cut: they are booked with the cores of their profile, whatever was asked.
func leastCores(a *device.ContainerRequest, node *device.NodeInfo) int64 {
	if cut(a, node) {
		return 0
	}
	return min(a.Cores, 100)
}

// cut says whether instances may be cut out of some device for a request.
func cut(a *device.ContainerRequest, node *device.NodeInfo) bool {
	from, to := node.Range(a.Vendor)
	for i := from; i < to; i++ {
		if len(node.Device(i).MIGProfiles) > 0 {
			return true
		}
	}
	return false
}

// capacity is what the devices of one vendor on a node offer in all.
func capacity(node *device.NodeInfo, v device.Vendor) demand {
	var sum demand
	from, to := node.Range(v)
	for i := from; i < to; i++ {
		d := node.Device(i)
		sum = sum.add(demand{d.Slots, d.Memory, d.Cores})
	}
	return sum
}

// share is the largest part of a node's capacity that a demand takes, over slots, memory and cores of every vendor.
func share(need map[device.Vendor]demand, node *device.NodeInfo) float64 {
	most := 0.0
	for v, d := range need {
		have := capacity(node, v)
		for _, part := range [][2]int64{{d.Slots, have.Slots}, {d.Memory, have.Memory}, {d.Cores, have.Cores}} {
			if part[1] > 0 {
				most = max(most, float64(part[0])/float64(part[1]))
			}
		}
	}
	return most
}

// pending is a pod that is to be placed.
type pending struct {
	pod     *corev1.Pod
	request *vendors.Request
	err     error // the request is invalid
	share   float64
	name    string
}

func (p *pending) shape() string {
	if p.err != nil {
		return ""
	}
	return p.request.Shape()
}

// queue parses pods and puts the most demanding first; equal ones by namespace and name, then by UID and shape (the pods of
// a workload that does not exist yet may have neither name nor UID).
func queue(set *vendors.Set, pods []*corev1.Pod, node *device.NodeInfo) []pending {
	out := make([]pending, len(pods))
	for i, pod := range pods {
		out[i] = pending{pod: pod, name: pod.Namespace + "/" + pod.Name}
		out[i].request, out[i].err = set.Request(pod)
		if out[i].err == nil {
			out[i].share = share(byVendor(out[i].request, node), node)
		}
	}
	slices.SortStableFunc(out, func(a, b pending) int {
		return cmp.Or(cmp.Compare(b.share, a.share), cmp.Compare(a.name, b.name), cmp.Compare(a.pod.UID, b.pod.UID), cmp.Compare(a.shape(), b.shape()))
	})
	return out
}
