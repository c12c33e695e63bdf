package ascend

import (
	"fmt"
	"slices"
	"strconv"

	corev1 "k8s.io/api/core/v1"

	"github.com/accelfit/accelfit/device"
	"github.com/accelfit/accelfit/vendors/kit"
)

// Admit implements [device.Backend] (spec ascend §3), and refuses what Request would refuse (deviation D11).
func (b *Backend) Admit(pod *corev1.Pod, c *corev1.Container) (device.Admitted, error) {
	mine := kit.Limited(c, b.chip.ResourceName)
	if mine {
		if err := b.complete(pod, c); err != nil {
			return device.Admitted{}, err
		}
	} else {
		b.hide(c)
	}
	if _, err := b.RequestOf(pod.Annotations, c); err != nil {
		return device.Admitted{}, err
	}
	return device.Admitted{Mine: mine}, nil
}

// hide keeps all chips from a container that asks for none (deviation A6).
func (b *Backend) hide(c *corev1.Container) {
	asks := slices.ContainsFunc(b.family, func(name string) bool { return kit.Named(c, name) })
	if b.hides && !asks {
		kit.AddEnv(c, "ASCEND_VISIBLE_DEVICES", "")
	}
}

func (b *Backend) complete(pod *corev1.Pod, c *corev1.Container) error {
	n, _, err := device.WholeNumber(c, b.chip.ResourceName, device.MaxAmount)
	if err != nil {
		return err
	}
	if n, err = b.pair(c, n); err != nil {
		return err
	}
	soft := isSoft(pod.Annotations)
	if err := b.checkCores(c, soft); err != nil {
		return err
	}
	memory, err := b.memory(c, n, soft)
	if err != nil {
		return err
	}
	b.write(c, memory)
	kit.SetRuntimeClass(pod, b.chip.RuntimeClassName)
	return nil
}

// pair makes one NPU of an Ascend910C two, and returns how many are asked for then. An odd number is refused.
func (b *Backend) pair(c *corev1.Container, n int64) (int64, error) {
	switch {
	case b.Vendor() != pairWord || !b.chip.SuperPod:
		return n, nil
	case n == 1:
		kit.SetLimit(c, b.chip.ResourceName, 2)
		if _, ok := c.Resources.Requests[corev1.ResourceName(b.chip.ResourceName)]; ok {
			kit.SetRequest(c, b.chip.ResourceName, 2)
		}
		return 2, nil
	case n%2 == 1:
		return 0, refuse(fmt.Sprintf("Ascend910C device request must be 1 or 2*n, got %d", n), c, b.chip.ResourceName, "must be 1 or an even number")
	}
	return n, nil
}

func (b *Backend) checkCores(c *corev1.Container, soft bool) error {
	if q, ok := device.Quantity(c, b.chip.ResourceCoreName); !soft && ok && q.Sign() > 0 {
		const why = "is only supported in hami-core (soft split) mode"
		return refuse(b.chip.ResourceCoreName+" "+why, c, b.chip.ResourceCoreName, why)
	}
	return nil
}

// memory returns the amount of the memory resource that the container is given: what its limits say, for the hard split rounded
// up to a template, or the whole chip. With a memory factor it is checked and left as it is (deviation A5). Several NPUs cannot
// be split hard; n is their number after pairing (deviation A4).
func (b *Backend) memory(c *corev1.Container, n int64, soft bool) (int64, error) {
	if !kit.Limited(c, b.chip.ResourceMemoryName) {
		return b.chip.whole(), nil
	}
	rounded := b.chip.MemoryAllocatable
	q := c.Resources.Limits[corev1.ResourceName(b.chip.ResourceMemoryName)]
	if amount, whole := q.AsInt64(); whole && amount >= 0 && !soft {
		if rounded, _ = b.chip.trim(b.chip.mib(amount)); rounded <= 0 {
			return 0, refuse(b.chip.ResourceMemoryName+" "+strconv.FormatInt(amount, 10)+" is invalid", c, b.chip.ResourceMemoryName, "is more than the chip has")
		}
	}
	amount, _, err := device.WholeNumber(c, b.chip.ResourceMemoryName, b.most())
	switch {
	case err != nil || soft:
		return amount, err
	case n > 1 && rounded != b.chip.MemoryAllocatable:
		const why = "vNPU not supported for multiple devices"
		return 0, refuse(why, c, b.chip.ResourceMemoryName, why)
	case b.chip.factor() > 1:
		return amount, nil
	}
	return rounded, nil
}

// write gives the container an amount of the memory resource.
func (b *Backend) write(c *corev1.Container, amount int64) {
	if b.chip.ResourceMemoryName == "" {
		return
	}
	name := corev1.ResourceName(b.chip.ResourceMemoryName)
	if q, ok := c.Resources.Limits[name]; !ok || q.CmpInt64(amount) != 0 {
		kit.SetLimit(c, b.chip.ResourceMemoryName, amount)
	}
	if q, ok := c.Resources.Requests[name]; !ok || q.CmpInt64(amount) != 0 {
		kit.SetRequest(c, b.chip.ResourceMemoryName, amount)
	}
}

func refuse(text string, c *corev1.Container, name, why string) error {
	return &kit.Refusal{Text: text, Cause: kit.Invalid(c, name, why)}
}
