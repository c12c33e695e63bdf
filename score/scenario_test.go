package score_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/cockroachdb/datadriven"

	"github.com/accelfit/accelfit/device"
	"github.com/accelfit/accelfit/score"
)

// TestScenarios runs the files under testdata/scenarios.
//
//	weights            input: a weights annotation per line, in quotes
//	device             arguments: type and totalmem of the card, mem and percent of the request, weigh-memory; the rest as in E7
//	visit              arguments: numa-bind; input: a policy per line, in quotes; the devices are those of spec core E8
func TestScenarios(t *testing.T) {
	commands := map[string]func(*testing.T, *datadriven.TestData) string{
		"weights": showWeights, "device": showDevice, "visit": showOrder,
	}
	datadriven.Walk(t, "testdata/scenarios", func(t *testing.T, path string) {
		datadriven.RunTest(t, path, func(t *testing.T, d *datadriven.TestData) string {
			run, ok := commands[d.Cmd]
			if !ok {
				d.Fatalf(t, "no command %q", d.Cmd)
			}
			return run(t, d)
		})
	})
}

// quoted calls f for the text in quotes on each line and joins the answers.
func quoted(t *testing.T, d *datadriven.TestData, f func(text string) string) string {
	var out []string
	for line := range strings.Lines(d.Input) {
		var text string
		if _, err := fmt.Sscanf(line, "%q", &text); err != nil {
			d.Fatalf(t, "%q: %v", line, err)
		}
		out = append(out, f(text))
	}
	return strings.Join(out, "\n")
}

func showWeights(t *testing.T, d *datadriven.TestData) string {
	return quoted(t, d, func(text string) string {
		w, err := score.ParseWeights(text)
		if err != nil {
			if w != (score.Weights{}) {
				d.Fatalf(t, "%q: %v beside an error", text, w)
			}
			prefix := fmt.Sprintf("invalid hami.io/device-scoring-weights annotation %q: ", text)
			why, ok := strings.CutPrefix(err.Error(), prefix)
			if !ok {
				d.Fatalf(t, "%v does not begin with %s", err, prefix)
			}
			return why
		}
		return fmt.Sprintf("slot %d, core %d, memory %d", w.Slot, w.Core, w.Memory)
	})
}

func showDevice(t *testing.T, d *datadriven.TestData) string {
	info := device.DeviceInfo{Slots: 10, Memory: 23034, Cores: 100}
	use := device.DeviceUsage{Slots: 1, Memory: 8000, Cores: 30}
	ask := device.ContainerRequest{Vendor: "NVIDIA", Nums: 2, Memory: 4000, MemoryPercent: device.PercentUnset, Cores: 20}
	weights := "slot=1,core=1,memory=1"
	d.ScanArgs(t, "type", &info.Type)
	d.MaybeScanArgs(t, "totalmem", &info.Memory)
	d.MaybeScanArgs(t, "mem", &ask.Memory)
	d.MaybeScanArgs(t, "percent", &ask.MemoryPercent)
	if d.HasArg("weigh-memory") {
		weights = "slot=1,core=1,memory=3"
	}
	w, err := score.ParseWeights(weights)
	if err != nil {
		d.Fatalf(t, "%v", err)
	}
	return fmt.Sprint(score.Device(&info, &use, []device.ContainerRequest{ask}, w))
}

func showOrder(t *testing.T, d *datadriven.TestData) string {
	return quoted(t, d, func(policy string) string {
		return visiting(score.ParsePolicy(policy, d.HasArg("numa-bind")), e8)
	})
}

// e8 is the five devices of spec core E8 in registration order.
var e8 = []score.Rank{
	{Score: 5, NUMA: 0, Slots: 0, Index: 0}, // a
	{Score: 1, NUMA: 0, Slots: 2, Index: 1}, // b
	{Score: 3, NUMA: 1, Slots: 0, Index: 2}, // c
	{Score: 3, NUMA: 1, Slots: 1, Index: 3}, // d
	{Score: 3, NUMA: 0, Slots: 0, Index: 4}, // e
}

// visiting returns the letters of devices in the order they are visited: from the greatest to the least.
func visiting(p score.Policy, ranks []score.Rank) string {
	var out []string
	for _, i := range slices.Backward(sorted(p, ranks)) {
		out = append(out, string(rune('a'+i)))
	}
	return strings.Join(out, " ")
}
