package score_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/accelfit/accelfit/device"
	"github.com/accelfit/accelfit/score"
)

// TestParseWeights is every row of spec core E6, and what §9 says of the order of the checks.
func TestParseWeights(t *testing.T) {
	const three = "expected slot, core, and memory weights"
	for _, c := range []struct {
		text string
		want score.Weights
		why  string // of the error; empty: none
	}{
		{"memory=3, core =0,slot= 1", score.Weights{Slot: 1, Memory: 3}, ""},
		{"slot=+1,core=1,memory=3", score.Weights{Slot: 1, Core: 1, Memory: 3}, ""},
		{"slot=9223372036854775807,core=0,memory=0", score.Weights{Slot: 1<<63 - 1}, ""},
		{"slot=1,core=1", score.Weights{}, three},
		{"", score.Weights{}, three},
		{"x", score.Weights{}, three},
		{"slot=1,core=1,memory=3,", score.Weights{}, three},
		{"slot=0,core=0,memory=0", score.Weights{}, "at least one weight must be positive"},
		{"slot=1,core=1,mem=3", score.Weights{}, `unknown weight "mem"`},
		{"slot=1,slot=1,memory=3", score.Weights{}, `duplicate "slot" weight`},
		{"slot=1,core=1.5,memory=3", score.Weights{}, `"core" weight must be an integer`},
		{"slot=1,core=-1,memory=3", score.Weights{}, `"core" weight must not be negative`},

		{"slot=1,core:1,memory=3", score.Weights{}, "expected key=value entries"},
		{"slot=1,core=,memory=3", score.Weights{}, `"core" weight must be an integer`},
		{"slot=1,core=9223372036854775808,memory=3", score.Weights{}, `"core" weight must be an integer`},
		{"slot=1,core=1=1,memory=3", score.Weights{}, `"core" weight must be an integer`},
		{"=1,core=1,memory=3", score.Weights{}, `unknown weight ""`},
		{"Slot=1,core=1,memory=3", score.Weights{}, `unknown weight "Slot"`},
		{"slot=1,slot=x,memory=3", score.Weights{}, `duplicate "slot" weight`},               // before: must be an integer
		{"slot=1,mem=x,memory=3", score.Weights{}, `"mem" weight must be an integer`},        // before: unknown
		{"slot=1,mem=-1,memory=3", score.Weights{}, `"mem" weight must not be negative`},     // before: unknown
		{"slot=x,core,memory=3", score.Weights{}, `"slot" weight must be an integer`},        // entries from left to right
		{"slot=1,core=1,memory=3,core", score.Weights{}, three},                              // before any entry
		{"slot=0,core=0,memory=-0", score.Weights{}, "at least one weight must be positive"}, // -0 is not negative
	} {
		got, err := score.ParseWeights(c.text)
		want := ""
		if c.why != "" {
			want = fmt.Sprintf("invalid hami.io/device-scoring-weights annotation %q: %s", c.text, c.why)
		}
		text := ""
		if err != nil {
			text = err.Error()
		}
		if got != c.want || text != want {
			t.Errorf("weights %q: %v, %q; want %v, %q", c.text, got, text, c.want, want)
		}
	}
}

// FuzzParseWeights: weights are accepted only as the type promises them, and read back as they were written.
func FuzzParseWeights(f *testing.F) {
	for _, text := range []string{"slot=1,core=1,memory=1", "memory=3, core =0,slot= 1", "slot=+1,core=1,memory=3", "a,b,c", ",,", "slot=-1,core=,x=2"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		w, err := score.ParseWeights(text)
		if err != nil {
			if w != (score.Weights{}) || !strings.Contains(err.Error(), device.AnnotationWeights) {
				t.Fatalf("%q: %v, %v", text, w, err)
			}
			return
		}
		if w.Slot < 0 || w.Core < 0 || w.Memory < 0 || w == (score.Weights{}) {
			t.Fatalf("%q was accepted as %v", text, w)
		}
		again, err := score.ParseWeights(fmt.Sprintf("slot=%d,core=%d,memory=%d", w.Slot, w.Core, w.Memory))
		if err != nil || again != w {
			t.Fatalf("%v reads back as %v, %v", w, again, err)
		}
	})
}

// TestDeviceScore is every row of spec core E7, to the last bit.
func TestDeviceScore(t *testing.T) {
	ask := device.ContainerRequest{Vendor: "NVIDIA", Nums: 2, Memory: 4000, MemoryPercent: device.PercentUnset, Cores: 20}
	half, both := ask, ask
	half.Memory, half.MemoryPercent = 0, 50
	both.MemoryPercent = 50
	equal := score.DefaultWeights()
	for _, c := range []struct {
		why     string
		model   string
		ask     device.ContainerRequest
		weights score.Weights
		want    float32
	}{
		{"a model name is not the vendor word: the request is ignored", "NVIDIA-L4", ask, equal, 7.4731264},
		{"the type is the vendor word: the request counts one slot", "NVIDIA", ask, equal, 12.20969},
		{"a percentage of the card", "NVIDIA", half, equal, 15.473127},
		{"the percentage goes before the amount, unlike in the fit", "NVIDIA", both, equal, 15.473127},
		{"weights", "NVIDIA", ask, score.Weights{Slot: 1, Core: 1, Memory: 3}, 22.62907},
		{"letter case tells types apart", "nvidia", ask, equal, 7.4731264},
	} {
		info := device.DeviceInfo{Type: c.model, Slots: 10, Memory: 23034, Cores: 100}
		use := device.DeviceUsage{Slots: 1, Memory: 8000, Cores: 30}
		if got := score.Device(&info, &use, []device.ContainerRequest{c.ask}, c.weights); got != c.want {
			t.Errorf("%s: %v, want %v", c.why, got, c.want)
		}
	}
}

