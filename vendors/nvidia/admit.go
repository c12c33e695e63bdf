package nvidia

import (
	corev1 "k8s.io/api/core/v1"

	"github.com/accelfit/accelfit/device"
	"github.com/accelfit/accelfit/vendors/kit"
)

// Admit implements [device.Backend] (spec nvidia §4), and refuses what Request would refuse, also where the container is
// not taken for one of this vendor's: it could never be placed (deviation D11).
func (b *Backend) Admit(pod *corev1.Pod, c *corev1.Container) (device.Admitted, error) {
	config := b.config
	if err := config.checkPercent(c); err != nil {
		return device.Admitted{}, err
	}
	config.addEnv(c)
	mine := config.defaultCount(c)
	if config.exclusive(c) {
		kit.SetLimit(c, config.ResourceCoreName, 100)
		mine = true
	}
	if _, err := b.Request(c); err != nil {
		return device.Admitted{}, err
	}
	if !mine {
		if config.OverwriteEnv {
			kit.AddEnv(c, "NVIDIA_VISIBLE_DEVICES", "none")
		}
		return device.Admitted{}, nil
	}
	kit.SetRuntimeClass(pod, config.RuntimeClassName)
	return device.Admitted{Mine: true}, nil
}

func (c *Config) checkPercent(container *corev1.Container) error {
	q, found := device.Quantity(container, c.ResourceMemoryPercentageName)
	p, about := q.Value(), q.AsApproximateFloat64() // Value of 1e99 is 0
	if found && (p < 0 || p > 100 || about > 100) {
		return kit.Invalid(container, c.ResourceMemoryPercentageName, "must be an integer between 0 and 100")
	}
	return nil
}

func (c *Config) addEnv(container *corev1.Container) {
	if kit.Limited(container, c.ResourcePriorityName) {
		q := container.Resources.Limits[corev1.ResourceName(c.ResourcePriorityName)]
		kit.AddEnv(container, "CUDA_TASK_PRIORITY", q.String())
	}
	if p := c.GPUCorePolicy; p != "" && p != "default" {
		kit.AddEnv(container, "GPU_CORE_UTILIZATION_POLICY", p)
	}
}

// defaultCount says whether the container's limits ask for cards, after giving it the default number where they only ask
// for memory or cores.
func (c *Config) defaultCount(container *corev1.Container) bool {
	if kit.Limited(container, c.ResourceCountName) {
		return true
	}
	parts := kit.Limited(container, c.ResourceCoreName) || kit.Limited(container, c.ResourceMemoryName) ||
		kit.Limited(container, c.ResourceMemoryPercentageName)
	if !parts || c.DefaultGPUNum <= 0 || c.ResourceCountName == "" {
		return false
	}
	kit.SetLimit(container, c.ResourceCountName, int64(c.DefaultGPUNum))
	return true
}

// exclusive says whether the container asks for whole cards without naming cores (spec nvidia §4 step 5).
func (c *Config) exclusive(container *corev1.Container) bool {
	if !kit.Named(container, c.ResourceCountName) || c.ResourceCoreName == "" || kit.Named(container, c.ResourceCoreName) {
		return false
	}
	if q, percent := device.Quantity(container, c.ResourceMemoryPercentageName); percent {
		return q.Value() == 100
	}
	return !kit.Named(container, c.ResourceMemoryName)
}
