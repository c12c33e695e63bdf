package vectors

import (
	"cmp"
	"fmt"
	"maps"
	"slices"

	corev1 "k8s.io/api/core/v1"

	"github.com/accelfit/accelfit/device"
	"github.com/accelfit/accelfit/usage"
)

// force puts the recorded placement in force, with the reference's accounting.
func (r *Runner) force(i int, s *Step, sit *Situation) {
	node, alloc, notes := "", Alloc(nil), s.Notes
	switch {
	case s.Applied != nil:
		node, alloc, notes = s.Applied.Node, s.Applied.Alloc, s.Applied.Notes
	case s.Chosen != nil && *s.Chosen != "":
		node, alloc = *s.Chosen, s.Nodes[*s.Chosen].Alloc
	}
	if node == "" {
		return
	}
	h := r.held(s.Pod, node, alloc)
	r.placed[h.Key()] = placed{h, r.infos[node]}
	r.quotas = r.quotas.Take(h.Namespace, h.Allocation, r.infos[node])

	written := s.Pod.DeepCopy()
	written.Annotations = union(written.Annotations, notes)
	read, _, _ := usage.Read(r.set, written)
	if read.Allocation == nil {
		read.Allocation = &device.Allocation{}
	}
	at := *sit
	r.compare(&at, Difference{
		Step: i, Field: "read back", Kind: "read",
		Want: fmt.Sprint(holds(h.Allocation)), Got: fmt.Sprint(holds(read.Allocation)),
	})
}

func holds(a *device.Allocation) []device.Hold {
	out := a.Collapse()
	for i := range out {
		out[i].MIG, out[i].Tag = nil, ""
	}
	return out
}

// held is what a recorded placement takes by the reference's account: entry i of a list is an init container's when i is
// below the number of init containers.
func (r *Runner) held(pod *corev1.Pod, node string, alloc Alloc) usage.Holding {
	h := usage.Holding{Namespace: pod.Namespace, Name: pod.Name, UID: pod.UID, Node: node, Allocation: &device.Allocation{}}
	longest := 0
	for _, lists := range alloc {
		longest = max(longest, len(lists))
	}
	for i := range longest {
		class := device.App
		if i < len(pod.Spec.InitContainers) {
			class = device.Init
		}
		h.Allocation.Classes = append(h.Allocation.Classes, class)
	}
	for _, vendor := range slices.Sorted(maps.Keys(alloc)) {
		for c, list := range alloc[vendor] {
			for k, d := range list {
				held := device.ContainerDevice{
					Container: c, Vendor: device.Vendor(vendor), ID: d.UUID, Memory: d.UsedMem, Cores: d.UsedCores,
				}
				if t, ok := r.set.Backend(held.Vendor).(device.Tagger); ok {
					held.Tag = t.Tag(pod.Annotations, &held)
				}
				h.Allocation.Devices = append(h.Allocation.Devices, held)
				if d.MIGPlace != nil {
					h.Reservations = append(h.Reservations, device.MIGReservation{
						ContainerIndex: c, DeviceIndex: k, GPUUUID: d.UUID, Profile: d.MIGProfile,
						Placement: device.Placement{Start: d.MIGPlace.Start, Size: d.MIGPlace.Size},
					})
				}
			}
		}
	}
	return h
}

// end compares what every device carries in the end.
func (r *Runner) end(step int) {
	for _, name := range slices.Sorted(maps.Keys(r.infos)) {
		got, want := ends(r.usageOf(name)), r.seq.End[name]
		sortInstances(want)
		r.compare(&Situation{Sequence: r.seq, Set: r.set, run: r}, Difference{
			Step: step, Field: "end." + name, Kind: "end", Node: name, Want: jsonText(want), Got: jsonText(got),
		})
	}
}

// ends is what the devices of a node carry, as the record has it.
func ends(node *device.NodeUsage) map[string]DeviceEnd {
	out := map[string]DeviceEnd{}
	for i, u := range node.Devices() {
		if u.Slots == 0 && u.Memory == 0 && u.Cores == 0 && len(u.MIG()) == 0 {
			continue
		}
		e := DeviceEnd{Used: u.Slots, Mem: u.Memory, Cores: u.Cores}
		for _, m := range u.MIG() {
			e.MIG = append(e.MIG, [3]any{m.Profile, m.Placement.Start, m.Placement.Size})
		}
		out[node.Info().Device(i).ID] = e
	}
	sortInstances(out)
	return out
}

func sortInstances(ends map[string]DeviceEnd) {
	for _, e := range ends {
		slices.SortFunc(e.MIG, func(a, b [3]any) int { return cmp.Compare(fmt.Sprint(a), fmt.Sprint(b)) })
	}
}
