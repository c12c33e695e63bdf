package answer

import (
	"fmt"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"

	"github.com/accelfit/accelfit/device"
)

// source finds out what of a container says what it asks of a vendor.
type source struct {
	names       device.Names
	ask         *device.ContainerRequest
	now, before *corev1.Container // after admission and before
}

// written is an amount of a container, as it was written; by is empty where nobody names it, and says otherwise who does.
func (s *source) written(name string) (n int64, by string) {
	q, found := device.Quantity(s.now, name)
	if !found {
		return 0, ""
	}
	n, _ = q.AsInt64()
	by = name + ": " + amount(q)
	if old, was := device.Quantity(s.before, name); !was || old.Cmp(q) != 0 {
		by += ", set by admission"
		if was {
			by += " in place of " + amount(old)
		}
	}
	return n, by
}

// amount is a quantity as people write it: 8000 rather than 8k.
func amount(q resource.Quantity) string {
	if n, whole := q.AsInt64(); whole && q.Format == resource.DecimalSI {
		return fmt.Sprint(n)
	}
	return q.String()
}

func (s *source) devices() string {
	n, by := s.written(s.names.Count)
	switch {
	case by == "" && s.ask.CoresInAll > 0:
		return "as many as its cores make on a node"
	case by == "":
		return "follows from what else it asks for"
	case n != s.ask.Nums:
		return fmt.Sprintf("%s, which makes %d", by, s.ask.Nums)
	}
	return by
}

// memory says where the memory of each device comes from: written, by factor, as a share, or a default.
func (s *source) memory() string {
	n, by := s.written(s.names.Memory)
	if by != "" && n > 0 && s.ask.Memory > 0 {
		return by + s.factor(n)
	}
	if _, percent := s.written(s.names.Percent); percent != "" && s.ask.Memory == 0 && s.ask.MemoryPercent != device.PercentUnset {
		return percent
	}
	switch {
	case s.ask.Memory > 0 && s.names.Memory == "":
		return "follows from the vendor's unit"
	case s.ask.Memory > 0:
		return s.notGiven(s.names.Memory) + "the default of the device configuration"
	case s.ask.MemoryPercent == 100:
		return s.notGiven(s.names.Memory) + "all of each device"
	}
	return s.notGiven(s.names.Memory) + "memory is not counted"
}

func (s *source) notGiven(name string) string {
	if name == "" {
		return "cannot be asked for: "
	}
	return name + " not given: "
}

// factor says how an amount as written makes the MiB of each device.
func (s *source) factor(n int64) string {
	each, all := s.ask.Memory, device.Product(s.ask.Memory, s.ask.Nums)
	unit := max(1, s.names.MemoryFactor)
	switch {
	case each == n:
		return " (MiB)"
	case each == device.Product(n, unit):
		return fmt.Sprintf(" (times %d MiB)", unit)
	case s.ask.Nums > 1 && all%n == 0:
		return fmt.Sprintf(" (times %d MiB, of all %d devices together)", all/n, s.ask.Nums)
	case each%n == 0:
		return fmt.Sprintf(" (times %d MiB)", each/n)
	}
	return ", by the vendor's rule"
}

// cores says where the cores of each device come from.
func (s *source) cores() string {
	n, by := s.written(s.names.Cores)
	switch {
	case by != "" && (n == s.ask.Cores || s.ask.CoresInAll == n && n > 0):
		return by
	case by != "" && s.ask.Nums > 1 && device.Product(s.ask.Cores, s.ask.Nums) <= n && s.ask.Cores == n/s.ask.Nums:
		return by + fmt.Sprintf(" (of all %d devices together)", s.ask.Nums)
	case by != "":
		return fmt.Sprintf("%s, which makes %d", by, s.ask.Cores)
	case s.ask.Cores == 0:
		return s.notGiven(s.names.Cores) + "no share of its own"
	}
	return s.notGiven(s.names.Cores) + "the default"
}
