package vendors

import (
	"fmt"
	"slices"
	"sync"

	corev1 "k8s.io/api/core/v1"

	"github.com/accelfit/accelfit/device"
	"github.com/accelfit/accelfit/internal/engine"
)

// Options are the settings of a scheduler that pods can override, and the reference's behaviours that are turned back on.
// The zero value is the reference's default and no quirk.
type Options struct {
	NodePolicy   string // where a pod names none; empty: binpack
	DevicePolicy string // where a pod names none; empty: spread
	Quirks       device.Quirks
}

// Set is the backends that decide together.
type Set struct {
	backends []device.Backend // ascending vendor word
	names    []device.Names   // of the backends
	options  Options
	config   Config
	problems []device.Problem
	scratch  *sync.Pool // of *engine.Scratch
}

// New makes a set of backends. Two backends with one vendor word are an error.
func New(backends ...device.Backend) (*Set, error) {
	s := &Set{
		backends: slices.Clone(backends),
		scratch:  &sync.Pool{New: func() any { return new(engine.Scratch) }},
	}
	slices.SortFunc(s.backends, func(a, b device.Backend) int {
		if a.Vendor() < b.Vendor() {
			return -1
		}
		return 1
	})
	for i := 1; i < len(s.backends); i++ {
		if v := s.backends[i].Vendor(); v == s.backends[i-1].Vendor() {
			return nil, fmt.Errorf("vendor word %s: two backends", v)
		}
	}
	s.names = make([]device.Names, len(s.backends))
	for i, b := range s.backends {
		s.names[i] = b.Names()
	}
	return s, nil
}

// With returns a set with the same backends and other options.
func (s *Set) With(options Options) *Set {
	c := *s
	c.options = options
	return &c
}

// Options returns the options in force.
func (s *Set) Options() Options { return s.options }

// Problems lists what [Load] found odd in the configuration without refusing it: unknown keys. The slice is the caller's.
func (s *Set) Problems() []device.Problem { return slices.Clone(s.problems) }

// Backends lists the backends, ascending by vendor word. The slice is the caller's.
func (s *Set) Backends() []device.Backend { return slices.Clone(s.backends) }

// Backend returns the backend of a vendor word, or nil.
func (s *Set) Backend(v device.Vendor) device.Backend {
	for _, b := range s.backends {
		if b.Vendor() == v {
			return b
		}
	}
	return nil
}

// ManagedResources lists the resource names the set decides about, ascending: a scheduler must leave them to it.
func (s *Set) ManagedResources() []string {
	var out []string
	for i := range s.names {
		n := &s.names[i]
		for _, name := range append([]string{n.Count, n.Memory, n.Percent, n.Cores}, n.Others...) {
			if name != "" {
				out = append(out, name)
			}
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// Inventory reads what a node has, from all vendors. What cannot be read is in the result's Problems; one vendor's malformed
// description never hides another's.
func (s *Set) Inventory(node *corev1.Node) *device.NodeInfo {
	inventories := make([]device.Inventory, len(s.backends))
	for i, b := range s.backends {
		inventories[i] = b.Inventory(node)
	}
	return device.NewNodeInfo(node.Name, inventories...)
}
