package mthreads

import (
	"github.com/accelfit/accelfit/device"
	"github.com/accelfit/accelfit/vendors/kit"
)

const (
	block = 512 // MiB of one unit of memory
	cores = 16  // of a card
	slots = 100 // of a card
)

// inventory is what nodes tell of cards: their capacity (spec mthreads §5). The last card is what remains (deviation mD6); cards
// without memory or beyond 32 bits are errors (mD7). Cards whose capacity is gone are gone (§13, mD4).
type inventory = kit.Divided

func newInventory(names device.Names) inventory {
	return kit.NewDivided(Vendor, names, kit.Card{Word: "mthreads", Unit: block, Cores: cores, Slots: slots})
}
