package nvidia

import (
	corev1 "k8s.io/api/core/v1"

	"github.com/accelfit/accelfit/device"
	"github.com/accelfit/accelfit/vendors/kit"
)

// Admit implements [device.Backend] (spec nvidia §4), and refuses what Request would refuse, also where the container is
// not taken for one of this vendor's: it could never be placed (deviation D11).
func (b *Backend) Admit(pod *corev1.Pod, c *corev1.Container) (device.Admitted, error) {
	if err := b.checkPercent(c); err != nil {
		return device.Admitted{}, err
	}
	b.addEnv(c)
	mine := b.defaultCount(c)
	if b.exclusive(c) {
		kit.SetLimit(c, b.config.ResourceCoreName, 100)
		mine = true
	}
	if _, err := b.Request(c); err != nil {
		return device.Admitted{}, err
	}
	if !mine {
		if b.config.OverwriteEnv {
			kit.AddEnv(c, "NVIDIA_VISIBLE_DEVICES", "none")
		}
		return device.Admitted{}, nil
	}
	if pod.Spec.RuntimeClassName == nil && b.config.RuntimeClassName != "" {
		name := b.config.RuntimeClassName
		pod.Spec.RuntimeClassName = &name
	}
	return device.Admitted{Mine: true}, nil
}

func (b *Backend) checkPercent(c *corev1.Container) error {
	q, found := device.Quantity(c, b.config.ResourceMemoryPercentageName)
	p, about := q.Value(), q.AsApproximateFloat64() // Value of 1e99 is 0
	if found && (p < 0 || p > 100 || about > 100) {
		return &device.RequestError{
			Container: c.Name, Key: b.config.ResourceMemoryPercentageName, Value: q.String(),
			Why: "must be an integer between 0 and 100",
		}
	}
	return nil
}

func (b *Backend) addEnv(c *corev1.Container) {
	if q, ok := c.Resources.Limits[corev1.ResourceName(b.config.ResourcePriorityName)]; ok && b.config.ResourcePriorityName != "" {
		kit.AddEnv(c, "CUDA_TASK_PRIORITY", q.String())
	}
	if p := b.config.GPUCorePolicy; p != "" && p != "default" {
		kit.AddEnv(c, "GPU_CORE_UTILIZATION_POLICY", p)
	}
}

// defaultCount says whether the container's limits ask for cards, after giving it the default number where they only ask
// for memory or cores.
func (b *Backend) defaultCount(c *corev1.Container) bool {
	if kit.Limited(c, b.config.ResourceCountName) {
		return true
	}
	parts := kit.Limited(c, b.config.ResourceCoreName) || kit.Limited(c, b.config.ResourceMemoryName) ||
		kit.Limited(c, b.config.ResourceMemoryPercentageName)
	if !parts || b.config.DefaultGPUNum <= 0 || b.config.ResourceCountName == "" {
		return false
	}
	kit.SetLimit(c, b.config.ResourceCountName, int64(b.config.DefaultGPUNum))
	return true
}

// exclusive says whether the container asks for whole cards without naming cores (spec nvidia §4 step 5).
func (b *Backend) exclusive(c *corev1.Container) bool {
	if _, cards := device.Quantity(c, b.config.ResourceCountName); !cards || b.config.ResourceCoreName == "" {
		return false
	}
	if _, cores := device.Quantity(c, b.config.ResourceCoreName); cores {
		return false
	}
	if q, percent := device.Quantity(c, b.config.ResourceMemoryPercentageName); percent {
		return q.Value() == 100
	}
	_, memory := device.Quantity(c, b.config.ResourceMemoryName)
	return !memory
}
