package vectors

import (
	"encoding/json"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"

	"github.com/accelfit/accelfit/device"
	"github.com/accelfit/accelfit/vendors"
	"github.com/accelfit/accelfit/vendors/ascend"
)

func ascendDeviations() []Deviation {
	return []Deviation{
		{"A3", textNetworks},
		{"A5", unroundedMemory},
		{"A7", twiceInAModule},
	}
}

// textNetworks: NPUs whose NetworkID is no number are in no group for the reference, so it gives none of them where it groups,
// and as few as that leaves (A3).
func textNetworks(s *Situation, d *Difference) bool {
	if s.Request == nil || s.Node == nil || !s.hasTextNetwork() {
		return false
	}
	switch d.Kind {
	case "alloc", "annotations":
		return slices.ContainsFunc(s.Request.Containers(), func(asks []device.ContainerRequest) bool {
			return slices.ContainsFunc(asks, func(a device.ContainerRequest) bool {
				return a.Nums > 1 && s.numberedOnly(string(a.Vendor), int(a.Nums))
			})
		})
	case "score":
		return s.Verdict.Fit && !bonusUnderSpread(s, d)
	}
	return false
}

// hasTextNetwork says whether every NPU of a chip on the node has a NetworkID, and some one that is no number.
func (s *Situation) hasTextNetwork() bool {
	info := s.Node.Info()
	for _, v := range info.Vendors() {
		from, to := info.Range(v)
		named, text := 0, 0
		for i := from; i < to; i++ {
			id, ok := info.Device(i).CustomInfo["NetworkID"]
			if ok {
				named++
			}
			if ok && !isNumber(id) {
				text++
			}
		}
		if text > 0 && named == to-from {
			return true
		}
	}
	return false
}

func isNumber(text json.RawMessage) bool {
	var n *float64
	return json.Unmarshal(text, &n) == nil && n != nil
}

// numberedOnly says whether some container was given no more than n NPUs of a chip, all with a number as NetworkID.
func (s *Situation) numberedOnly(vendor string, n int) bool {
	info := s.Node.Info()
	return slices.ContainsFunc(s.Verdict.Alloc[vendor], func(list []Device) bool {
		return len(list) <= n && !slices.ContainsFunc(list, func(d Device) bool {
			at := info.Find(device.Vendor(vendor), d.UUID)
			return at < 0 || !isNumber(info.Device(at).CustomInfo["NetworkID"])
		})
	})
}

// unroundedMemory: with a memory factor the reference books what the factor makes of the amount; accelfit rounds that up to a
// template (A5). A configuration without the factor, and the amounts multiplied by hand, give what is recorded.
func unroundedMemory(s *Situation, d *Difference) bool {
	if !s.Step.isPod() || s.asked == nil {
		return false
	}
	set, pod := s.withoutFactor()
	if set == nil {
		return false
	}
	req, err := set.Request(pod)
	if err != nil || jsonText(requests(req, s.Step)) == jsonText(requests(s.asked, s.Step)) {
		return false
	}
	req = req.WithQuota(s.run.quotas.Headroom(pod.Namespace))
	switch d.Kind {
	case "requests":
		return jsonText(requests(req, s.Step)) == d.Want
	case "chosen":
		return s.anyNode(unroundedMemory)
	case "fit", "reason", "score", "alloc", "annotations":
		return s.Node != nil && s.recordedBy(d, set, req)
	}
	return false
}

// withoutFactor is the set with memory factors of 1, and the pod with amounts of memory to match; nil where there is no factor.
func (s *Situation) withoutFactor() (*vendors.Set, *corev1.Pod) {
	config, factors := s.Set.Config().VNPUs, map[corev1.ResourceName]int64{}
	config.Configs = slices.Clone(config.Configs)
	for i := range config.Configs {
		if c := &config.Configs[i]; c.MemoryFactor > 1 {
			factors[corev1.ResourceName(c.ResourceMemoryName)] = int64(c.MemoryFactor)
			c.MemoryFactor = 1
		}
	}
	if len(factors) == 0 {
		return nil, nil
	}
	chips, err := ascend.Backends(config)
	if err != nil {
		return nil, nil
	}
	for _, b := range s.Set.Backends() {
		if !strings.HasPrefix(string(b.Vendor()), "Ascend") {
			chips = append(chips, b)
		}
	}
	set, err := vendors.New(chips...)
	if err != nil {
		return nil, nil
	}
	return set.With(s.Set.Options()), multiplied(s.Pod, factors)
}

func multiplied(pod *corev1.Pod, factors map[corev1.ResourceName]int64) *corev1.Pod {
	pod = pod.DeepCopy()
	for _, containers := range [][]corev1.Container{pod.Spec.InitContainers, pod.Spec.Containers} {
		for i := range containers {
			for _, list := range []corev1.ResourceList{containers[i].Resources.Limits, containers[i].Resources.Requests} {
				for name, factor := range factors {
					if q, ok := list[name]; ok {
						list[name] = *resource.NewQuantity(q.Value()*factor, resource.DecimalSI)
					}
				}
			}
		}
	}
	return pod
}

// twiceInAModule: two NPUs of an Ascend910C with one index make a module for the reference, in which one of them is given
// twice (A7).
func twiceInAModule(s *Situation, d *Difference) bool {
	switch d.Kind {
	case "fit", "reason", "score", "alloc", "annotations":
		return slices.ContainsFunc(s.Verdict.Alloc["Ascend910C"], func(list []Device) bool {
			seen := map[string]bool{}
			return slices.ContainsFunc(list, func(d Device) bool {
				again := seen[d.UUID]
				seen[d.UUID] = true
				return again
			})
		})
	}
	return false
}
