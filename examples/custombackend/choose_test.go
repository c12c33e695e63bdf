package nimbus_test

import (
	"fmt"
	"strings"
	"testing"

	"example.com/nimbus"
	"github.com/accelfit/accelfit/device"
	"github.com/accelfit/accelfit/vendors"
)

// TestChoose: seats are written as they are, board by board; # is one that does not serve.
func TestChoose(t *testing.T) {
	for _, c := range []struct {
		why   string
		seats string
		n     int
		want  string // indexes, or reasons
	}{
		{"first of equals", "........", 3, "0 1 2"},
		{"a whole board", "........", 8, "0 1 2 3 4 5 6 7"},
		{"rather a gap that is filled", "#...#..#", 2, "5 6"},
		{"rather beside what is taken", "#......#", 2, "1 2"},
		{"rather the fuller board", "....#### ..######", 2, "8 9"},
		{"round the end of the ring", "..#####.", 3, "7 0 1"},
		{"never over two boards", "######.. ..######", 3, "12/16 CardTimeSlicingExhausted, 4/16 CardNotFoundCustomFilterRule"},
		{"no two neighbours", ".#.#.#.#", 2, "4/8 CardNotFoundCustomFilterRule, 4/8 CardTimeSlicingExhausted"},
		{"too few", "#######.", 2, "1/8 AllocatedCardsInsufficientRequest, 7/8 CardTimeSlicingExhausted"},
	} {
		if got := choice(t, c.seats, c.n, device.Headroom{}); got != c.want {
			t.Errorf("%s: %d of %s: %s, want %s", c.why, c.n, c.seats, got, c.want)
		}
	}
}

// TestChooseAnything compares the choice with plain looking, for all ways in which seats of a board can be taken.
func TestChooseAnything(t *testing.T) {
	for free := range 1 << 8 {
		text := []byte("########")
		for i := range text {
			if free>>i&1 == 1 {
				text[i] = '.'
			}
		}
		for n := 2; n <= 8; n++ {
			runs := map[string]bool{}
			for from := range text {
				if run, ok := neighbours(string(text), from, n); ok {
					runs[run] = true
				}
			}
			got := choice(t, string(text), n, device.Headroom{})
			if fits := !strings.Contains(got, "/"); fits != (len(runs) > 0) || fits && !runs[got] {
				t.Errorf("%d of %s: %s, want one of %v", n, text, got, runs)
			}
		}
	}
}

func neighbours(seats string, from, n int) (run string, ok bool) {
	var out []int
	for i := range n {
		at := (from + i) % len(seats)
		if seats[at] != '.' {
			return "", false
		}
		out = append(out, at)
	}
	return strings.Trim(fmt.Sprint(out), "[]"), true
}

// TestChooseWithinQuota: NPU i has 800 - 100 i MiB, and the pod asks for all of each.
func TestChooseWithinQuota(t *testing.T) {
	quota := device.Headroom{Memory: device.Limit{Set: true, Left: 800}}
	for seats, want := range map[string]string{
		"#..#....": "4 5", // the gap would be filled by 1300 MiB
		"###..##.": "3/8 ResourceQuotaNotFit, 5/8 CardTimeSlicingExhausted",
	} {
		if got := choice(t, seats, 2, quota); got != want {
			t.Errorf("%s: %s, want %s", seats, got, want)
		}
	}
}

// choice fits a pod that asks for n whole NPUs.
func choice(t *testing.T, seats string, n int, quota device.Headroom) string {
	t.Helper()
	set, err := vendors.New(nimbus.New(nimbus.Config{}))
	if err != nil {
		t.Fatal(err)
	}
	var npus []device.DeviceInfo
	for i, seat := range strings.ReplaceAll(seats, " ", "") {
		npu := device.DeviceInfo{ID: fmt.Sprint("npu-", i), Index: i, Memory: int64(max(1, 800-100*i)), Cores: 100, Healthy: true}
		if seat == '.' {
			npu.Slots = 1
		}
		npus = append(npus, npu)
	}
	info := device.NewNodeInfo("n", device.Inventory{Vendor: nimbus.Vendor, Devices: npus})
	r, err := set.Request(pod(fmt.Sprint(n, " 0 0")))
	if err != nil {
		t.Fatal(err)
	}
	fit := set.Fit(r.WithQuota(map[device.Vendor]device.Headroom{nimbus.Vendor: quota}), device.NewNodeUsage(info))
	if !fit.OK() {
		return fit.Reasons.String()
	}
	var out []int
	for _, d := range fit.Allocation.Devices {
		out = append(out, d.Index)
	}
	return strings.Trim(fmt.Sprint(out), "[]")
}
