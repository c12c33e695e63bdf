package ascend_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/accelfit/accelfit/device"
	"github.com/accelfit/accelfit/vendors"
	"github.com/accelfit/accelfit/vendors/ascend"
)

// TestNothingIsShared: the configuration is not changed (D27), and neither the node nor an allocation changes with what they
// were made of (A9).
func TestNothingIsShared(t *testing.T) {
	config := ascend.Config{Configs: []ascend.Chip{chip()}}
	chips, err := ascend.New(config)
	if err != nil || config.Configs[0].Templates[0].Name != "vir10_3c_32g" || chips[0].Chip().Templates[0].Name != "vir05_1c_16g" {
		t.Fatalf("templates %v became %v (%v)", config.Configs[0].Templates, chips[0].Chip().Templates, err)
	}
	names := chips[0].Names()
	names.Writes[0], names.PodKeys[0] = "x", "x"
	if again := chips[0].Names(); slices.Contains(again.Writes, "x") || slices.Contains(again.PodKeys, "x") {
		t.Error("the names can be changed")
	}

	devices := []device.DeviceInfo{npu("Ascend910B3", 0, json.RawMessage("1")), npu("Ascend910B3", 1, json.RawMessage("1"))}
	node := device.NewNodeUsage(npus("Ascend910B3", nil, devices...))
	r := request(t, podOf("Ascend910B3", 2, nil))
	fit := set().Fit(r, node)
	before := set().Score(r, node, fit)
	devices[0].CustomInfo["NetworkID"] = json.RawMessage("2")
	fit.Allocation.Devices[0].Memory = 1
	again := set().Fit(r, node)
	if set().Score(r, node, again) != before || before != 10 || again.Allocation.Devices[0].Memory != 65536 {
		t.Errorf("scores %v, then %v; %v", before, set().Score(r, node, again), again.Allocation)
	}
}

// TestSoftNodeWords: any word but true says no, an empty one too (spec ascend §1.2).
func TestSoftNodeWords(t *testing.T) {
	r := request(t, podOf("Ascend910B3", 1, map[string]string{"-core": "10"}, ascend.AnnotationMode, ascend.ModeSoftSplit))
	for word, want := range map[string]string{"true": "", "": "1/1 ModeNotFit", "false": "1/1 ModeNotFit", "True": "1/1 ModeNotFit"} {
		node := npus("Ascend910B3", map[string]string{ascend.AnnotationSoftNode: word}, npu("Ascend910B3", 0, nil))
		if fit := set().Fit(r, device.NewNodeUsage(node)); fit.Reasons.String() != want {
			t.Errorf("%q: %q, want %q", word, fit.Reasons, want)
		}
	}
}

// TestForeignExtra: an inventory whose devices were changed by a caller has no networks any more, and nothing panics.
func TestForeignExtra(t *testing.T) {
	node := npus("Ascend910B3", nil, npu("Ascend910B3", 0, json.RawMessage("1")), npu("Ascend910B3", 1, json.RawMessage("1")))
	inv := node.Inventory("Ascend910B3")
	inv.Devices = append(inv.Devices, npu("Ascend910B3", 2, json.RawMessage("1")), npu("Ascend910B3", 3, nil))
	usage := device.NewNodeUsage(device.NewNodeInfo("n", inv))
	r := request(t, podOf("Ascend910B3", 2, nil))
	fit := set().Fit(r, usage)
	if !fit.OK() || set().Score(r, usage, fit) != 0 {
		t.Errorf("%v %s", fit.Allocation, fit.Reasons)
	}
	inv.Extra = nil
	usage = device.NewNodeUsage(device.NewNodeInfo("n", inv))
	if fit := set().Fit(r, usage); !fit.OK() || set().Score(r, usage, fit) != 0 {
		t.Errorf("%v %s", fit.Allocation, fit.Reasons)
	}
}

// TestManyDevices: what a hostile node registers costs no more than sorting it.
func TestManyDevices(t *testing.T) {
	const n = 4000
	for _, word := range []device.Vendor{"Ascend910B3", "Ascend910C"} {
		var devices []device.DeviceInfo
		for i := range n {
			devices = append(devices, npu(word, i, json.RawMessage(fmt.Sprint(i/2))))
		}
		node := device.NewNodeUsage(npus(word, nil, devices...))
		r := request(t, podOf(string(word), n/2, nil))
		start := time.Now()
		fit := set().Fit(r, node)
		if !fit.OK() || len(fit.Allocation.Devices) != n/2 || fit.Allocation.Devices[0].ID != fmt.Sprint("d", n-1) {
			t.Fatalf("%s: %s", word, fit.Reasons)
		}
		set().Score(r, node, fit)
		if took := time.Since(start); took > 5*time.Second {
			t.Errorf("%s: %v", word, took)
		}
	}
}

// TestRefusalsAreTyped: what admission refuses in the reference's words names container, resource and value too.
func TestRefusalsAreTyped(t *testing.T) {
	for name, more := range map[string]map[string]string{
		"-memory": {"-memory": "65537"}, "-core": {"-core": "10"}, "": {"": "3"},
	} {
		pod := podOf("Ascend910C", 2, more)
		_, err := set().Admit(pod, vendors.AdmitOptions{})
		var e *device.RequestError
		if !errors.As(err, &e) || e.Container != "c" || e.Key != "huawei.com/Ascend910C"+name || e.Value != more[name] || e.Why == "" {
			t.Errorf("%v: %v, %+v", more, err, e)
		}
	}
}

// TestStaleOnce: predicate-time, which all chips write, is told once of a pod that goes to another vendor's devices.
func TestStaleOnce(t *testing.T) {
	pod := &corev1.Pod{}
	pod.Annotations = map[string]string{
		ascend.AnnotationPredicateTime: "1", "huawei.com/Ascend910B3": "[]", "hami.io/Ascend910B3-devices-allocated": "d0,Ascend910B3,1,0:;",
	}
	got := set().Stale(pod, nil)
	want := []string{"hami.io/Ascend910B3-devices-allocated", "huawei.com/Ascend910B3", ascend.AnnotationPredicateTime}
	slices.Sort(got)
	slices.Sort(want)
	if !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
}
