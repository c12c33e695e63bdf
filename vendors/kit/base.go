package kit

import "github.com/accelfit/accelfit/device"

// Base is what a device model is known by: the configuration it was built with, its vendor word and its names. A model embeds
// it, and has its methods then; under an alias in lower case (type base = kit.Base[Config]) nothing else of it can be seen.
type Base[C any] struct {
	config C
	vendor device.Vendor
	names  device.Names
}

// NewBase puts a base together.
func NewBase[C any](config C, v device.Vendor, names device.Names) Base[C] {
	return Base[C]{config, v, names}
}

// Config returns the configuration that the model was built with. Its slices are read-only.
func (b *Base[C]) Config() C { return b.config }

// Vendor implements [device.Backend].
func (b *Base[C]) Vendor() device.Vendor { return b.vendor }

// Names implements [device.Backend]. Its slices are read-only.
func (b *Base[C]) Names() device.Names { return b.names }
