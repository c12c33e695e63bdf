package score

import (
	"cmp"
	"slices"
	"strings"

	"github.com/accelfit/accelfit/device"
)

// Names of device policies and node policies.
const (
	Binpack       = "binpack"        // the fullest first
	Spread        = "spread"         // the emptiest first
	NUMA          = "numa"           // devices of one NUMA node side by side
	Mutex         = "mutex"          // idle devices only
	TopologyAware = "topology-aware" // choose by link scores
)

type key uint8

const (
	scoreUp key = iota + 1
	scoreDown
	numaUp
	numaDown
	slotsDown
	indexUp
)

// Policy is a device policy, read once for each pod: how devices are sorted, and what acts inside a vendor's fit. The zero
// value is the policy spread.
type Policy struct {
	device.DevicePolicy
	keys [5]key // zero entries compare nothing
}

// ParsePolicy reads a device policy (spec core §8): one word, or a comma-separated chain of sort keys. Words that are no
// policy sort as spread; nothing is an error. numaBind asks for all devices of a container from one NUMA node.
func ParsePolicy(text string, numaBind bool) Policy {
	p := Policy{DevicePolicy: device.DevicePolicy{NUMABind: numaBind}}
	if text == Spread || text == Binpack { // as most pods have it
		p.keys = single(text, numaBind)
		return p
	}
	tokens := strings.Split(text, ",")
	for i := range tokens {
		tokens[i] = strings.TrimSpace(tokens[i])
	}
	p.Mutex = slices.Contains(tokens, Mutex)
	p.TopologyAware = slices.Contains(tokens, TopologyAware)
	if len(tokens) > 1 || text == NUMA {
		p.keys = chain(tokens, numaBind)
	} else {
		p.keys = single(text, numaBind)
	}
	return p
}

// single is the order of a policy of one word (spec core §8.1). The word is taken as written: " mutex" is no mutex here.
func single(word string, numaBind bool) [5]key {
	switch {
	case word == Mutex:
		return [5]key{slotsDown, numaUp}
	case word == Binpack && numaBind:
		return [5]key{numaDown, scoreUp}
	case word == Binpack:
		return [5]key{scoreUp, numaUp}
	case numaBind:
		return [5]key{numaUp, scoreDown}
	}
	return [5]key{scoreDown, numaUp}
}

// chain is the order of a chain of sort keys (spec core §8.2).
func chain(tokens []string, numaBind bool) (keys [5]key) {
	known := map[string]key{Binpack: scoreUp, Spread: scoreDown, NUMA: numaUp}
	var order []key
	for _, t := range tokens {
		if k, ok := known[t]; ok && !slices.Contains(order, k) {
			order = append(order, k)
		}
	}
	if len(order) == 0 {
		order = []key{scoreDown}
	}
	if numaBind && order[0] != numaUp {
		order = slices.DeleteFunc(order, func(k key) bool { return k == numaUp })
		order = slices.Insert(order, 0, numaUp)
	}
	copy(keys[:], append(order, indexUp))
	return keys
}

// Rank is what a device is sorted by.
type Rank struct {
	Score float32
	Slots int64 // in use
	NUMA  int
	Index int
}

// Compare orders two devices under the policy: negative when a is visited after b, positive when before, 0 when the
// policy does not tell them apart. Devices are visited from the greatest to the least.
func (p *Policy) Compare(a, b *Rank) int {
	for _, k := range &p.keys {
		c := 0
		switch k {
		case 0:
			return 0
		case scoreUp:
			c = cmp.Compare(a.Score, b.Score)
		case scoreDown:
			c = cmp.Compare(b.Score, a.Score)
		case numaUp:
			c = cmp.Compare(a.NUMA, b.NUMA)
		case numaDown:
			c = cmp.Compare(b.NUMA, a.NUMA)
		case slotsDown:
			c = cmp.Compare(b.Slots, a.Slots)
		case indexUp:
			c = cmp.Compare(a.Index, b.Index)
		}
		if c != 0 {
			return c
		}
	}
	return 0
}

// Sort puts device positions into the policy's order, least first; equal devices keep their order (deviation D6). ranks is
// indexed by position. It allocates nothing. Cost: O(n log² n), and about n²/4 comparisons for short lists.
func (p *Policy) Sort(positions []int32, ranks []Rank) {
	slices.SortStableFunc(positions, func(a, b int32) int { return p.Compare(&ranks[a], &ranks[b]) })
}

// Last is Sort for those who visit only the first n devices: it puts those where Sort would put them, at the end of
// positions; what is before is in no particular order. It allocates nothing. Cost: O(n × len(positions)) for small n.
func (p *Policy) Last(positions []int32, ranks []Rank, n int) {
	if n > 2 {
		p.Sort(positions, ranks)
		return
	}
	for end := len(positions); n > 0; n-- {
		best := 0
		for i := 1; i < end; i++ {
			if p.Compare(&ranks[positions[i]], &ranks[positions[best]]) >= 0 {
				best = i
			}
		}
		end--
		moved := positions[best]
		copy(positions[best:], positions[best+1:end+1])
		positions[end] = moved
	}
}
