package score_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/accelfit/accelfit/device"
	"github.com/accelfit/accelfit/score"
)

func nodeOf(use []device.DeviceUsage, devices ...device.DeviceInfo) *device.NodeUsage {
	info := device.NewNodeInfo("n", device.Inventory{Vendor: "NVIDIA", Devices: devices})
	return device.NewNodeUsage(info).Update(func(u []device.DeviceUsage) {
		for i := range use {
			u[i].Slots, u[i].Memory, u[i].Cores = use[i].Slots, use[i].Memory, use[i].Cores
		}
	})
}

// TestNodeScore is the scores of spec core E18 and E9, and §10 on nodes without capacity.
func TestNodeScore(t *testing.T) {
	card := device.DeviceInfo{Slots: 10, Memory: 10000, Cores: 100}
	l4 := device.DeviceInfo{Slots: 10, Memory: 23034, Cores: 100}
	none := device.DeviceInfo{Slots: 10, Memory: 0, Cores: 100}
	for _, c := range []struct {
		why  string
		node *device.NodeUsage
		plus []float32
		want float32
	}{
		{"E18 n1: two cards, one of them used", nodeOf([]device.DeviceUsage{{Slots: 1, Memory: 4000, Cores: 30}}, card, card), nil, 4},
		{"E18 n2: one idle card", nodeOf(nil, card), nil, 0},
		{"E9: four cards, one of them used", nodeOf([]device.DeviceUsage{{Slots: 1, Memory: 4000, Cores: 10}}, l4, l4, l4, l4), nil, 0.9341408},
		{"vendors add theirs", nodeOf([]device.DeviceUsage{{Slots: 1, Memory: 4000, Cores: 30}}, card, card), []float32{2.5, -1}, 5.5},
		{"no device", nodeOf(nil), nil, 0},
		{"no memory: only what vendors add", nodeOf([]device.DeviceUsage{{Slots: 1, Cores: 30}}, none), []float32{3}, 3},
		{"one of two without memory counts in the sums", nodeOf([]device.DeviceUsage{{Slots: 2}, {Memory: 5000}}, none, card), nil, 6},
	} {
		if got := score.Node(c.node, c.plus...); got != c.want {
			t.Errorf("%s: %v, want %v", c.why, got, c.want)
		}
	}
}

// TestCompare is spec core E18: spread takes the lowest score, every other policy the highest; equal ones go by name (D2).
func TestCompare(t *testing.T) {
	nodes := []score.Ranked{{"n1", 4}, {"n2", 0}, {"n10", 4}, {"a", 0}}
	for policy, want := range map[string]string{
		score.Binpack: "n1 n10 a n2",
		score.Spread:  "a n2 n1 n10",
		"other":       "n1 n10 a n2",
		"":            "n1 n10 a n2",
	} {
		order := slices.Clone(nodes)
		slices.SortFunc(order, func(a, b score.Ranked) int { return score.Compare(policy, a, b) })
		got := fmt.Sprintf("%s %s %s %s", order[0].Name, order[1].Name, order[2].Name, order[3].Name)
		if got != want {
			t.Errorf("policy %q: %s, want %s", policy, got, want)
		}
	}
}

func TestNormalize(t *testing.T) {
	scores := []float32{4, 0, 1, 4}
	for policy, want := range map[string][]int64{
		score.Binpack: {100, 0, 25, 100},
		score.Spread:  {0, 100, 75, 0},
		"other":       {100, 0, 25, 100},
	} {
		if got := score.Normalize(policy, scores); !slices.Equal(got, want) {
			t.Errorf("%s: %v, want %v", policy, got, want)
		}
	}
	if got := score.Normalize(score.Spread, []float32{2, 2}); !slices.Equal(got, []int64{100, 100}) {
		t.Errorf("equal scores: %v, want all 100", got)
	}
	if got := score.Normalize(score.Binpack, nil); len(got) != 0 {
		t.Errorf("no scores: %v", got)
	}
}

// TestNormalizeLaws: results lie in 0..100, the best is 100, the worst 0, the order of scores is kept, and the scores
// themselves are left as they are.
func TestNormalizeLaws(t *testing.T) {
	const seed = 3
	t.Logf("seed %d", seed)
	r := rand.New(rand.NewPCG(seed, 0))
	extremes := []float32{-math.MaxFloat32, -1, 0, math.SmallestNonzeroFloat32, 1, math.MaxFloat32}
	for range 2000 {
		scores := make([]float32, 1+r.IntN(20))
		for i := range scores {
			scores[i] = r.Float32()*60 - 10
			if r.IntN(10) == 0 {
				scores[i] = extremes[r.IntN(len(extremes))]
			}
		}
		before := slices.Clone(scores)
		policy := []string{score.Binpack, score.Spread}[r.IntN(2)]
		got := score.Normalize(policy, scores)
		if !slices.Equal(scores, before) {
			t.Fatalf("scores were changed from %v to %v", before, scores)
		}
		checkNormalized(t, policy, scores, got)
	}
}

func checkNormalized(t *testing.T, policy string, scores []float32, got []int64) {
	t.Helper()
	if slices.Max(got) != 100 || slices.Min(got) != 0 && slices.Min(scores) != slices.Max(scores) {
		t.Fatalf("%s %v: %v does not reach from 0 to 100", policy, scores, got)
	}
	for i := range scores {
		for k := range scores {
			a, b := score.Ranked{Score: scores[i]}, score.Ranked{Score: scores[k]}
			if score.Compare(policy, a, b) < 0 && got[i] < got[k] {
				t.Fatalf("%s %v: %v turns the order of %d and %d round", policy, scores, got, i, k)
			}
		}
	}
}

func ExampleNormalize() {
	scores := []float32{4, 0, 1}
	fmt.Println(score.Normalize(score.Binpack, scores), score.Normalize(score.Spread, scores))
	// Output: [100 0 25] [0 100 75]
}

func ExampleCompare() {
	nodes := []score.Ranked{{Name: "n2", Score: 1}, {Name: "n3", Score: 4}, {Name: "n1", Score: 1}}
	slices.SortFunc(nodes, func(a, b score.Ranked) int { return score.Compare(score.Spread, a, b) })
	fmt.Println(nodes)
	// Output: [{n1 1} {n2 1} {n3 4}]
}

func ExampleNode() {
	card := device.DeviceInfo{ID: "g0", Slots: 10, Memory: 10000, Cores: 100, Healthy: true}
	node := device.NewNodeUsage(device.NewNodeInfo("n1", device.Inventory{Vendor: "NVIDIA", Devices: []device.DeviceInfo{card}}))
	pod := device.Allocation{
		Classes: []device.ContainerClass{device.App},
		Devices: []device.ContainerDevice{{Vendor: "NVIDIA", ID: "g0", Memory: 4000, Cores: 30}},
	}
	fmt.Println(score.Node(node), score.Node(node.With(&pod)))
	// Output: 0 8
}
