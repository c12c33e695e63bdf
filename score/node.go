package score

import (
	"cmp"
	"math"

	"github.com/accelfit/accelfit/device"
)

// Node returns the score of a node from the usage before a pod is placed (spec core §10): ten times the sum of the shares
// of its slots, cores and memory in use over all its devices, plus what the vendors of the allocation add. A node without
// slots, cores or memory has 0 before the vendors add theirs.
func Node(node *device.NodeUsage, vendors ...float32) float32 {
	total := base(node)
	var extra float32
	for _, v := range vendors {
		extra += v
	}
	return total + extra
}

func base(node *device.NodeUsage) float32 {
	used, total := node.Sums()
	if total.Slots == 0 || total.Cores == 0 || total.Memory == 0 {
		return 0
	}
	s := float32(used.Slots) / float32(total.Slots)
	c := float32(used.Cores) / float32(total.Cores)
	m := float32(used.Memory) / float32(total.Memory)
	return 10 * float32(float32(s+c)+m)
}

// Ranked is a node with its score.
type Ranked struct {
	Name  string
	Score float32
}

// Compare orders nodes under a node policy, best first: the lowest score under spread, the highest under any other; equal
// scores by name (deviation D2).
func Compare(policy string, a, b Ranked) int {
	c := cmp.Compare(b.Score, a.Score)
	if policy == Spread {
		c = -c
	}
	return cmp.Or(c, cmp.Compare(a.Name, b.Name))
}

// Normalize maps scores to 0..100 for frameworks that take the highest: the best node under the policy gets 100, the worst
// 0, the others their share of the way between; all equal scores get 100. The order of scores is kept. The result is new.
func Normalize(policy string, scores []float32) []int64 {
	out := make([]int64, len(scores))
	lo, hi := math.Inf(1), math.Inf(-1)
	for _, s := range scores {
		lo, hi = min(lo, float64(s)), max(hi, float64(s))
	}
	for i, s := range scores {
		switch {
		case hi == lo:
			out[i] = 100
		case policy == Spread:
			out[i] = int64(math.Round(100 * (hi - float64(s)) / (hi - lo)))
		default:
			out[i] = int64(math.Round(100 * (float64(s) - lo) / (hi - lo)))
		}
	}
	return out
}
