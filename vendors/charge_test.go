package vendors_test

import (
	"testing"

	corev1 "k8s.io/api/core/v1"

	"github.com/accelfit/accelfit/device"
	"github.com/accelfit/accelfit/vendors"
)

// TestCharge: the app containers together, or the largest init container; shares of memory are not known before the devices are.
func TestCharge(t *testing.T) {
	set := vendors.Default()
	asks := func(nums, mem, cores string) corev1.Container {
		return asking(map[string]string{"nvidia.com/gpu": nums, "nvidia.com/gpumem": mem, "nvidia.com/gpucores": cores}).Spec.Containers[0]
	}
	pod := asking(nil)
	pod.Spec.Containers = []corev1.Container{asks("2", "1000", "20"), asks("1", "500", "5")}
	pod.Spec.InitContainers = []corev1.Container{asks("1", "4000", "10"), asks("1", "3000", "60")}
	share := asking(map[string]string{"nvidia.com/gpu": "1", "nvidia.com/gpumem-percentage": "50", "nvidia.com/gpucores": "30"})
	for _, c := range []struct {
		what          string
		pod           *corev1.Pod
		vendor        device.Vendor
		memory, cores int64
	}{
		{"memory of the largest init container, its cores too", pod, "NVIDIA", 4000, 60},
		{"a share of memory", share, "NVIDIA", 0, 30},
		{"another vendor", pod, "MLU", 0, 0},
		{"no such vendor", pod, "none", 0, 0},
	} {
		memory, cores := set.Charge(c.pod, request(t, set, c.pod), c.vendor)
		if memory != c.memory || cores != c.cores {
			t.Errorf("%s: %d MiB, %d cores, want %d and %d", c.what, memory, cores, c.memory, c.cores)
		}
	}
}
