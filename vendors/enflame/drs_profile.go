package enflame

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/accelfit/accelfit/device"
)

// profile is a size that an instance can have.
type profile struct {
	name, id string
	slices   int64
	gb       int64
	memory   int64 // MiB booked
	percent  int64 // booked: the share of a card, rounded up
	cut      *cut  // that it is part of
}

// cut is how the cards of a node are cut, the Extra of its inventory. It never changes.
type cut struct {
	slices   int64     // of a whole card: those of the largest profile
	gb       int64     // of a whole card
	even     int64     // GB of each slice, where profiles have the same; else 0
	profiles []profile // that an instance can have: ascending slices, GB, name (deviation eD4)
}

// mostGB is the memory that the wire formats can carry in MiB.
const mostGB = device.MaxAmount / 1024

// newCut reads the profiles of a node, from name to id (spec enflame §II.4). Names that tell no size are ignored; sizes out of
// range are reported and never given out (deviation eD3).
func newCut(names map[string]string) (c *cut, outOfRange []error) {
	c = &cut{}
	for _, name := range slices.Sorted(maps.Keys(names)) {
		p := profile{name: name, id: names[name]}
		p.slices, p.gb = size(name)
		c.slices = max(c.slices, p.slices)
		switch {
		case p.slices > device.MaxAmount || p.slices > 0 && p.gb > mostGB:
			outOfRange = append(outOfRange, fmt.Errorf("%q is out of range", name))
		case p.slices > 0 && p.gb > 0:
			c.profiles = append(c.profiles, p)
			c.gb = max(c.gb, p.gb)
		}
	}
	if c.gb == 0 {
		c.gb = min(c.slices, mostGB)
	}
	c.complete()
	c.even = evenly(c.profiles)
	return c, outOfRange
}

// complete works out what the profiles book, and sorts them.
func (c *cut) complete() {
	for i := range c.profiles {
		p := &c.profiles[i]
		p.cut, p.memory, p.percent = c, p.gb*1024, p.slices*100/c.slices
		if p.slices*100%c.slices != 0 {
			p.percent++
		}
	}
	slices.SortStableFunc(c.profiles, func(a, b profile) int {
		return cmp.Or(cmp.Compare(a.slices, b.slices), cmp.Compare(a.gb, b.gb)) // and by name, as they came
	})
}

// size reads a profile's name, "3g.20gb": 0 slices where it tells no size, 0 GB where it tells no memory.
func size(name string) (slots, gb int64) {
	parts := strings.Split(strings.ToLower(strings.TrimSpace(name)), ".")
	if len(parts) < 2 {
		return 0, 0
	}
	slots, err := strconv.ParseInt(strings.TrimSuffix(strings.TrimSpace(parts[0]), "g"), 10, 64)
	if err != nil {
		return 0, 0
	}
	gb, err = strconv.ParseInt(strings.TrimSuffix(strings.TrimSpace(parts[1]), "gb"), 10, 64)
	if err != nil {
		return slots, 0
	}
	return slots, gb
}

// choose picks the profile for a request (spec enflame §II.7); nil if there is none.
func (c *cut) choose(ask *device.ContainerRequest) *profile {
	if ask.MemoryPercent == bySize {
		return c.atLeast(ask.Memory, ask.Cores)
	}
	for i := range c.profiles {
		if p := &c.profiles[i]; p.slices == ask.Memory {
			return p
		}
	}
	return nil
}

// atLeast picks the smallest profile with the wanted memory and percent; 0: any.
func (c *cut) atLeast(memory, percent int64) *profile {
	gb := c.gigabytes(memory)
	for i := range c.profiles {
		if p := &c.profiles[i]; p.gb >= gb && p.percent >= percent {
			return p
		}
	}
	return nil
}

// gigabytes reads an amount of memory: MiB where it is more than twice the GB of the profile with most slices, else GB.
func (c *cut) gigabytes(memory int64) int64 {
	if n := len(c.profiles); n > 0 && memory > 2*c.profiles[n-1].gb {
		return (memory + 1023) / 1024
	}
	return memory
}

// granted finds the profile of which an instance was booked; nil if there is none.
func (c *cut) granted(memory, percent int64) *profile {
	for i := range c.profiles {
		if p := &c.profiles[i]; p.memory == memory && p.percent == percent {
			return p
		}
	}
	return nil
}

// used is how many slices the instances on a card have that take so much memory and percent in all (deviation eD2). It is exact
// where the memory of profiles goes by their slices, and on cards of fewer than 10 slices, where rounding percentages up does not
// matter; else it may be some too many.
func (c *cut) used(memory, percent int64) int64 {
	if c.even > 0 {
		return memory / (1024 * c.even)
	}
	return device.Product(percent, c.slices) / 100
}

// evenly is the GB of each slice where all profiles have the same; else 0.
func evenly(profiles []profile) int64 {
	if len(profiles) == 0 {
		return 0
	}
	even := profiles[0].gb / profiles[0].slices
	for i := range profiles {
		if profiles[i].gb != even*profiles[i].slices {
			return 0
		}
	}
	return even
}
