package vectors

import (
	"slices"
	"strings"

	"github.com/accelfit/accelfit/device"
	"github.com/accelfit/accelfit/score"
	"github.com/accelfit/accelfit/vendors"
)

func nvidiaDeviations() []Deviation {
	return []Deviation{
		{"N2", explainedBy(device.LastNUMARun)},
		{"N3", quotaOfCandidates},
		{"N4", explainedBy(device.QuotaByRequest)},
		{"N5", emptyPlacement},
		{"N6", explainedBy(device.MIGSlotsUnchecked)},
	}
}

// quotaOfCandidates: in a topology-aware fit the reference checks the quota with every candidate seen so far, so it chooses
// among fewer (N3). Choosing among those without a quota gives what is recorded.
func quotaOfCandidates(s *Situation, d *Difference) bool {
	if !s.Quota || s.Request == nil || s.Node == nil || d.Kind != "alloc" && d.Kind != "annotations" {
		return false
	}
	free := s.Request.WithQuota(nil)
	headroom := s.run.quotas.Headroom(s.Pod.Namespace)["NVIDIA"]
	asks := slices.DeleteFunc(slices.Clone(free.Containers()), func(a []device.ContainerRequest) bool { return len(a) == 0 })
	if explainedBy(device.LastNUMARun)(s, d) || foreignVendors(s, d) { // they alone explain it
		return false
	}
	if len(asks) != 1 || asks[0][0].Vendor != "NVIDIA" || !score.ParsePolicy(devicePolicy(s), false).TopologyAware {
		return false
	}
	seen := seenByReference(s, free, asks[0][0], headroom)
	among := s.Node.Update(func(devices []device.DeviceUsage) {
		for i := range devices {
			devices[i].Healthy = seen[i]
		}
	})
	return s.recordedAlloc(s.Set.Fit(free, among))
}

// seenByReference are the devices the reference collects: each that fits and, with all collected before, stays within the
// quota. With NUMA binding a device of another NUMA node starts anew.
func seenByReference(s *Situation, free *vendors.Request, ask device.ContainerRequest, headroom device.Headroom) map[int]bool {
	info := s.Node.Info()
	bind := s.Pod.Annotations[device.AnnotationNUMABind] == "true"
	var memory, cores int64
	seen, run := map[int]bool{}, -1
	for _, v := range s.Set.Explain(free, s.Node).Verdicts {
		i := info.Find(v.Vendor, v.Device)
		early := v.Code == device.CardNotHealth || v.Code == device.CardCordoned || v.Code == device.CardTypeMismatch
		if numa := info.Device(i).NUMA; bind && !early && numa != run {
			seen, run, memory, cores = map[int]bool{}, numa, 0, 0
		}
		m, c := memory+ask.MemoryOn(info.Device(i).Memory), cores+min(100, ask.Cores)
		if v.Granted && headroom.Allows(m, c) {
			memory, cores, seen[i] = m, c, true
		}
	}
	return seen
}

// emptyPlacement: an instance without slices can be had from the reference (N5).
func emptyPlacement(s *Situation, d *Difference) bool {
	switch d.Kind {
	case "fit", "reason", "score", "alloc", "annotations":
		return strings.Contains(s.run.nodes[d.Node].Annotations["hami.io/node-nvidia-register"], `"size":0`)
	}
	return false
}
