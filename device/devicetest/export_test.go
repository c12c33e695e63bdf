package devicetest

// Shortened is a harness that is tried as with -short: with shorter texts.
func Shortened(h Harness) Harness {
	h.short = true
	return h
}

// Situations counts what the situations are that laws are tried in.
func Situations(h Harness) (counts map[string]int, all int, err error) {
	x, err := h.exam()
	if err != nil {
		return nil, 0, err
	}
	counts = map[string]int{}
	for seed := range x.tries() {
		s := x.random(seeded(uint64(seed))).play(x.set)
		for what, is := range s.kinds() {
			if is {
				counts[what]++
			}
		}
	}
	return counts, x.tries(), nil
}

func (s *scene) kinds() map[string]bool {
	kinds := map[string]bool{
		"fits":               s.fits(),
		"is refused":         s.refused(),
		"is invalid":         s.err != nil,
		"a quota":            s.Quota.Limited(),
		"a blocked device":   len(s.Blocked) > 0,
		"several containers": len(s.Pod.Spec.Containers) > 1,
		"init containers":    len(s.Pod.Spec.InitContainers) > 0,
		"annotations":        len(s.Pod.Annotations) > 0,
		"no pods before":     len(s.Before) == 0,
		"many pods before":   len(s.Before) > 4,
		"one device":         len(s.devices) == 1,
		"several devices":    len(s.devices) > 1,
	}
	for i := range s.devices {
		d, use := &s.devices[i], s.usage.Device(i)
		kinds["a sick device"] = kinds["a sick device"] || !d.Healthy
		kinds["a cordoned device"] = kinds["a cordoned device"] || d.Cordoned
		kinds["a device without slots left"] = kinds["a device without slots left"] || use.Slots >= d.Slots
		kinds["a device in part in use"] = kinds["a device in part in use"] || use.Slots > 0 && use.Memory < d.Memory
	}
	return kinds
}
