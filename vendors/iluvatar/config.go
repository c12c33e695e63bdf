package iluvatar

import (
	"errors"
	"fmt"
	"strings"

	"github.com/accelfit/accelfit/device"
	"github.com/accelfit/accelfit/vendors/kit"
)

// Config is an entry of the list "iluvatars" of a HAMi device configuration (spec iluvatar §2).
type Config struct {
	ChipName           string `json:"chipName,omitempty"`   // kept, not used
	CommonWord         string `json:"commonWord,omitempty"` // vendor word
	ResourceCountName  string `json:"resourceCountName,omitempty"`
	ResourceMemoryName string `json:"resourceMemoryName,omitempty"`
	ResourceCoreName   string `json:"resourceCoreName,omitempty"`
}

func (c *Config) validate() error {
	switch {
	case c.CommonWord == "":
		return errors.New("commonWord: must not be empty") // deviation iD10
	case strings.ContainsAny(c.CommonWord, ",:;"):
		return fmt.Errorf("commonWord: %q has a separator of the allocation text in it", c.CommonWord)
	}
	return nil
}

type base = kit.Base[Config]

// Backend is the device model of one chip. It implements [device.Backend].
type Backend struct {
	base
	inventory
	asks
	use   string // pod annotation: ids
	noUse string // pod annotation: ids
}

// New builds the device model of a chip; the error names the key that is wrong.
func New(config Config) (*Backend, error) {
	if err := config.validate(); err != nil {
		return nil, fmt.Errorf("iluvatar: %w", err)
	}
	return newBackend(config), nil
}

func newBackend(config Config) *Backend {
	w := config.CommonWord
	use, noUse := "hami.io/use-"+w+"-uuid", "hami.io/no-use-"+w+"-uuid"
	names := device.Names{
		Count: config.ResourceCountName, Memory: config.ResourceMemoryName, Cores: config.ResourceCoreName,
		MemoryFactor: memoryUnit,
		Register:     "hami.io/node-" + w + "-register", Handshake: "hami.io/node-handshake-" + w,
		ToAllocate: "hami.io/" + w + "-devices-to-allocate", Allocated: "hami.io/" + w + "-devices-allocated",
		PodKeys: []string{use, noUse},
		Lock:    device.AnnotationLock,
	}
	v := device.Vendor(w)
	return &Backend{kit.NewBase(config, v, names), newInventory(v, names), newAsks(v, names), use, noUse}
}

// Backends builds the device models of a configuration, one for each chip; the error names the key that is wrong. Two chips
// with one common word are an error (deviation iD10).
func Backends(configs []Config) ([]device.Backend, error) {
	var out []device.Backend
	seen := map[string]int{}
	for i, c := range configs {
		if err := c.validate(); err != nil {
			return nil, fmt.Errorf("iluvatars[%d].%w", i, err)
		}
		if first, again := seen[c.CommonWord]; again {
			return nil, fmt.Errorf("iluvatars[%d].commonWord: %q is that of iluvatars[%d] too", i, c.CommonWord, first)
		}
		seen[c.CommonWord] = i
		out = append(out, newBackend(c))
	}
	return out, nil
}
