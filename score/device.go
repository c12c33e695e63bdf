package score

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/accelfit/accelfit/device"
)

// Weights of the three parts of a device score. At least one is positive, none is negative.
type Weights struct{ Slot, Core, Memory int64 }

// DefaultWeights weighs all parts the same.
func DefaultWeights() Weights { return Weights{1, 1, 1} }

// ParseWeights reads the annotation [device.AnnotationWeights] (spec core §9): exactly the keys slot, core and memory, each
// once, as key=value entries joined by commas.
func ParseWeights(text string) (Weights, error) {
	w, err := parseWeights(text)
	if err != nil {
		return Weights{}, fmt.Errorf("invalid %s annotation %q: %w", device.AnnotationWeights, text, err)
	}
	return w, nil
}

func parseWeights(text string) (w Weights, err error) {
	entries := strings.Split(text, ",")
	if len(entries) != 3 {
		return w, errors.New("expected slot, core, and memory weights")
	}
	seen := map[string]bool{}
	for _, entry := range entries {
		name, value, ok := strings.Cut(entry, "=")
		if !ok {
			return w, errors.New("expected key=value entries")
		}
		name = strings.TrimSpace(name)
		if seen[name] {
			return w, fmt.Errorf("duplicate %q weight", name)
		}
		seen[name] = true
		if err := w.set(name, strings.TrimSpace(value)); err != nil {
			return w, err
		}
	}
	if w == (Weights{}) {
		return w, errors.New("at least one weight must be positive")
	}
	return w, nil
}

func (w *Weights) set(name, value string) error {
	n, err := strconv.ParseInt(value, 10, 64)
	switch {
	case err != nil:
		return fmt.Errorf("%q weight must be an integer", name)
	case n < 0:
		return fmt.Errorf("%q weight must not be negative", name)
	}
	switch name {
	case "slot":
		w.Slot = n
	case "core":
		w.Core = n
	case "memory":
		w.Memory = n
	default:
		return fmt.Errorf("unknown weight %q", name)
	}
	return nil
}

// Device returns the score of one device (spec core §9): ten times the weighted sum of the shares of its slots, cores and
// memory that are in use. What a container asks counts as in use only where the vendor word of its request is the device's
// ([device.DeviceInfo.Word]), one slot for each request. A device without slots, cores or memory scores 0.
func Device(info *device.DeviceInfo, use *device.DeviceUsage, asks []device.ContainerRequest, w Weights) float32 {
	with := device.DeviceUsage{Slots: use.Slots, Cores: use.Cores, Memory: use.Memory}
	for i := range asks {
		if asks[i].Vendor == info.Word() {
			with.Slots++
			with.Cores += asks[i].Cores
			with.Memory += asked(&asks[i], info.Memory)
		}
	}
	s := device.SharesOf(info, &with)
	return w.sum(&s)
}

// sum weighs the shares in binary32, every product and sum rounded.
func (w *Weights) sum(s *device.Shares) float32 {
	slots := float32(float32(w.Slot) * s.Slots)
	cores := float32(float32(w.Core) * s.Cores)
	memory := float32(float32(w.Memory) * s.Memory)
	return 10 * float32(float32(slots+cores)+memory)
}

// asked is the memory a request counts with in the score: unlike in the fit, the percentage goes before the amount.
func asked(r *device.ContainerRequest, memory int64) int64 {
	if r.MemoryPercent != 0 && r.MemoryPercent != device.PercentUnset {
		return device.Percent(memory, r.MemoryPercent)
	}
	return r.Memory
}

// RankOf returns what a device is sorted by.
func RankOf(info *device.DeviceInfo, use *device.DeviceUsage, asks []device.ContainerRequest, w Weights) Rank {
	return Rank{Score: Device(info, use, asks, w), Slots: use.Slots, NUMA: info.NUMA, Index: info.Index}
}

// RankUnasked is RankOf for a device whose type is no vendor word, so that nothing asked counts.
func RankUnasked(s *device.Shares, w Weights) Rank {
	return Rank{Score: w.sum(s), Slots: int64(s.Used), NUMA: int(s.NUMA), Index: int(s.Index)}
}
