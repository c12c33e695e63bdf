package live

import (
	"maps"
	"sync"

	"github.com/accelfit/accelfit/device"
)

// Judgement is what came of a node in a filter call.
type Judgement struct {
	Fits   bool
	Vendor device.Vendor // that refused the node; empty: Fits
	Reason device.Code   // of most devices, or of the node as a whole
}

// judged counts nodes since the scheduler was made.
type judged struct {
	mu     sync.Mutex
	counts map[Judgement]int
}

// Judged returns how many nodes were judged in which way since the scheduler was made. The map is the caller's.
func (s *Scheduler) Judged() map[Judgement]int {
	s.judged.mu.Lock()
	defer s.judged.mu.Unlock()
	return maps.Clone(s.judged.counts)
}

// add counts what came of a call.
func (j *judged) add(c choice) {
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.counts == nil {
		j.counts = map[Judgement]int{}
	}
	j.counts[Judgement{Fits: true}] += len(c.serving)
	for why, n := range c.judgements {
		j.counts[why] += n
	}
}

// judgement is why a node is refused, in one code: the one that most of its devices have, the first of those that as many have.
func judgement(why *device.Reasons) Judgement {
	j := Judgement{Vendor: why.Vendor, Reason: why.Node}
	most := 0
	for _, code := range device.Codes() {
		if n := why.Count(code); n > most {
			j.Reason, most = code, n
		}
	}
	return j
}
