package cases

import (
	"cmp"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/accelfit/accelfit/device"
)

func TestCases(t *testing.T) {
	config, err := os.ReadFile("testdata/device-config.yaml")
	if err != nil {
		t.Fatal(err)
	}
	runDir(t, "testdata", config)
	if dir := os.Getenv("ACCELFIT_CASES"); dir != "" {
		if own, err := os.ReadFile(filepath.Join(dir, "device-config.yaml")); err == nil {
			config = own
		}
		runDir(t, dir, config)
	}
}

func runDir(t *testing.T, dir string, config []byte) {
	files, err := filepath.Glob(filepath.Join(dir, "*.jsonl"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no cases in %s: %v", dir, err)
	}
	for _, f := range files {
		cases, err := ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		run := map[string]int{}
		for i := range cases {
			c := &cases[i]
			run[c.Vendor]++
			t.Run(c.ID, func(t *testing.T) { runCase(t, c, config) })
		}
		t.Logf("%s: cases run: %v", f, run)
	}
}

func runCase(t *testing.T, c *Case, config []byte) {
	bad, err := Run(c, config)
	if err != nil {
		t.Fatal(err)
	}
	for _, b := range bad {
		t.Errorf("%s (%s)", b, c.Expect.Note)
	}
}

// TestWrongAnswersAreSeen checks expectations against answers that miss them in one field each.
func TestWrongAnswersAreSeen(t *testing.T) {
	yes, one := true, 1
	placed := podAnswer{fit: true, node: "n1", allocation: &device.Allocation{
		Classes: []device.ContainerClass{device.App},
		Devices: []device.ContainerDevice{{Vendor: "NVIDIA", ID: "GPU-a", Memory: 100, Cores: 10}},
	}}
	right := func() *answer { return &answer{pods: []podAnswer{placed, placed}, reasons: "why", newNodes: 1} }
	for field, expect := range map[string]Expect{
		"fit":                      {Fit: new(bool)},
		"per_pod":                  {PerPod: []bool{true, false}},
		"count_fit":                {CountFit: &one},
		"devices":                  {Devices: []string{"GPU-b"}},
		"devices_per_pod":          {DevicesPerPod: [][]string{{"GPU-a"}, nil}},
		"devices_not":              {DevicesNot: []string{"GPU-a"}},
		"device_count":             {DeviceCount: new(int)},
		"devices_by_vendor.NVIDIA": {ByVendor: map[string][]string{"NVIDIA": {"GPU-b"}}},
		"node":                     {Node: "n2"},
		"nodes_per_pod":            {NodesPerPod: []string{"n1", "n2"}},
		"relation":                 {Relation: "distinct_devices"},
		"last_differs":             {LastDiffers: true},
		"usedmem.GPU-a":            {UsedMem: map[string]int64{"GPU-a": 99}},
		"usedcores.GPU-a":          {UsedCores: map[string]int64{"GPU-a": 9}},
		"usedmem_per_pod":          {UsedMemPerPod: []int64{100, 99}},
		"nodes_needed":             {NodesNeeded: new(int)},
		"reason_contains":          {ReasonContains: "other"},
		"reason_not":               {ReasonNot: "why"},
		"error_contains":           {Error: "other"},
		"warning_contains":         {Warning: "other"},
	} {
		expect.Relation = cmp.Or(expect.Relation, "same_device")
		bad := check(&Case{Expect: expect}, right())
		if len(bad) != 1 || !strings.HasPrefix(bad[0], field+":") {
			t.Errorf("%s: %v", field, bad)
		}
	}
	if bad := check(&Case{Expect: Expect{Fit: &yes, Relation: "same_device", FirstNSame: 2}}, right()); len(bad) != 0 {
		t.Errorf("a right answer: %v", bad)
	}
}
