//go:build !race

package ascend_test // the race detector makes pools allocate

import (
	"encoding/json"
	"testing"

	"github.com/accelfit/accelfit/device"
	"github.com/accelfit/accelfit/vendors/ascend"
)

// TestAllocations: refusing a node allocates nothing, accepting it no more than the answer.
func TestAllocations(t *testing.T) {
	soft := map[string]string{ascend.AnnotationSoftNode: "true"}
	split := []string{ascend.AnnotationMode, ascend.ModeSoftSplit}
	hard, near, pairs := usageOf("Ascend910B3", nil, ""), usageOf("Ascend910B3", soft, "1"), usageOf("Ascend910C", soft, "")
	for _, c := range []struct {
		name        string
		node        *device.NodeUsage
		word        string
		n           int
		more        map[string]string
		annotations []string
		fits        bool
	}{
		{"refuse/memory", hard, "Ascend910B3", 1, map[string]string{"-memory": "65537"}, nil, false},
		{"refuse/mode", hard, "Ascend910B3", 1, map[string]string{"-core": "10"}, split, false},
		{"refuse/too few", hard, "Ascend910B3", 8, nil, nil, false},
		{"refuse/too few near", near, "Ascend910B3", 8, nil, nil, false},
		{"refuse/percent", near, "Ascend910B3", 8, map[string]string{"-core": "90", "-memory": "10"}, split, false},
		{"refuse/pairs", pairs, "Ascend910C", 8, nil, nil, false},
		{"refuse/odd", pairs, "Ascend910C", 3, nil, nil, false},
		{"accept/1", hard, "Ascend910B3", 1, nil, nil, true},
		{"accept/4", hard, "Ascend910B3", 4, nil, nil, true},
		{"accept/near", near, "Ascend910B3", 4, nil, nil, true},
		{"accept/soft", near, "Ascend910B3", 4, map[string]string{"-core": "90", "-memory": "10"}, split, true},
		{"accept/pairs", pairs, "Ascend910C", 4, nil, nil, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := request(t, podOf(c.word, c.n, c.more, c.annotations...))
			fit := set().Fit(r, c.node)
			if fit.OK() != c.fits {
				t.Fatalf("fits %t: %s", fit.OK(), fit.Reasons)
			}
			most := 0.0
			if c.fits {
				most = 2
			}
			if n := testing.AllocsPerRun(200, func() { set().Fit(r, c.node) }); n > most {
				t.Errorf("%v allocations, at most %v", n, most)
			}
			if n := testing.AllocsPerRun(200, func() { set().Score(r, c.node, fit) }); n > 0 {
				t.Errorf("scoring: %v allocations", n)
			}
		})
	}
}

// usageOf is a node of eight NPUs, two of which are in use; each pair is a network group of its own, if they have any.
func usageOf(word device.Vendor, annotations map[string]string, network string) *device.NodeUsage {
	var devices []device.DeviceInfo
	for i := range 8 {
		d := npu(word, i, nil)
		if network != "" {
			d = npu(word, i, json.RawMessage(network+string(rune('0'+i/2))))
		}
		devices = append(devices, d)
	}
	return device.NewNodeUsage(npus(word, annotations, devices...)).Update(func(u []device.DeviceUsage) {
		for _, i := range []int{1, 6} {
			u[i].Slots, u[i].Memory, u[i].Cores = 1, 40000, 15
		}
	})
}
