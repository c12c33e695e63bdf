package vendors_test

import (
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"

	"github.com/accelfit/accelfit/device"
	"github.com/accelfit/accelfit/internal/testkit"
	"github.com/accelfit/accelfit/vendors"
	"github.com/accelfit/accelfit/vendors/nvidia"
)

// FuzzLoad: whatever the text, Load gives a set that works, or an error that says what it is about.
func FuzzLoad(f *testing.F) {
	f.Add(chart(f))
	for _, text := range []string{
		"", "nvidia: {}", "nvidia: {resourceCountName: a}", "nvidia: {defaultMemory: -1}", "nvidia: []", "- a", "nvidia: {memoryFactor: 2147483648}",
		"nvidia: {resourceCountName: a, resourceMemoryName: a, resourceCoreName: a, resourceMemoryPercentageName: a, defaultGPUNum: 1}",
		"nvidia: {migProfileAllowlist: [{models: [a], profiles: [1g.5gb]}]}", "iluvatars: [{x: 1}]", "a: &a [*a]", "vnpus: {configs: [{templates: [{z: 1}]}]}",
	} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		set, err := vendors.Load(text)
		if err != nil {
			if !strings.HasPrefix(err.Error(), "device configuration: ") {
				t.Fatalf("%q: %v", text, err)
			}
			return
		}
		for _, p := range set.Problems() {
			if p.Object == "" || p.Err == nil {
				t.Fatalf("problem %+v", p)
			}
		}
		pod := asking(map[string]string{"a": "1", "nvidia.com/gpu": "1"})
		admitted, err := set.Admit(pod, vendors.AdmitOptions{SchedulerName: "s"})
		if err == nil {
			pod = admitted.Pod
		}
		if r, err := set.Request(pod); err == nil {
			set.Fit(r, device.NewNodeUsage(set.Inventory(&corev1.Node{})))
		} else if err := testkit.Typed(err); err != nil {
			t.Fatal(err)
		}
	})
}

// FuzzAdmit: whatever the quantities and the configuration, admission completes a copy, or refuses with a typed error; a pod it
// lets pass can be made a request of, and admitting it again changes nothing more.
func FuzzAdmit(f *testing.F) {
	f.Add("1", "", "", "", int32(1), int32(0), int32(1), uint8(0))
	f.Add("", "10", "", "", int32(0), int32(5000), int32(10), uint8(1))
	f.Add("", "", "100", "", int32(2), int32(0), int32(0), uint8(2))
	f.Add("0", "", "0.5", "1e30", int32(-1), int32(-1), int32(-1), uint8(255))
	f.Fuzz(func(t *testing.T, gpu, mem, percent, cores string, num, memory, factor int32, shape uint8) {
		config := nvidia.DefaultConfig()
		config.DefaultGPUNum, config.DefaultMemory, config.MemoryFactor = num, memory, factor
		config.OverwriteEnv = shape&1 != 0
		b, err := nvidia.New(config)
		if err != nil {
			if num >= 0 && memory >= 0 {
				t.Fatal(err)
			}
			return
		}
		set, err := vendors.New(b)
		if err != nil {
			t.Fatal(err)
		}
		pod := asking(nil)
		limits := pod.Spec.Containers[0].Resources.Limits
		for name, text := range map[string]string{"gpu": gpu, "gpumem": mem, "gpumem-percentage": percent, "gpucores": cores} {
			if q, ok := testkit.HostileQuantity(text); ok {
				limits[corev1.ResourceName("nvidia.com/"+name)] = q
			}
		}
		if shape&16 != 0 {
			pod.Spec.Containers = append(pod.Spec.Containers, pod.Spec.Containers[0])
		}
		if err := testkit.AdmittedOnce(set, pod); err != nil {
			t.Fatal(err)
		}
	})
}
