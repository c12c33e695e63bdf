package usage

import (
	corev1 "k8s.io/api/core/v1"

	"github.com/accelfit/accelfit/device"
	"github.com/accelfit/accelfit/vendors"
)

// Node reads a node and what pods hold of its devices. Of the pods those count that were given this node
// ([device.AnnotationNode]) and are not bound to another; the rest is skipped, so a caller may pass all pods of a cluster.
// The result is always usable; problems tell what could not be read. Neither argument is changed or kept.
func Node(set *vendors.Set, node *corev1.Node, pods []*corev1.Pod) (*device.NodeUsage, []device.Problem) {
	info := set.Inventory(node)
	problems := info.Problems()
	var holdings []Holding
	for _, pod := range pods {
		if elsewhere(pod, node.Name) {
			continue
		}
		h, ok, bad := Read(set, pod)
		problems = append(problems, bad...)
		if ok {
			holdings = append(holdings, h)
		}
	}
	return Apply(info, holdings), problems
}

func elsewhere(pod *corev1.Pod, node string) bool {
	return pod.Annotations[device.AnnotationNode] != node || pod.Spec.NodeName != "" && pod.Spec.NodeName != node
}

// Apply returns the usage of a node with the given holdings (spec core §6). Devices that the node does not have are left
// out: their bookkeeping is stale. A card whose MIG instances cannot be told, or that has reservations without being in mode
// mig, takes no new work, and neither does a blocked device. The order of holdings does not matter but for the order of MIG
// instances.
func Apply(info *device.NodeInfo, holdings []Holding) *device.NodeUsage {
	if len(holdings) == 0 {
		return device.NewNodeUsage(info)
	}
	return device.NewNodeUsage(info).Update(func(devices []device.DeviceUsage) {
		for i := range holdings {
			add(info, devices, &holdings[i])
		}
	})
}

func add(info *device.NodeInfo, devices []device.DeviceUsage, h *Holding) {
	reserved := byDevice(h.Reservations)
	for _, hold := range h.Allocation.Collapse() {
		i := info.Find(hold.Vendor, hold.ID)
		if i < 0 {
			continue
		}
		hold.MIG = nil // the reservations say it
		devices[i].Take(hold)
		if info.Device(i).Mode == device.ModeMIG && len(reserved[hold.ID]) == 0 {
			devices[i].Healthy = false
		}
	}
	for i := range devices {
		d := info.Device(i)
		instances, found := reserved[d.ID]
		if !found {
			continue
		}
		delete(reserved, d.ID)
		if d.Mode == device.ModeMIG {
			devices[i].Take(device.Hold{MIG: instances})
		} else {
			devices[i].Healthy = false // deviation N10
		}
	}
	block(info, devices, h, len(reserved) > 0)
}

// byDevice groups what reservations occupy by the device they are on.
func byDevice(rs []device.MIGReservation) map[string][]device.MIGInstance {
	if len(rs) == 0 {
		return nil
	}
	out := map[string][]device.MIGInstance{}
	for i := range rs {
		out[rs[i].GPUUUID] = append(out[rs[i].GPUUUID], rs[i].Instance())
	}
	return out
}

// block keeps devices from new work whose bookkeeping cannot be trusted: those with unreadable entries and, if there are
// reservations on a card the node does not have, every card in mode mig.
func block(info *device.NodeInfo, devices []device.DeviceUsage, h *Holding, strays bool) {
	for _, b := range h.Blocked {
		if i := info.Find(b.Vendor, b.ID); i >= 0 {
			devices[i].Healthy = false
		}
	}
	if !strays {
		return
	}
	for i := range devices {
		if info.Device(i).Mode == device.ModeMIG {
			devices[i].Healthy = false
		}
	}
}
