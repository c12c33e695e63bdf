package score_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/accelfit/accelfit/device"
	"github.com/accelfit/accelfit/score"
)

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