func TestDeviceWithoutCapacityScoresZero(t *testing.T) {
	use := device.DeviceUsage{Slots: 1, Memory: 2, Cores: 3}
	for _, info := range []device.DeviceInfo{
		{Slots: 0, Memory: 100, Cores: 100}, {Slots: 10, Memory: 0, Cores: 100}, {Slots: 10, Memory: 100, Cores: 0}, {},
	} {
		if got := score.Device(&info, &use, nil, score.DefaultWeights()); got != 0 {
			t.Errorf("%+v scores %v, want 0", info, got)
		}
	}
}

// TestSeveralAsks: requests of the device's type add up, one slot each; those of other vendors do not count (spec core §9).
func TestSeveralAsks(t *testing.T) {
	info := device.DeviceInfo{Type: "Ascend910B3", Slots: 4, Memory: 100, Cores: 20}
	asks := []device.ContainerRequest{
		{Vendor: "Ascend910B3", Nums: 3, Memory: 10, MemoryPercent: 0, Cores: 5},
		{Vendor: "Ascend910B3", Nums: 1, MemoryPercent: 20, Cores: 5},
		{Vendor: "NVIDIA", Nums: 1, Memory: 50, Cores: 5},
	}
	// 10 × (2/4 + 10/20 + 30/100)
	if got := score.Device(&info, &device.DeviceUsage{}, asks, score.DefaultWeights()); got != 13 {
		t.Errorf("score %v, want 13", got)
	}
}

// TestWeightsChangeTheChoice is spec core E11.
func TestWeightsChangeTheChoice(t *testing.T) {
	info := device.DeviceInfo{Type: "NVIDIA", Slots: 10, Memory: 100, Cores: 100}
	asks := []device.ContainerRequest{{Vendor: "NVIDIA", Nums: 1, MemoryPercent: 40}}
	a, b := device.DeviceUsage{Slots: 1, Memory: 10, Cores: 90}, device.DeviceUsage{Slots: 7, Memory: 20, Cores: 10}
	binpack := score.ParsePolicy(score.Binpack, false)
	for weights, want := range map[score.Weights]int{score.DefaultWeights(): 1, {Slot: 1, Core: 1, Memory: 3}: -1} {
		ra, rb := score.RankOf(&info, &a, asks, weights), score.RankOf(&info, &b, asks, weights)
		if got := binpack.Compare(&ra, &rb); got != want {
			t.Errorf("weights %v: comparing %v with %v gives %d, want %d", weights, ra, rb, got, want)
		}
	}
}

// TestBinary32Decides is spec core E12, deviation D7: exactly equal sums differ once every product and sum is rounded to binary32.
func TestBinary32Decides(t *testing.T) {
	g0 := device.DeviceInfo{ID: "g0", Index: 0, Type: "NVIDIA-NVIDIA L4", Slots: 10, Memory: 24576, Cores: 100}
	g1 := g0
	g1.ID, g1.Index = "g1", 1
	r0 := score.RankOf(&g0, &device.DeviceUsage{Slots: 2, Cores: 50}, nil, score.DefaultWeights())
	r1 := score.RankOf(&g1, &device.DeviceUsage{Slots: 3, Cores: 40}, nil, score.DefaultWeights())
	if r0.Score != 7 || r1.Score != 7.0000005 {
		t.Errorf("scores %v and %v, want 7 and 7.0000005", r0.Score, r1.Score)
	}
	for policy, first := range map[string]int32{score.Spread: 0, score.Binpack: 1} {
		positions := sorted(score.ParsePolicy(policy, false), []score.Rank{r0, r1})
		if got := positions[len(positions)-1]; got != first {
			t.Errorf("%s visits g%d first, want g%d", policy, got, first)
		}
	}
}

func TestRankOf(t *testing.T) {
	info := device.DeviceInfo{Type: "T", Slots: 10, Memory: 100, Cores: 100, NUMA: 3, Index: 7}
	got := score.RankOf(&info, &device.DeviceUsage{Slots: 5, Memory: 50, Cores: 50}, nil, score.DefaultWeights())
	if want := (score.Rank{Score: 15, Slots: 5, NUMA: 3, Index: 7}); got != want {
		t.Errorf("rank %+v, want %+v", got, want)
	}
}

func TestDeviceAllocatesNothing(t *testing.T) {
	info := device.DeviceInfo{Type: "NVIDIA", Slots: 10, Memory: 23034, Cores: 100}
	use := device.DeviceUsage{Slots: 1, Memory: 8000, Cores: 30}
	asks := []device.ContainerRequest{{Vendor: "NVIDIA", Nums: 1, MemoryPercent: 50}}
	var sum float32
	if allocs := testing.AllocsPerRun(100, func() { sum += score.Device(&info, &use, asks, score.DefaultWeights()) }); allocs != 0 {
		t.Errorf("scoring a device allocates %v times", allocs)
	}
	if sum == 0 {
		t.Error("the device scores 0")
	}
}

func ExampleDevice() {
	l4 := device.DeviceInfo{Type: "NVIDIA-NVIDIA L4", Slots: 10, Memory: 23034, Cores: 100}
	use := device.DeviceUsage{Slots: 1, Memory: 8000, Cores: 30}
	fmt.Println(score.Device(&l4, &use, nil, score.DefaultWeights()))
	// Output: 7.4731264
}

func ExampleParseWeights() {
	w, err := score.ParseWeights("memory=3, core=0, slot=1")
	fmt.Println(w, err)
	_, err = score.ParseWeights("memory=3, core=0")
	fmt.Println(err)
	// Output:
	// {1 0 3} <nil>
	// invalid hami.io/device-scoring-weights annotation "memory=3, core=0": expected slot, core, and memory weights
}
