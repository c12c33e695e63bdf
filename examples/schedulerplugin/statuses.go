package schedulerplugin

import (
	"sync/atomic"

	fwk "k8s.io/kube-scheduler/framework"
)

// statuses hands out copies of statuses, each to one answer alone, as the framework writes into them. Memory is taken for many at
// once.
type statuses struct{ room atomic.Pointer[statusRoom] }

type statusRoom struct {
	taken atomic.Int64
	all   [64]fwk.Status
}

func (s *statuses) copyOf(status *fwk.Status) *fwk.Status {
	for {
		room := s.room.Load()
		if room != nil {
			if i := room.taken.Add(1) - 1; i < int64(len(room.all)) {
				room.all[i] = *status
				return &room.all[i]
			}
		}
		s.room.CompareAndSwap(room, new(statusRoom))
	}
}
