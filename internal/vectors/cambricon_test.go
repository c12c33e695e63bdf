package vectors

import (
	"math"

	corev1 "k8s.io/api/core/v1"

	"github.com/accelfit/accelfit/device"
	"github.com/accelfit/accelfit/vendors/cambricon"
)

func cambriconDeviations() []Deviation {
	return append(capacityDeviations(cambricon.Vendor),
		Deviation{"cD3", func(s *Situation, d *Difference) bool {
			return s.mostCores() > math.MaxInt32 && unclampedCores(s, d)
		}},
		Deviation{"cD4", func(s *Situation, d *Difference) bool {
			return s.mostCores() <= math.MaxInt32 && unclampedCores(s, d)
		}},
	)
}

// unclampedCores: cores above 100 count in scores, and beyond 32 bits they wrap around (cD4, cD3). A model with such cores
// decides as recorded.
func unclampedCores(s *Situation, d *Difference) bool {
	if !s.Step.isPod() || s.Request == nil || s.mostCores() <= 100 {
		return false
	}
	b := unclamped{s.Set.Backend(cambricon.Vendor)}
	if d.Kind == "requests" {
		req, err := s.withBackend(b).Request(s.Pod)
		return err == nil && jsonText(requests(req, s.Step)) == d.Want
	}
	return s.Node != nil && s.decidesWith(d, b, s.Node)
}

// mostCores is the largest number of cores that a container asks of each card.
func (s *Situation) mostCores() int64 {
	most := int64(0)
	if !s.Step.isPod() {
		return 0
	}
	for _, containers := range [][]corev1.Container{s.Pod.Spec.InitContainers, s.Pod.Spec.Containers} {
		for i := range containers {
			q, _ := device.Quantity(&containers[i], "cambricon.com/mlu.smlu.vcore")
			n, _ := q.AsInt64()
			most = max(most, n)
		}
	}
	return most
}

// unclamped is the model with the reference's reading of cores.
type unclamped struct{ device.Backend }

// Request keeps the cores as they are, in 32 bits.
func (u unclamped) Request(c *corev1.Container) (device.ContainerRequest, error) {
	ask, err := u.Backend.Request(c)
	if q, given := device.Quantity(c, u.Names().Cores); given && err == nil && ask.Nums > 0 {
		n, _ := q.AsInt64()
		ask.Cores = int64(int32(n))
	}
	return ask, err
}

// Plan checks and books no more than 100.
func (u unclamped) Plan(pod *device.PodContext, ask device.ContainerRequest) device.Plan {
	ask.Cores = min(ask.Cores, 100)
	return u.Backend.Plan(pod, ask)
}
