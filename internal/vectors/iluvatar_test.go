package vectors

import (
	"github.com/accelfit/accelfit/device"
	"github.com/accelfit/accelfit/vendors/iluvatar"
)

func iluvatarDeviations() []Deviation {
	return []Deviation{
		{"iD4", scoredByType(isIluvatar)},
	}
}

func isIluvatar(s *Situation, v device.Vendor) bool {
	_, ok := s.Set.Backend(v).(*iluvatar.Backend)
	return ok
}
