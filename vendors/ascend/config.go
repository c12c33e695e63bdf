package ascend

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/accelfit/accelfit/device"
	"github.com/accelfit/accelfit/vendors/kit"
)

// Annotation keys. Those of one chip, with its vendor word in them, are in [Backend.Names].
const (
	AnnotationMode          = "huawei.com/vnpu-mode" // pod: how to share; see ModeSoftSplit
	AnnotationPredicateTime = "predicate-time"       // pod: seconds since 1970
	AnnotationSoftNode      = "hami-vnpu-core"       // node: "true" where the soft split is possible
)

// ModeSoftSplit is the value of AnnotationMode that asks for the soft split; any other is the hard split.
const ModeSoftSplit = "hami-core"

// pairWord is the vendor word of the chip that comes in modules of two.
const pairWord device.Vendor = "Ascend910C"

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

type base = kit.Base[Config]

// Backend is the device model of one chip. It implements [device.Backend], [device.PodRequester], [device.Annotator] and
// [device.NodeScorer].
type Backend struct {
	base
	inventory
	chip Chip // templates ascending by memory

	use, noUse string // pod annotations: ids
	runtime    string // pod annotation: what the node agent is told

	family []string // count resources of all chips of the configuration
	hides  bool     // whether this model hides the chips from containers that ask for none
}

// New builds the device models of a configuration, one for each chip in its order; the error names the key that is wrong.
func New(config Config) ([]*Backend, error) {
	if err := config.validate(); err != nil {
		return nil, fmt.Errorf("vnpus: %w", err)
	}
	all := make([]*Backend, len(config.Configs))
	var family []string
	hidden := false
	for i := range config.Configs {
		b := newBackend(config, config.Configs[i].smallestFirst())
		b.hides = b.chip.OverwriteEnv && !hidden
		hidden = hidden || b.hides
		family = append(family, b.chip.ResourceName)
		all[i] = b
	}
	for _, b := range all {
		b.family = family
	}
	return all, nil
}

func newBackend(config Config, chip Chip) *Backend {
	w := chip.CommonWord
	b := &Backend{
		chip: chip,
		use:  "hami.io/use-" + w + "-uuid", noUse: "hami.io/no-use-" + w + "-uuid", runtime: "huawei.com/" + w,
	}
	names := device.Names{
		Count: chip.ResourceName, Memory: chip.ResourceMemoryName, Cores: chip.ResourceCoreName,
		MemoryFactor: chip.factor(),
		Register:     "hami.io/node-register-" + w, Handshake: "hami.io/node-handshake-" + w,
		ToAllocate: "hami.io/" + w + "-devices-to-allocate", Allocated: "hami.io/" + w + "-devices-allocated",
		Writes:   []string{b.runtime, AnnotationPredicateTime},
		PodKeys:  []string{b.use, b.noUse, AnnotationMode},
		NodeKeys: []string{AnnotationSoftNode},
		Lock:     device.AnnotationLock, CleanUp: "hami.io/node-handshake-" + w, Keeps: true,
	}
	v := device.Vendor(w)
	b.base, b.inventory = kit.NewBase(config, v, names), newInventory(v, names)
	return b
}

// Backends builds the device models of a configuration, one for each chip.
func Backends(config Config) ([]device.Backend, error) {
	all, err := New(config)
	if err != nil {
		return nil, err
	}
	out := make([]device.Backend, len(all))
	for i, b := range all {
		out[i] = b
	}
	return out, nil
}

// Names implements [device.Backend]. The slices are the caller's.
func (b *Backend) Names() device.Names {
	n := b.base.Names()
	n.Writes, n.PodKeys, n.NodeKeys = slices.Clone(n.Writes), slices.Clone(n.PodKeys), slices.Clone(n.NodeKeys)
	return n
}

// Chip returns the configuration of the chip, templates ascending by memory. They are read-only.
func (b *Backend) Chip() Chip { return b.chip }

// is910 says whether the chip is of the family that has networks.
func (b *Backend) is910() bool { return strings.HasPrefix(b.chip.CommonWord, "Ascend910") }
