package nimbus_test

import (
	"testing"

	corev1 "k8s.io/api/core/v1"

	"example.com/nimbus"
	"github.com/accelfit/accelfit/device"
	"github.com/accelfit/accelfit/vendors"
)

// TestRules: a line of the manual each, tried on one NPU of 1000 MiB with two slots.
func TestRules(t *testing.T) {
	with := func(key, value string) *corev1.Pod { return pod("1 100 10", key, value) }
	for _, c := range []struct {
		rule string
		used device.DeviceUsage
		pod  *corev1.Pod
		want device.Code
	}{
		{"two share an NPU", device.DeviceUsage{Slots: 1, Memory: 500, Cores: 50}, pod("1 500 50"), device.Fits},
		{"but not a third", device.DeviceUsage{Slots: 2, Memory: 2, Cores: 2}, pod("1 1 1"), device.CardTimeSlicingExhausted},
		{"memory is given out once", device.DeviceUsage{Slots: 1, Memory: 501}, pod("1 500 0"), device.CardInsufficientMemory},
		{"no memory is all of it", device.DeviceUsage{Slots: 1, Memory: 1}, pod("1 0 10"), device.CardInsufficientMemory},
		{"cores are given out once", device.DeviceUsage{Slots: 1, Cores: 51}, pod("1 1 50"), device.CardInsufficientCore},
		{"all cores want an idle NPU", device.DeviceUsage{Slots: 1}, pod("1 1 100"), device.ExclusiveDeviceAllocateConflict},
		{"no cores are what others leave", device.DeviceUsage{Slots: 1, Cores: 99}, pod("1 1 0"), device.Fits},
		{"which must be something", device.DeviceUsage{Slots: 1, Cores: 100}, pod("1 1 0"), device.CardComputeUnitsExhausted},
		{"mutex wants an idle NPU", device.DeviceUsage{Slots: 1}, with(device.AnnotationDevicePolicy, "mutex"), device.ExclusiveDeviceAllocateConflict},
		{"the mode that the pod names", device.DeviceUsage{}, with(nimbus.AnnotationMode, nimbus.ModeShared), device.Fits},
		{"and no other", device.DeviceUsage{}, with(nimbus.AnnotationMode, nimbus.ModeExclusive), device.ModeNotFit},
		{"the ids that the pod names", device.DeviceUsage{}, with(nimbus.AnnotationUse, "npu-0"), device.Fits},
		{"and no others", device.DeviceUsage{}, with(nimbus.AnnotationUse, "npu-1"), device.CardUuidMismatch},
	} {
		if got := reason(t, c.pod, c.used); got != c.want {
			t.Errorf("%s: %q, want %q", c.rule, got, c.want)
		}
	}
}

// reason is why an NPU with something taken of it does not serve a pod.
func reason(t *testing.T, pod *corev1.Pod, used device.DeviceUsage) device.Code {
	t.Helper()
	set, err := vendors.New(nimbus.New(nimbus.Config{}))
	if err != nil {
		t.Fatal(err)
	}
	npu := device.DeviceInfo{ID: "npu-0", Mode: nimbus.ModeShared, Slots: 2, Memory: 1000, Cores: 100, Healthy: true}
	used.Healthy = true
	info := device.NewNodeInfo("n", device.Inventory{Vendor: nimbus.Vendor, Devices: []device.DeviceInfo{npu}})
	node := device.NewNodeUsage(info).Update(func(devices []device.DeviceUsage) { devices[0] = used })
	r, err := set.Request(pod)
	if err != nil {
		t.Fatal(err)
	}
	verdicts := set.Explain(r, node).Verdicts
	if len(verdicts) != 1 {
		t.Fatalf("%d verdicts", len(verdicts))
	}
	return verdicts[0].Code
}
