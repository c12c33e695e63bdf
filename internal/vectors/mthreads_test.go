package vectors

import (
	"slices"

	"github.com/accelfit/accelfit/device"
	"github.com/accelfit/accelfit/vendors/mthreads"
)

func mthreadsDeviations() []Deviation {
	return append(capacityDeviations(mthreads.Vendor),
		Deviation{"mD1", explainedBy(device.WholeCardIs48GiB)},
		Deviation{"mD5", func(s *Situation, d *Difference) bool { return greedyPhases(s, d) && !s.phasesApart() }},
		Deviation{"mD12", func(s *Situation, d *Difference) bool { return greedyPhases(s, d) && s.phasesApart() }},
	)
}

// greedyPhases: the first container of a phase takes the card that is visited first, whatever the pod's other containers need
// or have (mD5, mD12). A model that does not choose decides as recorded.
func greedyPhases(s *Situation, d *Difference) bool {
	b := s.Set.Backend(mthreads.Vendor)
	return b != nil && s.Node != nil && s.decidesWith(d, greedy{b}, s.Node)
}

// greedy is the model without choice.
type greedy struct{ device.Backend }

// Plan lets the first visited cards serve.
func (g greedy) Plan(pod *device.PodContext, ask device.ContainerRequest) device.Plan {
	p := g.Backend.Plan(pod, ask)
	p.Choose = nil
	return p
}

// phasesApart says whether the pod was placed with its init containers and its other containers on different cards.
func (s *Situation) phasesApart() bool {
	phases := map[bool][]string{}
	classes := s.Set.Classes(s.Pod)
	for i, list := range s.Verdict.Alloc[string(mthreads.Vendor)] {
		for _, card := range list {
			init := i < len(classes) && classes[i] == device.Init
			phases[init] = append(phases[init], card.UUID)
		}
	}
	return len(phases) == 2 && !slices.Equal(slices.Compact(phases[true]), slices.Compact(phases[false]))
}
