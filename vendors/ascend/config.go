package ascend

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/accelfit/accelfit/device"
)

// Config is the section "vnpus" of a HAMi device configuration (spec core §15.2).
type Config struct {
	HAMiVNPUCore bool   `json:"hamiVnpuCore,omitempty"` // nodes that say nothing can do the soft split
	Configs      []Chip `json:"configs,omitempty"`
}

// Chip is one Ascend chip. Its name, AI cores and AI CPUs are kept for callers; they change no decision here.
type Chip struct {
	ChipName           string     `json:"chipName,omitempty"`
	CommonWord         string     `json:"commonWord,omitempty"` // vendor word
	ResourceName       string     `json:"resourceName,omitempty"`
	ResourceMemoryName string     `json:"resourceMemoryName,omitempty"`
	ResourceCoreName   string     `json:"resourceCoreName,omitempty"`  // empty: cores cannot be asked for
	MemoryAllocatable  int64      `json:"memoryAllocatable,omitempty"` // MiB that a whole chip stands for
	MemoryCapacity     int64      `json:"memoryCapacity,omitempty"`    // MiB up to which a request means the whole chip
	MemoryFactor       int32      `json:"memoryFactor,omitempty"`      // MiB of one unit; up to 1: 1
	AICore             int32      `json:"aiCore,omitempty"`
	AICPU              int32      `json:"aiCPU,omitempty"`
	RuntimeClassName   string     `json:"runtimeClassName,omitempty"` // set on pods that have none
	OverwriteEnv       bool       `json:"overwriteEnv,omitempty"`     // hide all chips from containers that ask for none
	SuperPod           bool       `json:"superPod,omitempty"`         // Ascend910C: admission makes pairs
	Templates          []Template `json:"templates,omitempty"`
}

// Template is one way to split an Ascend chip.
type Template struct {
	Name   string `json:"name,omitempty"`
	Memory int64  `json:"memory,omitempty"` // MiB
	AICore int32  `json:"aiCore,omitempty"`
	AICPU  int32  `json:"aiCPU,omitempty"`
}

var (
	errMissing   = errors.New("is missing")
	errSeparator = errors.New("must not contain a comma, colon or semicolon")
)

func (c *Config) validate() error {
	seen := map[string]bool{}
	for i := range c.Configs {
		chip := &c.Configs[i]
		err := chip.validate()
		if err == nil && seen[chip.CommonWord] {
			err = fmt.Errorf("commonWord: %s: another chip has it", chip.CommonWord)
		}
		if err != nil {
			return fmt.Errorf("configs[%d].%w", i, err)
		}
		seen[chip.CommonWord] = true
	}
	return nil
}

func (c *Chip) validate() error {
	switch {
	case c.CommonWord == "":
		return fmt.Errorf("commonWord: %w", errMissing)
	case strings.ContainsAny(c.CommonWord, ",:;"):
		return fmt.Errorf("commonWord: %s: %w", c.CommonWord, errSeparator)
	}
	if err := inRange("", amount{"memoryAllocatable", c.MemoryAllocatable}, amount{"memoryCapacity", c.MemoryCapacity},
		amount{"aiCore", int64(c.AICore)}, amount{"aiCPU", int64(c.AICPU)}); err != nil {
		return err
	}
	for i := range c.Templates {
		t, at := &c.Templates[i], fmt.Sprintf("templates[%d].", i)
		if t.Memory == 0 {
			return fmt.Errorf("%smemory: %w", at, errMissing)
		}
		if err := inRange(at, amount{"memory", t.Memory}, amount{"aiCore", int64(t.AICore)}, amount{"aiCPU", int64(t.AICPU)}); err != nil {
			return err
		}
	}
	return nil
}

type amount struct {
	key string
	n   int64
}

// inRange wants amounts that a pod can be given and an allocation can carry.
func inRange(at string, amounts ...amount) error {
	for _, a := range amounts {
		if a.n < 0 || a.n > device.MaxAmount {
			return fmt.Errorf("%s%s: must be from 0 to %d: %d", at, a.key, device.MaxAmount, a.n)
		}
	}
	return nil
}

// smallestFirst returns a copy with the templates ascending by memory.
func (c Chip) smallestFirst() Chip {
	c.Templates = slices.Clone(c.Templates)
	slices.SortStableFunc(c.Templates, func(a, b Template) int { return cmp.Compare(a.Memory, b.Memory) })
	return c
}

// trim rounds memory up to the smallest template that has it (spec ascend §2). What no template has, and the chip still does,
// is the whole chip, which has no template; 0 is memory that the chip does not have.
func (c *Chip) trim(mib int64) (memory int64, template string) {
	for i := range c.Templates {
		if t := &c.Templates[i]; mib <= t.Memory {
			return t.Memory, t.Name
		}
	}
	if mib <= c.MemoryCapacity {
		return c.MemoryAllocatable, ""
	}
	return 0, ""
}

func (c *Chip) factor() int64 { return max(1, int64(c.MemoryFactor)) }

// whole is the amount of the memory resource that stands for the whole chip.
func (c *Chip) whole() int64 { return (c.MemoryAllocatable + c.factor() - 1) / c.factor() }

// mib is what an amount of the memory resource stands for. The whole chip is no more than it has, also where the factor does
// not divide it (deviation A5).
func (c *Chip) mib(amount int64) int64 {
	if amount == c.whole() {
		return c.MemoryAllocatable
	}
	return device.Product(amount, c.factor())
}
