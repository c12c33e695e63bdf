package ascend

import (
	"fmt"
	"slices"
	"strings"

	"github.com/accelfit/accelfit/device"
)

// Annotation keys. Those of one chip, with its vendor word in them, are in [Backend.Names].
const (
	AnnotationMode     = "huawei.com/vnpu-mode" // pod: how to share; see ModeSoftSplit
	AnnotationTime     = "predicate-time"       // pod: Unix seconds
	AnnotationSoftNode = "hami-vnpu-core"       // node: "true" where the soft split is possible
)

// ModeSoftSplit is the value of AnnotationMode that asks for the soft split; any other is the hard split.
const ModeSoftSplit = "hami-core"

// pairWord is the vendor word of the chip that comes in modules of two.
const pairWord device.Vendor = "Ascend910C"

// Backend is the device model of one chip. It implements [device.Backend], [device.PodRequester], [device.Annotator] and
// [device.NodeScorer].
type Backend struct {
	chip  Chip // templates ascending by memory
	names device.Names

	use, noUse string // pod annotations: ids
	runtime    string // pod annotation: what the node agent is told

	softDefault bool     // nodes that say nothing can do the soft split
	family      []string // count resources of all chips of the configuration
	hides       bool     // whether this model hides the chips from containers that ask for none
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
		b := newBackend(config.Configs[i].smallestFirst())
		b.softDefault = config.HAMiVNPUCore
		b.hides = b.chip.OverwriteEnv && !hidden
		hidden = hidden || b.hides
		family = append(family, b.names.Count)
		all[i] = b
	}
	for _, b := range all {
		b.family = family
	}
	return all, nil
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

func newBackend(chip Chip) *Backend {
	w := chip.CommonWord
	b := &Backend{
		chip: chip,
		use:  "hami.io/use-" + w + "-uuid", noUse: "hami.io/no-use-" + w + "-uuid", runtime: "huawei.com/" + w,
	}
	b.names = device.Names{
		Count: chip.ResourceName, Memory: chip.ResourceMemoryName, Cores: chip.ResourceCoreName,
		MemoryFactor: chip.factor(),
		Register:     "hami.io/node-register-" + w, Handshake: "hami.io/node-handshake-" + w,
		ToAllocate: "hami.io/" + w + "-devices-to-allocate", Allocated: "hami.io/" + w + "-devices-allocated",
		Writes:  []string{b.runtime, AnnotationTime},
		PodKeys: []string{b.use, b.noUse, AnnotationMode},
		Lock:    device.AnnotationLock, CleanUp: "hami.io/node-handshake-" + w, Keeps: true,
	}
	return b
}

// Chip returns the configuration of the chip, templates ascending by memory. They are read-only.
func (b *Backend) Chip() Chip { return b.chip }

// Vendor implements [device.Backend].
func (b *Backend) Vendor() device.Vendor { return device.Vendor(b.chip.CommonWord) }

// Names implements [device.Backend].
func (b *Backend) Names() device.Names {
	n := b.names
	n.Writes, n.PodKeys = slices.Clone(n.Writes), slices.Clone(n.PodKeys)
	return n
}

// is910 says whether the chip is of the family that has networks.
func (b *Backend) is910() bool { return strings.HasPrefix(b.chip.CommonWord, "Ascend910") }

func isSoft(annotations map[string]string) bool { return annotations[AnnotationMode] == ModeSoftSplit }
